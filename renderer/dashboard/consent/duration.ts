import { localDate } from '../../shared/format/local-date.ts';
import { m } from '../../shared/messages/texts.ts';
import {
  type Timing,
  hasEnded,
  nearTimeText,
  periodEnd,
  spanText,
  untilText,
} from '../../shared/consent/timing-text.ts';

// Duration of a permission: as requested, or without renewal and no longer than requested.

const texts = m.requests.page;
const DAY_SECONDS = 86_400;
const SHORTER_PERIODS_SECONDS = [
  365 * DAY_SECONDS,
  180 * DAY_SECONDS,
  90 * DAY_SECONDS,
  30 * DAY_SECONDS,
  7 * DAY_SECONDS,
  DAY_SECONDS,
];

export interface DurationLimit {
  /** In seconds. */
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

export function withLimit(requested: Timing, limit: DurationLimit): Timing {
  return {
    start: requested.start,
    period: limit.period ?? requested.period,
    cancelAtPeriodEnd: limit.cancelAtPeriodEnd ?? requested.cancelAtPeriodEnd,
  };
}

const limitToPeriod = (requested: Timing, period: number): DurationLimit => ({
  ...(period === requested.period ? {} : { period }),
  ...(requested.cancelAtPeriodEnd ? {} : { cancelAtPeriodEnd: true }),
});

/** Returns the durations to choose from, labelled with their ends. Omits ends in the past, except the requested end. */
export function limitChoices(requested: Timing, now: Date): LimitChoice[] {
  const shorterPeriods = SHORTER_PERIODS_SECONDS.filter((period) => period < requested.period);
  const periods = requested.cancelAtPeriodEnd ? shorterPeriods : [requested.period, ...shorterPeriods];
  const choices = periods
    .map((period) => ({ period, timing: withLimit(requested, limitToPeriod(requested, period)) }))
    .filter(({ timing }) => !hasEnded(timing, now))
    .map(({ period, timing }) => ({
      value: String(period),
      label: texts.endsOn(m.consent.time.untilCapitalised(nearTimeText(periodEnd(timing, now), now)), spanText(period)),
      limit: limitToPeriod(requested, period),
    }));
  return [
    { value: AS_REQUESTED, label: texts.asRequested(untilText(requested, now)), limit: {} },
    ...choices,
    ...(limitToEndOf(firstDay(requested, now), requested, now) === undefined
      ? []
      : [{ value: CUSTOM_DAY, label: texts.customDay, limit: {} }]),
  ];
}

/** Returns the midnight at which a local day, such as `2026-03-01`, ends. */
export function endOfCalendarDay(day: string): Date {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return new Date(year, month - 1, date + 1);
}

/**
 * Returns the last local day, such as `2026-03-01`, that ends no later than a time.
 * @param end Unix milliseconds, or infinity, for which there is no last day
 */
export function lastFullDay(end: number): string | undefined {
  if (end === Number.POSITIVE_INFINITY) return undefined;
  const endDate = new Date(end);
  return localDate(new Date(endDate.getFullYear(), endDate.getMonth(), endDate.getDate() - 1));
}

/** Returns Unix milliseconds: now, or the permission's start if that is later. */
export function earliestEnd({ start }: Timing, now: Date): number {
  return Math.max(now.getTime(), Date.parse(start));
}

/** Returns the local day of the earliest end, such as `2026-03-01`. */
export function firstDay(requested: Timing, now: Date): string {
  return localDate(new Date(earliestEnd(requested, now)));
}

/** Returns undefined for a day that is invalid, has ended or is outside the requested duration. */
export function limitToEndOf(day: string, requested: Timing, now: Date): DurationLimit | undefined {
  const end = endOfCalendarDay(day).getTime();
  const period = Math.floor((end - Date.parse(requested.start)) / 1000);
  return Number.isSafeInteger(period) && end > earliestEnd(requested, now) && period <= requested.period
    ? limitToPeriod(requested, period)
    : undefined;
}
