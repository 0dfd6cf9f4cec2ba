import { m } from '../../messages/texts.ts';
import { type Timing, isOver, periodEnd, spanText, untilShort, untilText } from './time-words.ts';

/** How long the owner allows it: as asked, or shorter and then it ends. Never longer than was asked. */

const words = m.requests.page;
const DAY = 86_400;
const SHORTER = [365 * DAY, 180 * DAY, 90 * DAY, 30 * DAY, 7 * DAY, DAY];

export interface Limit {
  /** Seconds */
  period?: number;
  cancelAtPeriodEnd?: true;
}

interface LimitChoice {
  value: string;
  label: string;
  limit: Limit;
}

export const AS_ASKED_TIME = 'asked';
export const OWN_DAY = 'day';

export function withLimit(asked: Timing, limit: Limit): Timing {
  return {
    start: asked.start,
    period: limit.period ?? asked.period,
    cancelAtPeriodEnd: limit.cancelAtPeriodEnd ?? asked.cancelAtPeriodEnd,
  };
}

const ending = (asked: Timing, period: number): Limit => ({
  ...(period === asked.period ? {} : { period }),
  ...(asked.cancelAtPeriodEnd ? {} : { cancelAtPeriodEnd: true }),
});

/** Each choice says what comes of it. What would be over already is no choice. */
export function limitChoices(asked: Timing, now: Date): LimitChoice[] {
  const shorter = SHORTER.filter((period) => period < asked.period);
  const periods = asked.cancelAtPeriodEnd ? shorter : [asked.period, ...shorter];
  const choices = periods
    .map((period) => ({ period, timing: withLimit(asked, ending(asked, period)) }))
    .filter(({ timing }) => !isOver(timing, now))
    .map(({ period, timing }) => ({
      value: String(period),
      label: words.endsOn(m.consent.time.untilCapital(untilText(periodEnd(timing, now), now)), spanText(period)),
      limit: ending(asked, period),
    }));
  return [
    { value: AS_ASKED_TIME, label: words.asAsked(untilShort(asked, now)), limit: {} },
    ...choices,
    ...(lastDay(asked, now) === undefined ? [] : [{ value: OWN_DAY, label: words.ownDay, limit: {} }]),
  ];
}

/** A calendar day as a date input has it, where one is. */
export function calendar(date: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The last whole day that can be chosen; undefined when there is none. */
export function lastDay(asked: Timing, now: Date): string | undefined {
  const end = new Date(Date.parse(asked.start) + asked.period * 1000);
  end.setDate(end.getDate() - 1);
  const last = calendar(end);
  return last >= firstDay(asked, now) ? last : undefined;
}

export function firstDay(asked: Timing, now: Date): string {
  return calendar(new Date(Math.max(now.getTime(), Date.parse(asked.start))));
}

/** Until the end of that day, where the owner is. */
export function untilEndOf(day: string, asked: Timing): Limit | undefined {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const end = new Date(year, month - 1, date + 1);
  const period = Math.floor((end.getTime() - Date.parse(asked.start)) / 1000);
  return Number.isSafeInteger(period) && period > 0 && period <= asked.period ? ending(asked, period) : undefined;
}
