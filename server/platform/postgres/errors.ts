import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';

/** How soon a caller may try again: a database that restarts is back within seconds. */
const RETRY_AFTER_SECONDS = 2;

/** At most one line in this time says that the database cannot be reached, however many callers are turned away. */
const TELL_EVERY_MS = 5000;

/** Two transactions that cannot both be (serialization, deadlock): the whole of it may be run again. */
const COLLISIONS: ReadonlySet<string> = new Set(['40001', '40P01']);

/**
 * SQLSTATEs that speak of the server and not of the statement: connection (08), resources (53), a stop or a cancelled statement (57), the disk (58), a
 * commit of which nobody knows, a lock that did not come in time, a transaction that was ended for taking long, a primary that became a standby.
 */
const NOT_NOW = /^(?:08|53|57|58|40003$|55P03$|25P0[34]$|25006$)/u;

/** The SQLSTATE of an error of PostgreSQL, from whichever driver. Errors of Node have codes too, but no severity. */
export const sqlState = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
};

/** PostgreSQL keeps every character but one: a text with U+0000 is the caller's to mend, wherever it came from. */
export const isUnstorableText = (error: unknown): boolean => sqlState(error) === '22021';

/** A unique key is taken: for stores that turn it into a sentence. */
export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505';

export const isSerializationFailure = (error: unknown): boolean => COLLISIONS.has(sqlState(error) ?? '');

/** Mistakes of ours in how a driver is called, which no waiting mends. */
const isDefect = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;

export const unavailable = (reason = 'The database cannot be reached just now. Try again.'): Failure =>
  new Failure('unavailable', reason, { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });

export type ConnectionMonitor = {
  /**
   * What a driver threw, as it is to be thrown on: a Failure where the database is the trouble, the error itself where the statement is. What is no
   * error of the server comes from the line to it.
   */
  translate(error: unknown): unknown;
  /** The database answered. */
  recovered(): void;
};

/** Says once that the database cannot be reached, and once that it can again. */
export const createConnectionMonitor = (log: Log): ConnectionMonitor => {
  let told = -Infinity;
  let down = false;
  return {
    translate(error) {
      if (error instanceof Failure || isDefect(error)) return error;
      const state = sqlState(error);
      if (state !== undefined && !NOT_NOW.test(state)) return error;
      down = true;
      if (performance.now() - told > TELL_EVERY_MS) {
        told = performance.now();
        log.error({ err: error }, 'the database cannot be reached');
      }
      return unavailable();
    },
    recovered() {
      if (!down) return;
      down = false;
      told = -Infinity;
      log.info('the database answers again');
    },
  };
};
