import { expect, it } from 'vitest';
import { MAX_TIMELINE_MONTHS } from '../../../wire/limits.ts';
import { createMonthSums } from './months.ts';

const counts = (days: readonly string[], items: number) => new Map(days.map((day) => [day, { items }]));

it('adds up sources by month, newest first, and counts each day once', () => {
  const sums = createMonthSums();
  sums.add(counts(['2026-03-01', '2026-03-31', '0000-01-01'], 2));
  sums.add(counts(['2026-03-31', '9999-12-31'], 5));
  expect(sums.summarise()).toEqual({
    months: [
      { month: '9999-12', days: 1, items: 5 },
      { month: '2026-03', days: 2, items: 9 },
      { month: '0000-01', days: 1, items: 2 },
    ],
    earlier: 0,
  });
});

it('counts the items of months beyond the limit', () => {
  const months = Array.from({ length: MAX_TIMELINE_MONTHS + 2 }, (_, n) => {
    const year = String(1700 + Math.floor(n / 12)).padStart(4, '0');
    return `${year}-${String((n % 12) + 1).padStart(2, '0')}-15`;
  });
  const sums = createMonthSums();
  sums.add(counts(months, 3));
  const { months: newestMonths, earlier } = sums.summarise();
  expect([newestMonths.length, newestMonths.at(-1)?.month, earlier]).toEqual([MAX_TIMELINE_MONTHS, '1700-03', 6]);
});
