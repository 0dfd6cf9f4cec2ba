import type { Dialect } from 'kysely';

/** Statements as text, on one connection and within one transaction. */
export type Session = {
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Several statements, without values. */
  script(sql: string): Promise<void>;
};

/** What differs between a PostgreSQL server and PGlite. */
export type Engine = {
  kind: 'postgresql' | 'pglite';
  dialect: Dialect;
  /** One transaction for a change of the tables, which may take long. */
  session<R>(work: (session: Session) => Promise<R>): Promise<R>;
  /** Errors as they are to be thrown on. */
  translateError(error: unknown): unknown;
  close(): Promise<void>;
};

/** PostgreSQL's 64-bit and exact numbers (times, counts and their sums) as numbers: none of ours reaches 2^53. */
export const NUMBER_TYPES = { int8: 20, numeric: 1700 } as const;
