import { MAX_TIMELINE_MONTHS } from '../../../wire/limits.ts';
import type { Timeline } from '../../../wire/timeline.ts';

const YEARS = 10_000;
const MONTHS_PER_YEAR = 12;

export const createMonthSums = () => {
  // Indexed by months since the year 0. The lowest bit of an element of `days` stands for the first day of the month.
  const days = new Int32Array(YEARS * MONTHS_PER_YEAR);
  const items = new Float64Array(YEARS * MONTHS_PER_YEAR);
  return {
    /** @param counts number of items by day, such as `2026-03-01` */
    add(counts: ReadonlyMap<string, { items: number }>): void {
      for (const [day, count] of counts) {
        const index = Number(day.slice(0, 4)) * MONTHS_PER_YEAR + Number(day.slice(5, 7)) - 1;
        days[index] = (days[index] ?? 0) | (1 << (Number(day.slice(8, 10)) - 1));
        items[index] = (items[index] ?? 0) + count.items;
      }
    },

    /** Returns the latest MAX_TIMELINE_MONTHS months with items, newest first, and the number of earlier items. */
    summarise(): Pick<Timeline, 'months' | 'earlier'> {
      const months: Timeline['months'] = [];
      let earlier = 0;
      for (let index = items.length - 1; index >= 0; index -= 1) {
        const sum = items[index] ?? 0;
        if (sum === 0) continue;
        if (months.length === MAX_TIMELINE_MONTHS) {
          earlier += sum;
          continue;
        }
        const year = String(Math.floor(index / MONTHS_PER_YEAR)).padStart(4, '0');
        const month = String((index % MONTHS_PER_YEAR) + 1).padStart(2, '0');
        months.push({ month: `${year}-${month}`, days: countBits(days[index] ?? 0), items: sum });
      }
      return { months, earlier };
    },
  };
};

const countBits = (bits: number): number => {
  let count = 0;
  for (let remainingBits = bits; remainingBits !== 0; remainingBits &= remainingBits - 1) count += 1;
  return count;
};
