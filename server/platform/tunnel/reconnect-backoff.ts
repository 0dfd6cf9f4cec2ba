import { backoff } from '../async/backoff.ts';

/** Milliseconds until the first reconnect. */
const FIRST_MS = 500;
/**
 * Milliseconds for which an outage counts as a restart of the relay, and the longest delay during it, so that clients
 * are back within ten seconds.
 */
const RESTART_MS = 60_000;
const LONGEST_AT_FIRST_MS = 5000;
/** Longest delay. A relay that is down for an hour gets about thirty attempts from each PDA, at random times. */
export const MAX_DELAY_MS = 300_000;

/**
 * Returns the milliseconds until the next attempt to connect.
 * @param goneMs milliseconds since the connection was lost
 */
export const reconnectDelayMs = (failures: number, downMs: number, random: number): number =>
  backoff(failures, { firstMs: FIRST_MS, longestMs: downMs < RESTART_MS ? LONGEST_AT_FIRST_MS : MAX_DELAY_MS, random });

/**
 * Returns the milliseconds until a connection of a live session is reopened, so that a relay that drops every
 * connection causes little work.
 */
export const reopenDelayMs = (failures: number, random: number): number =>
  backoff(failures, { firstMs: 200, longestMs: 30_000, random });
