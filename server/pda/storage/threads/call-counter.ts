import type { Database } from 'better-sqlite3';

/**
 * Counts the starts and ends of SQL function calls in memory that a database thread shares with its client, so that the
 * count is odd during a call. A statement can run for a long time, but each call processes one record, so a call that
 * does not end shows that the thread is stuck.
 */
export type CallCounter = Int32Array;

export const isInSameCall = (earlier: number | undefined, count: number): boolean =>
  earlier === count && count % 2 !== 0;

/** Counts the calls of SQL functions that are registered on the connection later. */
export const countCalls = (db: Database, counter: CallCounter): void => {
  const register = db.function.bind(db);
  const registerCounted = (...[name, options, implementation]: Parameters<typeof register>): Database => {
    const call: (...values: unknown[]) => unknown = implementation;
    const countedCall = (...values: unknown[]): unknown => {
      Atomics.add(counter, 0, 1);
      try {
        return call(...values);
      } finally {
        Atomics.add(counter, 0, 1);
      }
    };
    // better-sqlite3 takes the number of arguments from the length of the function.
    Object.defineProperty(countedCall, 'length', { value: call.length });
    return register(name, options, countedCall);
  };
  Object.assign(db, { function: registerCounted });
};
