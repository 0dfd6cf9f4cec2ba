/** Numbers of days, weeks and months in UTC whose newest backup is kept. */
export type Retention = { days: number; weeks: number; months: number };

const DAY_MS = 86_400_000;
/** Weeks begin on Mondays; 1 January 1970 was a Thursday. */
const weekOf = (ms: number): string => String(Math.floor((ms / DAY_MS + 3) / 7));
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

/**
 * Returns the backups to keep. Days, weeks and months without backups do not count, so that old backups are kept even
 * after a year without backups. The newest backup and all backups of the 24 hours before it are always kept. The newest
 * backup is the last one, even if the clock was ahead when an earlier one was made.
 * @param backups backups in the order in which they were made, with `created` in Unix milliseconds
 */
export const selectBackupsToKeep = <T extends { created: number }>(
  backups: readonly T[],
  { days, weeks, months }: Retention,
): Set<T> => {
  const newestFirst = backups.toReversed();
  const retainedBackups = new Set<T>();
  const newest = newestFirst[0];
  if (newest === undefined) return retainedBackups;
  for (const backup of newestFirst) if (Math.abs(newest.created - backup.created) < DAY_MS) retainedBackups.add(backup);
  for (const [count, periodOf] of [
    [days, dayOf],
    [weeks, weekOf],
    [months, monthOf],
  ] as const) {
    const periods = new Set<string>();
    for (const backup of newestFirst) {
      const period = periodOf(backup.created);
      if (periods.has(period)) continue;
      if (periods.size >= count) break;
      periods.add(period);
      retainedBackups.add(backup);
    }
  }
  return retainedBackups;
};
