import { backoff } from '../async/backoff.ts';

/** Milliseconds to the first new try after the relay is gone. */
const FIRST_MS = 500;
/** Milliseconds for which it is taken for a restart, and the longest wait in that time: who was there before is back within ten seconds. */
const RESTART_MS = 60_000;
const LONGEST_AT_FIRST_MS = 5000;
/** Milliseconds of the longest wait. A relay that is away for an hour is asked some thirty times, and not by all its PDAs at once. */
export const MAX_DELAY_MS = 300_000;

/** Milliseconds until the relay is tried again. @param goneMs since when it is gone */
export const reconnectDelayMs = (failures: number, goneMs: number, random: number): number =>
  backoff(failures, { firstMs: FIRST_MS, longestMs: goneMs < RESTART_MS ? LONGEST_AT_FIRST_MS : MAX_DELAY_MS, random });

/** The same for one connection of a session that is alive: a relay that drops each at once is not worked for. */
export const reopenDelayMs = (failures: number, random: number): number =>
  backoff(failures, { firstMs: 200, longestMs: 30_000, random });
