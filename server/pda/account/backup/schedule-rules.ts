import { backoff } from '../../../platform/async/backoff.ts';
import type { BackupInterval, BackupStatus } from '../../../wire/backup.ts';

/* Decides when a backup is due and when the newest backup is too old. All times are Unix milliseconds. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Time between two scheduled backups. */
export const BACKUP_INTERVAL_MS: Record<BackupInterval, number> = {
  off: Number.POSITIVE_INFINITY,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};
/** Age above which the newest backup is too old. Manual backups are expected once a month. */
const MAX_AGE_MS: Record<BackupInterval, number> = {
  off: 30 * DAY_MS,
  hour: 6 * HOUR_MS,
  day: 2 * DAY_MS,
  week: 10 * DAY_MS,
};
/**
 * Delay of the first retry after a failure. It is short, because the owner may be connecting the disk. Each further
 * failure doubles the delay.
 */
const FIRST_RETRY_MS = HOUR_MS / 4;
const MAX_RETRY_MS = 6 * HOUR_MS;
/** Time between two full restore drills. */
export const FULL_DRILL_INTERVAL_MS = 7 * DAY_MS;

/** Time of the last attempt in Unix milliseconds, and the number of failures since the last success. */
export type BackupAttempt = { at: number; failures: number };

/**
 * Returns the time at which the next backup is due; undefined if backups are off.
 * @param last time of the newest backup; undefined if there is none
 */
export const nextDue = (
  every: BackupInterval,
  last: number | undefined,
  attempt: BackupAttempt | undefined,
  now: number,
): number | undefined => {
  if (every === 'off') return undefined;
  // A date in the future means that the clock was wrong.
  const due = last === undefined || last > now + HOUR_MS ? now : last + BACKUP_INTERVAL_MS[every];
  if (attempt === undefined || attempt.failures === 0) return due;
  const longestMs = Math.min(MAX_RETRY_MS, BACKUP_INTERVAL_MS[every]);
  // No jitter is needed, because only this PDA uses the disk.
  const retry = attempt.at + backoff(attempt.failures, { firstMs: FIRST_RETRY_MS, longestMs, random: 1 });
  return attempt.at > now + HOUR_MS ? due : Math.max(due, retry);
};

/** Returns true if the newest backup is too old or missing. */
export const isStale = (every: BackupInterval, last: number | undefined, now: number): boolean =>
  // If the date of a backup is in the future, its age is unknown.
  last === undefined || last > now + HOUR_MS || now - last > MAX_AGE_MS[every];

/**
 * Returns the status of the backups. A failed restore drill takes precedence over an outdated backup.
 * @param problem kind of the last failure, if there was one
 */
export const backupStatusOf = (
  {
    every,
    last,
    problem,
  }: { every: BackupInterval; last: number | undefined; problem: 'backup' | 'drill' | 'records' | undefined },
  now: number,
): BackupStatus => {
  if (problem === 'drill' || problem === 'records') return 'damaged';
  if (last === undefined) return problem === undefined ? 'well' : 'never';
  return isStale(every, last, now) ? 'old' : 'well';
};
