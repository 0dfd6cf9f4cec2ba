import { m } from '../../shared/messages/texts.ts';
import { type Timing, hasEnded, periodEnd, spanText, untilShort, untilText } from '../../shared/consent/timing-text.ts';

/** How long the owner allows it: as asked, or shorter and then it ends. Never longer than was asked. */

const words = m.requests.page;
const DAY_SECONDS = 86_400;
const SHORTER_PERIODS = [
  365 * DAY_SECONDS,
  180 * DAY_SECONDS,
  90 * DAY_SECONDS,
  30 * DAY_SECONDS,
  7 * DAY_SECONDS,
  DAY_SECONDS,
];

export interface DurationLimit {
  /** Seconds */
  period?: number;
  cancelAtPeriodEnd?: true;
}

interface LimitChoice {
  value: string;
  label: string;
  limit: DurationLimit;
}

export const AS_REQUESTED = 'asked';
export const CUSTOM_DAY = 'day';

export function withLimit(asked: Timing, limit: DurationLimit): Timing {
  return {
    start: asked.start,
    period: limit.period ?? asked.period,
    cancelAtPeriodEnd: limit.cancelAtPeriodEnd ?? asked.cancelAtPeriodEnd,
  };
}

const ending = (asked: Timing, period: number): DurationLimit => ({
  ...(period === asked.period ? {} : { period }),
  ...(asked.cancelAtPeriodEnd ? {} : { cancelAtPeriodEnd: true }),
});

/** Each choice says what comes of it. What would be over already is no choice. */
export function limitChoices(asked: Timing, now: Date): LimitChoice[] {
  const shorter = SHORTER_PERIODS.filter((period) => period < asked.period);
  const periods = asked.cancelAtPeriodEnd ? shorter : [asked.period, ...shorter];
  const choices = periods
    .map((period) => ({ period, timing: withLimit(asked, ending(asked, period)) }))
    .filter(({ timing }) => !hasEnded(timing, now))
    .map(({ period, timing }) => ({
      value: String(period),
      label: words.endsOn(m.consent.time.untilCapital(untilText(periodEnd(timing, now), now)), spanText(period)),
      limit: ending(asked, period),
    }));
  return [
    { value: AS_REQUESTED, label: words.asAsked(untilShort(asked, now)), limit: {} },
    ...choices,
    ...(lastDay(asked, now) === undefined ? [] : [{ value: CUSTOM_DAY, label: words.ownDay, limit: {} }]),
  ];
}

/** A calendar day as a date input has it, where one is. */
export function toCalendarDay(date: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The last whole day that can be chosen; undefined when there is none. */
export function lastDay(asked: Timing, now: Date): string | undefined {
  const end = new Date(Date.parse(asked.start) + asked.period * 1000);
  end.setDate(end.getDate() - 1);
  const last = toCalendarDay(end);
  return last >= firstDay(asked, now) ? last : undefined;
}

export function firstDay(asked: Timing, now: Date): string {
  return toCalendarDay(new Date(Math.max(now.getTime(), Date.parse(asked.start))));
}

/** Until the end of that day, where the owner is. */
export function limitToEndOf(day: string, asked: Timing): DurationLimit | undefined {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const end = new Date(year, month - 1, date + 1);
  const period = Math.floor((end.getTime() - Date.parse(asked.start)) / 1000);
  return Number.isSafeInteger(period) && period > 0 && period <= asked.period ? ending(asked, period) : undefined;
}
