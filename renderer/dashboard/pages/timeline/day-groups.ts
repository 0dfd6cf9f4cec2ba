import type { FeedEntry } from '../../../shared/api/contract.ts';
import { calendarDay, day } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { localDate } from '../history/day-groups.ts';

interface TimelineDay {
  /** Local date, `2026-03-01`. */
  date: string;
  label: string;
  entries: FeedEntry[];
}

const words = m.timeline;
/** Milliseconds. Days of about this half a year are called by their weekday, and need no year. */
const NEAR = 200 * 86_400_000;

/** When it was. The number counts: it is what the PDA orders by. */
export function momentOf({ item }: FeedEntry): Date {
  return new Date(item.date.unix * 1000);
}

function label(date: string, moment: Date, now: Date): string {
  const near = (days: number) => localDate(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days));
  if (date === near(0)) return words.today;
  if (date === near(-1)) return words.yesterday;
  if (date === near(1)) return words.tomorrow;
  const isNear = Math.abs(now.getTime() - moment.getTime()) < NEAR;
  const text = isNear ? calendarDay(date) : day(moment.toISOString());
  return moment > now ? words.toCome(text) : text;
}

/** Entries, newest first, under the days that they belong to where the reader is. */
export function groupItemsByDay(entries: readonly FeedEntry[], now: Date = new Date()): TimelineDay[] {
  const days: TimelineDay[] = [];
  for (const entry of entries) {
    const moment = momentOf(entry);
    const date = localDate(moment);
    const last = days.at(-1);
    if (last?.date === date) last.entries.push(entry);
    else days.push({ date, label: label(date, moment, now), entries: [entry] });
  }
  return days;
}

/** Unix seconds of the end of a calendar day where the reader is. */
export function endOf(date: string): number | undefined {
  const [year = Number.NaN, month = Number.NaN, dayOfMonth = Number.NaN] = date.split('-').map(Number);
  const end = new Date(year, month - 1, dayOfMonth + 1).getTime();
  return Number.isNaN(end) ? undefined : Math.floor(end / 1000) - 1;
}
