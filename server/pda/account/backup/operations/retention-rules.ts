/** Which backups are kept. */

export type Retention = {
  /** Number of days with a backup of which the newest is kept; likewise for weeks and months. */
  days: number;
  weeks: number;
  months: number;
};

const DAY_MS = 86_400_000;
/** 1 January 1970 was a Thursday: weeks begin on Mondays. */
const weekOf = (ms: number): string => String(Math.floor((ms / DAY_MS + 3) / 7));
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

/**
 * Days, weeks and months are counted by the backups that there are, not from today: after a year without any, the old ones are still there. The newest always
 * stays, and all of the last day before it.
 * @param backups Unix milliseconds of each
 */
export const keptBackups = <T extends { created: number }>(
  backups: readonly T[],
  { days, weeks, months }: Retention,
): Set<T> => {
  const newestFirst = backups.toSorted((a, b) => b.created - a.created);
  const kept = new Set<T>();
  const newest = newestFirst[0];
  if (newest === undefined) return kept;
  for (const one of newestFirst) if (newest.created - one.created < DAY_MS) kept.add(one);
  for (const [count, of] of [
    [days, dayOf],
    [weeks, weekOf],
    [months, monthOf],
  ] as const) {
    const seen = new Set<string>();
    for (const one of newestFirst) {
      const when = of(one.created);
      if (seen.has(when)) continue;
      if (seen.size >= count) break;
      seen.add(when);
      kept.add(one);
    }
  }
  return kept;
};
