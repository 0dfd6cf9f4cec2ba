import { nameKey } from '../../../../wire/users.ts';
import type { Transaction } from '../../../storage/index.ts';
import { costOf, decoyOf, type ForeignHashes } from '../password/external-hash.ts';

/** Accounts that others have here because of what the owner agreed to: of a Data Plug, and of the provider of an Offer. */
export type Account = {
  /** What they sign in with. */
  name: string;
  passwordHash: string;
  holder: { kind: 'application'; application: string; version: string } | { kind: 'offer'; offer: string };
};

/** What the sign-in has to know of them. */
export type Accounts = {
  byName(name: string): Account | undefined;
  /** Whether it is still there with that password, in the transaction that lets it in. */
  isHere(tx: Transaction, account: Account): boolean;
  /** Every hash that there is: how long the check of a password takes must not tell whose name was tried. */
  hashes(): readonly string[];
};

export const noAccounts: Accounts = {
  byName: () => undefined,
  isHere: () => false,
  hashes: () => [],
};

/** Different costs of hashes that each try is made to bear. There is one where an operator makes them all alike. */
const MAX_PROFILES = 4;

/**
 * Checks the password of an account. Each attempt does one check per kind of hash, whatever the name, so that the timing is
 * the same for the owner, a user, an account and an unknown name.
 */
export const createAccountCheck = (accounts: () => Accounts, hashes: ForeignHashes) => {
  /** One hash of each cost. */
  const profiles = (): Map<string, string> => {
    const found = new Map<string, string>();
    for (const hash of accounts().hashes()) {
      const profile = costOf(hash)?.profile;
      if (profile !== undefined && !found.has(profile) && found.size < MAX_PROFILES) found.set(profile, hash);
    }
    return found;
  };

  return async (account: Account | undefined, password: string): Promise<boolean> => {
    const own = account === undefined ? undefined : costOf(account.passwordHash)?.profile;
    const samples = profiles();
    if (own !== undefined && account !== undefined) samples.set(own, account.passwordHash);
    const checks = [...samples].map(async ([profile, hash]) => {
      const matches = await hashes.matches(profile === own ? hash : decoyOf(hash), password);
      return matches && profile === own;
    });
    return (await Promise.all(checks)).includes(true);
  };
};

/** Returns true if two names are equal in their normalised form. The owner and users take precedence over accounts. */
export const isSameName = (one: string, other: string): boolean => nameKey(one) === nameKey(other);
