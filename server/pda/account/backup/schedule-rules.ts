import { backoffMsOf } from '../../../platform/async/backoff.ts';
import type { BackupInterval, BackupStatus } from '../../../wire/backup.ts';

/* Rules for due and outdated backups. All times are Unix milliseconds. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const BACKUP_INTERVAL_MS: Record<BackupInterval, number> = {
  off: Number.POSITIVE_INFINITY,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};
/** Manual backups are expected once a month. */
const MAX_AGE_MS: Record<BackupInterval, number> = {
  off: 30 * DAY_MS,
  hour: 6 * HOUR_MS,
  day: 2 * DAY_MS,
  week: 10 * DAY_MS,
};
/** Short, because the owner may be connecting the disk. Each further failure doubles the delay. */
const FIRST_RETRY_MS = HOUR_MS / 4;
const MAX_RETRY_MS = 6 * HOUR_MS;
export const FULL_DRILL_INTERVAL_MS = 7 * DAY_MS;

/** Time of the last attempt, and number of failures since the last success. */
type BackupAttempt = { at: number; failures: number };

/**
 * Returns when the next backup is due; undefined if backups are only manual.
 * @param last time of the newest backup; undefined if there is none
 */
export const nextDue = (
  every: BackupInterval,
  last: number | undefined,
  attempt: BackupAttempt | undefined,
  now: number,
): number | undefined => {
  if (every === 'off') return undefined;
  // The clock was wrong if the newest backup is more than an hour in the future.
  const dueAt = last === undefined || last > now + HOUR_MS ? now : last + BACKUP_INTERVAL_MS[every];
  if (attempt === undefined || attempt.failures === 0) return dueAt;
  const longestMs = Math.min(MAX_RETRY_MS, BACKUP_INTERVAL_MS[every]);
  // No jitter is needed: unlike a server, a disk has few clients.
  const retryAt = attempt.at + backoffMsOf(attempt.failures, { firstMs: FIRST_RETRY_MS, longestMs, random: 1 });
  return attempt.at > now + HOUR_MS ? dueAt : Math.max(dueAt, retryAt);
};

export const isStale = (every: BackupInterval, last: number | undefined, now: number): boolean =>
  last === undefined || last > now + HOUR_MS || now - last > MAX_AGE_MS[every];

/** Damaged backups or records take precedence over an outdated backup. */
export const backupStatusOf = (
  every: BackupInterval,
  last: number | undefined,
  problem: 'backup' | 'drill' | 'records' | undefined,
  now: number,
): BackupStatus => {
  if (problem === 'drill' || problem === 'records') return 'damaged';
  if (last === undefined) return problem === undefined ? 'well' : 'never';
  return isStale(every, last, now) ? 'old' : 'well';
};
