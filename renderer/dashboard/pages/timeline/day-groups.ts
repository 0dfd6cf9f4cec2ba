import type { FeedEntry } from '../../../shared/api/contract.ts';
import { calendarDay, day } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { localDate } from '../../../shared/format/local-date.ts';

interface TimelineDay {
  /** Local date, `2026-03-01`. */
  date: string;
  label: string;
  entries: FeedEntry[];
}

const words = m.timeline;
/** Days within about half a year are shown with their weekday and without the year. */
const NEAR_DAYS_MS = 200 * 86_400_000;

/** Returns the time of an entry. Uses the Unix time because the PDA sorts by it. */
export function momentOf({ item }: FeedEntry): Date {
  return new Date(item.date.unix * 1000);
}

function dayLabel(date: string, moment: Date, now: Date): string {
  const dateAfter = (days: number) => localDate(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days));
  if (date === dateAfter(0)) return words.today;
  if (date === dateAfter(-1)) return words.yesterday;
  if (date === dateAfter(1)) return words.tomorrow;
  const isNear = Math.abs(now.getTime() - moment.getTime()) < NEAR_DAYS_MS;
  const text = isNear ? calendarDay(date) : day(moment.toISOString());
  return moment > now ? words.toCome(text) : text;
}

/** Groups entries by local calendar day, newest first. */
export function groupItemsByDay(entries: readonly FeedEntry[], now: Date = new Date()): TimelineDay[] {
  const days: TimelineDay[] = [];
  for (const entry of entries) {
    const moment = momentOf(entry);
    const date = localDate(moment);
    const last = days.at(-1);
    if (last?.date === date) last.entries.push(entry);
    else days.push({ date, label: dayLabel(date, moment, now), entries: [entry] });
  }
  return days;
}

/** Returns the last Unix second of a local calendar day; undefined for an invalid date. */
export function endOfDaySeconds(date: string): number | undefined {
  const [year = Number.NaN, month = Number.NaN, dayOfMonth = Number.NaN] = date.split('-').map(Number);
  const end = new Date(year, month - 1, dayOfMonth + 1).getTime();
  return Number.isNaN(end) ? undefined : Math.floor(end / 1000) - 1;
}
