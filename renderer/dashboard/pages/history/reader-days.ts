import { isOtherPrincipal } from '../../../../server/wire/access-kinds.ts';
import type { AccessLogDay } from '../../../shared/api/contract.ts';
import { totalsByDay } from '../../../shared/components/daily-totals.ts';

interface ReaderSeries {
  /** Undefined for the sum of all other readers. */
  who: AccessLogDay['who'] | undefined;
  /** Requests per day, oldest first. */
  calls: number[];
}

export interface ReaderDays {
  /** UTC, oldest first. */
  days: string[];
  /** Most active readers first. */
  series: ReaderSeries[];
}

const MAX_READERS = 5;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

/**
 * Counts requests per day and reader. Omits the owner and the PDA. If there are more than `MAX_READERS` readers, the
 * last series sums the others.
 */
export function readerDaysOf(rows: readonly AccessLogDay[], dayCount: number, now: Date = new Date()): ReaderDays {
  const readers = new Map<string, AccessLogDay['who']>();
  for (const { who } of rows) if (isOtherPrincipal(who.kind)) readers.set(`${who.kind} ${who.name}`, who);
  const readersWithRequests = [...readers.values()].map((who) => ({
    who,
    calls: totalsByDay(rows, dayCount, ({ kind, name }) => kind === who.kind && name === who.name, now).map(
      ({ calls }) => calls,
    ),
  }));
  const rankedReaders = readersWithRequests
    .filter(({ calls }) => sum(calls) > 0)
    .toSorted((a, b) => sum(b.calls) - sum(a.calls));
  const topReaders = rankedReaders.slice(0, MAX_READERS);
  const otherReaders = rankedReaders.slice(MAX_READERS);
  const dates = totalsByDay([], dayCount, () => false, now).map(({ day }) => day);
  return {
    days: dates,
    series:
      otherReaders.length === 0
        ? topReaders
        : [
            ...topReaders,
            { who: undefined, calls: dates.map((_, index) => sum(otherReaders.map(({ calls }) => calls[index] ?? 0))) },
          ],
  };
}

export function countActiveDays({ days, series }: ReaderDays): number {
  return days.filter((_, index) => series.some(({ calls }) => (calls[index] ?? 0) > 0)).length;
}
