import { backoff } from '../../../platform/async/backoff.ts';
import type { BackupEvery, BackupStatus } from '../../../wire/backup.ts';

/* Rules of when a backup is due, and when the newest backup is too old. All times are Unix milliseconds. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Interval of backups in milliseconds. */
export const BACKUP_INTERVAL_MS: Record<BackupEvery, number> = {
  off: Number.POSITIVE_INFINITY,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
};
/** Age in milliseconds from which a backup is too old. Manual backups are expected once a month. */
const MAX_AGE_MS: Record<BackupEvery, number> = { off: 30 * DAY, hour: 6 * HOUR, day: 2 * DAY, week: 10 * DAY };
/**
 * First retry after a failure. It is soon, because the owner may just be connecting the disk. Then the delay doubles.
 */
const FIRST_RETRY_MS = HOUR / 4;
const MAX_RETRY_MS = 6 * HOUR;
/** Interval of full restore drills. */
export const FULL_DRILL_INTERVAL_MS = 7 * DAY;

/** The last attempt, and the number of failures since the last success. */
export type BackupAttempt = { at: number; failures: number };

/**
 * Returns when the next backup is due; undefined if backups are off.
 * @param last time of the newest backup; undefined if there is none
 */
export const nextDue = (
  every: BackupEvery,
  last: number | undefined,
  attempt: BackupAttempt | undefined,
  now: number,
): number | undefined => {
  if (every === 'off') return undefined;
  // A backup that is dated in the future was made with a wrong clock.
  const due = last === undefined || last > now + HOUR ? now : last + BACKUP_INTERVAL_MS[every];
  if (attempt === undefined || attempt.failures === 0) return due;
  const longestMs = Math.min(MAX_RETRY_MS, BACKUP_INTERVAL_MS[every]);
  // Without jitter, because no other PDA uses this disk.
  const retry = attempt.at + backoff(attempt.failures, { firstMs: FIRST_RETRY_MS, longestMs, random: 1 });
  return attempt.at > now + HOUR ? due : Math.max(due, retry);
};

/** Returns true if the newest backup is too old or missing. */
export const isStale = (every: BackupEvery, last: number | undefined, now: number): boolean =>
  // The age of a backup that is dated in the future is unknown.
  last === undefined || last > now + HOUR || now - last > MAX_AGE_MS[every];

/**
 * Returns the status of the backups. A failed restore drill takes precedence over an outdated backup.
 * @param problem kind of the last failure, if there was one
 */
export const backupStatusOf = (
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
