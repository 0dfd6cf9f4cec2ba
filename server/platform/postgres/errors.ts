import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';

/** Time after which clients may retry: a restarting database is available again within seconds. */
const RETRY_AFTER_SECONDS = 2;

const LOG_INTERVAL_MS = 5000;

/** SQLSTATEs of conflicts between transactions (serialization failure, deadlock). The transaction can be retried. */
const RETRYABLE_STATES: ReadonlySet<string> = new Set(['40001', '40P01']);

/**
 * SQLSTATEs of an unavailable server, as opposed to an invalid statement: connection (08), resources (53), shutdown or
 * cancelled statement (57), operating system (58), unknown outcome of a commit, lock timeout, transaction timeouts, and
 * a primary that became a standby.
 */
const UNAVAILABLE_STATES = /^(?:08|53|57|58|40003$|55P03$|25P0[34]$|25006$)/u;

/** Returns the SQLSTATE of an error of either driver. Node's errors also have a code, but no severity. */
export const sqlState = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
};

/** Returns true for the error of a text with U+0000, which PostgreSQL cannot store: an error of the client. */
export const isUnstorableText = (error: unknown): boolean => sqlState(error) === '22021';

export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === '23505';

/** Includes deadlocks. */
export const isSerializationFailure = (error: unknown): boolean => RETRYABLE_STATES.has(sqlState(error) ?? '');

const isDefect = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;

export const unavailableFailure = (reason = 'The database is unavailable at the moment. Try again.'): Failure =>
  new Failure('unavailable', reason, { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } });

export type ConnectionMonitor = {
  /**
   * Returns Failure `unavailable` if the error means that the database is unavailable, and logs the outage. Returns any
   * other error unchanged. Errors without an SQLSTATE come from the connection, except defects of this program.
   */
  translate(error: unknown): unknown;
  reportResponse(): void;
};

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
        log.error({ err: error }, 'the database is unavailable');
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
