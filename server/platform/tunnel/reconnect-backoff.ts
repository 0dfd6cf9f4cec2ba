import { backoffMsOf } from '../async/backoff.ts';

const FIRST_DELAY_MS = 500;
/** A shorter outage counts as a restart of the relay, after which clients are back within ten seconds. */
const RELAY_RESTART_MAX_MS = 60_000;
const MAX_RESTART_DELAY_MS = 5000;
/** Longest delay. A relay that is down for an hour gets a few dozen attempts from each PDA, at random times. */
export const MAX_DELAY_MS = 300_000;

const FIRST_REOPEN_MS = 200;
const MAX_REOPEN_MS = 30_000;

export const reconnectDelayMs = (failures: number, downMs: number, random: number): number =>
  backoffMsOf(failures, {
    firstMs: FIRST_DELAY_MS,
    longestMs: downMs < RELAY_RESTART_MAX_MS ? MAX_RESTART_DELAY_MS : MAX_DELAY_MS,
    random,
  });

/**
 * Returns the delay before a closed connection is replaced. It grows with each failure, so that a relay that drops
 * every connection causes little work.
 */
export const reopenDelayMs = (failures: number, random: number): number =>
  backoffMsOf(failures, { firstMs: FIRST_REOPEN_MS, longestMs: MAX_REOPEN_MS, random });
