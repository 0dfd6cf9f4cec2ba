import { m } from '../../../../shared/messages/texts.ts';
import { type Timing, spanText, untilShort, untilText } from '../../../../shared/consent/timing-text.ts';
import { toCalendarDay } from '../../../consent/duration.ts';

/** End that the owner can choose for a permission: never later than requested. */

const words = m.sharing.change;
const DAY_MS = 86_400_000;
const SHORTER_DAYS = [7, 30, 90, 365];

export const REQUESTED_END = 'requested';
export const GRANTED_END = 'granted';
export const CHOSEN_DAY = 'day';

export interface EndChoice {
  value: string;
  label: string;
  /** ISO 8601; undefined: ends or renews as requested. */
  end?: string;
}

/** Returns the requested end in Unix milliseconds; infinity if the request renews. */
export function requestedEnd({ start, period, cancelAtPeriodEnd }: Timing): number {
  return cancelAtPeriodEnd ? Date.parse(start) + period * 1000 : Number.POSITIVE_INFINITY;
}

/**
 * Lists the ends that the owner can choose.
 * @param grantedEnd ISO 8601 end of the current permission; null if it renews
 */
export function endChoices(requested: Timing, grantedEnd: string | null, now: Date): EndChoice[] {
  const latest = requestedEnd(requested);
  const granted = grantedEnd === null ? Number.NaN : Date.parse(grantedEnd);
  const until = (time: number): string => m.consent.time.untilCapital(untilText(new Date(time), now));
  const shorter = SHORTER_DAYS.map((days) => ({ days, time: now.getTime() + days * DAY_MS }))
    .filter(({ time }) => time < latest)
    .map(({ days, time }) => ({
      value: String(days),
      label: m.requests.page.endsOn(until(time), spanText(days * 86_400)),
      end: new Date(time).toISOString(),
    }));
  return [
    { value: REQUESTED_END, label: m.requests.page.asRequested(untilShort(requested, now)) },
    ...(granted > now.getTime() && granted < latest
      ? [{ value: GRANTED_END, label: words.asGranted(until(granted)), end: new Date(granted).toISOString() }]
      : []),
    ...shorter,
    ...(endOfDay(toCalendarDay(now), requested, now) === undefined
      ? []
      : [{ value: CHOSEN_DAY, label: m.requests.page.customDay }]),
  ];
}

/** Returns the end of a local calendar day (`2026-03-01`) as ISO 8601; undefined outside the requested duration. */
export function endOfDay(day: string, requested: Timing, now: Date): string | undefined {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const end = new Date(year, month - 1, date + 1).getTime();
  return end > now.getTime() && end <= requestedEnd(requested) ? new Date(end).toISOString() : undefined;
}

/** Returns the last calendar day that can be chosen; undefined if the request renews. */
export function lastEndDay(requested: Timing): string | undefined {
  const latest = requestedEnd(requested);
  return latest === Number.POSITIVE_INFINITY ? undefined : toCalendarDay(new Date(latest - DAY_MS));
}
