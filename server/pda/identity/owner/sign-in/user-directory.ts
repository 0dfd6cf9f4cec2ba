import type { Transaction } from '../../../storage/index.ts';

/** What the sign-in has to know of people beside the owner. */
export type People = {
  /** Also of those who are disabled. */
  byName(name: string): Person | undefined;
  find(userId: string): { name: string; enabled: boolean } | undefined;
  /** What their password is checked against, within a transaction; undefined when they may not sign in. */
  passwordHashWithin(tx: Transaction, userId: string): string | undefined;
  seen(tx: Transaction, userId: string, time: number): void;
};

export type Person = { userId: string; name: string; enabled: boolean; passwordHash: string };
