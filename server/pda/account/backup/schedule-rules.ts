import { backoff } from '../../../platform/async/backoff.ts';
import type { BackupEvery, BackupStatus } from '../../../wire/backup.ts';

/** When a backup is due, and when the newest is older than it should be. Unix milliseconds. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const INTERVAL: Record<BackupEvery, number> = {
  off: Number.POSITIVE_INFINITY,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
};
/** By hand, once a month is often enough not to be asked about it. */
const TOO_OLD: Record<BackupEvery, number> = { off: 30 * DAY, hour: 6 * HOUR, day: 2 * DAY, week: 10 * DAY };
/** After a failure: soon, since a disk is perhaps just being connected, and less and less often. */
const FIRST_RETRY = HOUR / 4;
const LAST_RETRY = 6 * HOUR;
export const WHOLE_DRILL_EVERY = 7 * DAY;

export type Run = { at: number; failures: number };

/** @param last when the newest backup was made; undefined: there is none @param tried the last try */
export const nextDue = (
  every: BackupEvery,
  last: number | undefined,
  tried: Run | undefined,
  now: number,
): number | undefined => {
  if (every === 'off') return undefined;
  // One that was made in the future was made by a clock that was wrong.
  const due = last === undefined || last > now + HOUR ? now : last + INTERVAL[every];
  if (tried === undefined || tried.failures === 0) return due;
  const longestMs = Math.min(LAST_RETRY, INTERVAL[every]);
  // Without jitter: the disk is this PDA's alone.
  const retry = tried.at + backoff(tried.failures, { firstMs: FIRST_RETRY, longestMs, random: 1 });
  return tried.at > now + HOUR ? due : Math.max(due, retry);
};

export const isStale = (every: BackupEvery, last: number | undefined, now: number): boolean =>
  // The age of a backup that is dated in the future is unknown.
  last === undefined || last > now + HOUR || now - last > TOO_OLD[every];

/**
 * Whether backups are to be relied on, in one word. The worst is said: one that does not come back before one that is old.
 * @param problem what was wrong at the last try, if anything was
 */
export const standOf = (
  {
    every,
    last,
    problem,
  }: { every: BackupEvery; last: number | undefined; problem: 'backup' | 'drill' | 'records' | undefined },
  now: number,
): BackupStatus => {
  if (problem === 'drill' || problem === 'records') return 'damaged';
  if (last === undefined) return problem === undefined ? 'well' : 'never';
  return isStale(every, last, now) ? 'old' : 'well';
};
