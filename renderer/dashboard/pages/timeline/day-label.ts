import { calendarDay, day } from '../../../shared/format/format.ts';
import { localDate } from '../../../shared/format/local-date.ts';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.timeline;
/** Within about half a year, days are shown with their weekday and without the year. */
const NEAR_DAYS_MS = 200 * 86_400_000;

/** Returns "Today", "Yesterday", "Tomorrow" or the date. Adds "upcoming" to later dates. @param date as `2026-03-01` */
export function dayLabel(date: string, now: Date = new Date()): string {
  const dateAfter = (days: number) => localDate(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days));
  if (date === dateAfter(0)) return m.history.list.today;
  if (date === dateAfter(-1)) return m.history.list.yesterday;
  if (date === dateAfter(1)) return texts.tomorrow;
  const noon = new Date(`${date}T12:00`);
  const isNear = Math.abs(now.getTime() - noon.getTime()) < NEAR_DAYS_MS;
  const text = isNear ? calendarDay(date) : day(noon.toISOString());
  return noon > now ? texts.upcoming(text) : text;
}
