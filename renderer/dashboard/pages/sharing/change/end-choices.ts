// Choices for the end of a changed permission. No choice is later than the requested end.

import { m } from '../../../../shared/messages/texts.ts';
import { type Timing, finalEnd, nearTimeText, spanText, untilText } from '../../../../shared/consent/timing-text.ts';
import { CUSTOM_DAY, earliestEnd, endOfCalendarDay, firstDay } from '../../../consent/duration.ts';

const texts = m.sharing.change;
const DAY_MS = 86_400_000;
const SHORTER_DURATION_DAYS = [7, 30, 90, 365];

export const REQUESTED_END = 'requested';
export const GRANTED_END = 'granted';

export interface EndChoice {
  value: string;
  label: string;
  /** ISO 8601; undefined for the requested end or renewal, and for `CUSTOM_DAY` until a day is selected. */
  end?: string;
}

/** @param grantedEnd end as the owner last granted it (ISO 8601); null if the permission renews */
export function endChoices(requested: Timing, grantedEnd: string | null, now: Date): [EndChoice, ...EndChoice[]] {
  const latestMs = finalEnd(requested);
  const grantedMs = grantedEnd === null ? Number.NaN : Date.parse(grantedEnd);
  const formatUntil = (time: number): string => m.consent.time.untilCapitalised(nearTimeText(new Date(time), now));
  const shorterChoices = SHORTER_DURATION_DAYS.map((days) => ({ days, time: now.getTime() + days * DAY_MS }))
    .filter(({ time }) => time > Date.parse(requested.start) && time < latestMs)
    .map(({ days, time }) => ({
      value: String(days),
      label: m.requests.page.endsOn(formatUntil(time), spanText((days * DAY_MS) / 1000)),
      end: new Date(time).toISOString(),
    }));
  return [
    { value: REQUESTED_END, label: m.requests.page.asRequested(untilText(requested, now)) },
    ...(grantedMs > now.getTime() && grantedMs < latestMs
      ? [{ value: GRANTED_END, label: texts.asGranted(formatUntil(grantedMs)), end: new Date(grantedMs).toISOString() }]
      : []),
    ...shorterChoices,
    ...(customEndChoice(firstDay(requested, now), requested, now) === undefined
      ? []
      : [{ value: CUSTOM_DAY, label: m.requests.page.customDay }]),
  ];
}

/** Returns the choice to end after a local day such as `2026-03-01`; undefined if invalid, too early or too late. */
export function customEndChoice(day: string, requested: Timing, now: Date): EndChoice | undefined {
  const end = endOfCalendarDay(day).getTime();
  return end > earliestEnd(requested, now) && end <= finalEnd(requested)
    ? { value: CUSTOM_DAY, label: m.requests.page.customDay, end: new Date(end).toISOString() }
    : undefined;
}
