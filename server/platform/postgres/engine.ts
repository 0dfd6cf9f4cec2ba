import type { Dialect } from 'kysely';

/** One connection with an open transaction. */
export type Session = {
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  runScript(sql: string): Promise<void>;
};

export type Engine = {
  kind: 'postgresql' | 'pglite';
  dialect: Dialect;
  /** Runs work that may take a long time, such as schema changes, in one transaction. */
  withSession<R>(work: (session: Session) => Promise<R>): Promise<R>;
  translateError(error: unknown): unknown;
  close(): Promise<void>;
};

/** OIDs of types that are returned as JavaScript numbers, because all times, counts and sums are below 2^53. */
export const NUMBER_TYPES = { int8: 20, numeric: 1700 } as const;
