import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';

/** Seconds until clients may retry: a restarting database is back within seconds. */
const RETRY_AFTER_SECONDS = 2;

/** Minimum interval of log lines about an unreachable database, however many requests fail. */
const LOG_INTERVAL_MS = 5000;

/** SQLSTATEs of transactions that collided (serialization failure, deadlock) and may be run again. */
const COLLISION_STATES: ReadonlySet<string> = new Set(['40001', '40P01']);

/**
 * SQLSTATEs that concern the server and not the statement: connection (08), resources (53), shutdown or cancelled
 * statement (57), disk (58), a commit of unknown outcome, lock timeout, idle transaction timeout, a primary that
 * became a standby.
 */
const UNAVAILABLE_STATES = /^(?:08|53|57|58|40003$|55P03$|25P0[34]$|25006$)/u;

/**
 * Returns the SQLSTATE of an error of PostgreSQL, from either driver. Node's errors have codes too, but no severity.
 */
export const sqlState = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
};

/**
 * Returns true for the error that a text contains U+0000, the only character that PostgreSQL cannot store. The client
 * that sent the text must fix it.
 */
export const isUnstorableText = (error: unknown): boolean => sqlState(error) === '22021';

/** Returns true for a unique violation. */
export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505';

/** Returns true for a serialization failure or a deadlock. */
export const isSerializationFailure = (error: unknown): boolean => COLLISION_STATES.has(sqlState(error) ?? '');

/** Returns true for errors in how a driver is called, which a retry cannot fix. */
const isDefect = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;

/** Creates the failure for a database that does not respond. */
export const unavailableFailure = (reason = 'The database cannot be reached at the moment. Try again.'): Failure =>
  new Failure('unavailable', reason, { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });

/** Translates errors of a database driver and logs outages. */
export type ConnectionMonitor = {
  /**
   * Maps an error of a driver: a Failure if the database is unavailable, the error itself if the statement is wrong.
   * An error without SQLSTATE comes from the connection.
   */
  translate(error: unknown): unknown;
  /** Reports that the database responded. */
  reportResponse(): void;
};

/** Creates a monitor that logs once when the database becomes unreachable and once when it is back. */
export const createConnectionMonitor = (log: Log): ConnectionMonitor => {
  let loggedAt = -Infinity;
  let isDown = false;
  return {
    translate(error) {
      if (error instanceof Failure || isDefect(error)) return error;
      const state = sqlState(error);
      if (state !== undefined && !UNAVAILABLE_STATES.test(state)) return error;
      isDown = true;
      if (performance.now() - loggedAt > LOG_INTERVAL_MS) {
        loggedAt = performance.now();
        log.error({ err: error }, 'the database cannot be reached');
      }
      return unavailableFailure();
    },
    reportResponse() {
      if (!isDown) return;
      isDown = false;
      loggedAt = -Infinity;
      log.info('the database responds again');
    },
  };
};
