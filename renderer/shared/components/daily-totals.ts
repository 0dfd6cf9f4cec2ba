import type { AccessLogDay } from '../api/contract.ts';

export interface DailyTotals {
  /** UTC day such as `2026-03-01`. */
  day: string;
  records: number;
  calls: number;
  refused: number;
}

const DAY_MS = 86_400_000;

/**
 * Returns the totals of the last `days` days, including today, of the principals for which `includes` returns true. A
 * day without access by these principals has zeros.
 */
export function totalsByDay(
  rows: readonly AccessLogDay[],
  days: number,
  includes: (principal: AccessLogDay['who']) => boolean,
  now: Date = new Date(),
): DailyTotals[] {
  const totals = new Map<string, DailyTotals>();
  for (let daysAgo = days - 1; daysAgo >= 0; daysAgo -= 1) {
    const day = new Date(now.getTime() - daysAgo * DAY_MS).toISOString().slice(0, 10);
    totals.set(day, { day, records: 0, calls: 0, refused: 0 });
  }
  for (const row of rows) {
    const day = totals.get(row.day);
    if (day === undefined || !includes(row.who)) continue;
    day.records += row.records;
    day.calls += row.calls;
    day.refused += row.refused;
  }
  return [...totals.values()];
}

export function sumTotals(days: readonly DailyTotals[]): Omit<DailyTotals, 'day'> {
  return days.reduce(
    (sum, day) => ({
      records: sum.records + day.records,
      calls: sum.calls + day.calls,
      refused: sum.refused + day.refused,
    }),
    { records: 0, calls: 0, refused: 0 },
  );
}

export const createApplicationFilter =
  (id: string) =>
  ({ kind, name }: AccessLogDay['who']): boolean =>
    kind === 'application' && name.toLowerCase() === id.toLowerCase();
