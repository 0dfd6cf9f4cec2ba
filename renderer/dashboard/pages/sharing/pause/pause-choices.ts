import { localDate } from '../../../../shared/format/local-date.ts';
import { nearTimeText } from '../../../../shared/consent/timing-text.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { CUSTOM_DAY, endOfCalendarDay, lastFullDay } from '../../../consent/duration.ts';

const DAY_MS = 86_400_000;
const PAUSE_DAYS = [1, 7, 30];

/** Possible end of a pause, always before the consent's end. */
interface PauseChoice {
  value: string;
  label: string;
  /** ISO 8601. */
  until: string;
}

/**
 * Returns the choice to resume after a local day such as `2026-03-01`; undefined if the day is invalid or has ended, or
 * if it does not end before the consent ends.
 */
export function customPauseChoice(day: string, end: string | null, now: Date): PauseChoice | undefined {
  const time = endOfCalendarDay(day).getTime();
  const isPossible = time > now.getTime() && (end === null || time < Date.parse(end));
  return isPossible
    ? { value: CUSTOM_DAY, label: m.requests.page.customDay, until: new Date(time).toISOString() }
    : undefined;
}

/** Returns the last local day that ends before the consent's end (ISO 8601); undefined without an end. */
export function lastPauseDay(end: string | null): string | undefined {
  return end === null ? undefined : lastFullDay(Date.parse(end) - 1);
}

/**
 * Returns the choices for the end of a pause; empty if the consent ends too soon.
 * @param end end of the consent (ISO 8601); null if it has none
 */
export function pauseChoices(end: string | null, now: Date): PauseChoice[] {
  const latestMs = end === null ? Number.POSITIVE_INFINITY : Date.parse(end);
  const choices = PAUSE_DAYS.map((days) => ({ days, time: now.getTime() + days * DAY_MS }))
    .filter(({ time }) => time < latestMs)
    .map(({ days, time }) => ({
      value: String(days),
      label: m.sharing.pause.choice(days, nearTimeText(new Date(time), now)),
      until: new Date(time).toISOString(),
    }));
  const customChoice = customPauseChoice(localDate(now), end, now);
  return customChoice === undefined ? choices : [...choices, customChoice];
}
