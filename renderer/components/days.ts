import type { LedgerDay } from '../api/contract.ts';

/** What left on one day. */
export interface DayOfCalls {
  /** UTC, `2026-03-01`. */
  day: string;
  records: number;
  calls: number;
  refused: number;
}

const DAY_MS = 86_400_000;

/** The last days up to today, quiet ones too, of whoever is asked for. */
export function lastDays(
  rows: readonly LedgerDay[],
  days: number,
  wanted: (who: LedgerDay['who']) => boolean,
  now: Date = new Date(),
): DayOfCalls[] {
  const all = new Map<string, DayOfCalls>();
  for (let back = days - 1; back >= 0; back -= 1) {
    const day = new Date(now.getTime() - back * DAY_MS).toISOString().slice(0, 10);
    all.set(day, { day, records: 0, calls: 0, refused: 0 });
  }
  for (const row of rows) {
    const day = all.get(row.day);
    if (day === undefined || !wanted(row.who)) continue;
    day.records += row.records;
    day.calls += row.calls;
    day.refused += row.refused;
  }
  return [...all.values()];
}

export function sumOf(days: readonly DayOfCalls[]): Omit<DayOfCalls, 'day'> {
  return days.reduce(
    (sum, one) => ({
      records: sum.records + one.records,
      calls: sum.calls + one.calls,
      refused: sum.refused + one.refused,
    }),
    { records: 0, calls: 0, refused: 0 },
  );
}

export const ofApplication =
  (id: string) =>
  ({ kind, name }: LedgerDay['who']): boolean =>
    kind === 'application' && name.toLowerCase() === id.toLowerCase();
