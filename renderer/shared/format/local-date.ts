import { m } from '../messages/texts.ts';
import { day } from './format.ts';

// Calendar days in the browser's time zone.

const pad = (n: number, length = 2): string => String(n).padStart(length, '0');

/** Returns a day such as `2026-03-01`. */
export function localDate(moment: Date): string {
  return `${pad(moment.getFullYear(), 4)}-${pad(moment.getMonth() + 1)}-${pad(moment.getDate())}`;
}

/** Returns the current day. Components must not keep it in state, because a page can stay open past midnight. */
export const today = (): string => localDate(new Date());

/** Returns "Today", "Yesterday" or the date. @param date local calendar day such as `2026-03-01` */
export function dayHeading(date: string, now: Date): string {
  if (date === localDate(now)) return m.history.list.today;
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (date === localDate(yesterday)) return m.history.list.yesterday;
  const [year = 0, month = 1, dayOfMonth = 1] = date.split('-').map(Number);
  return day(new Date(year, month - 1, dayOfMonth, 12).toISOString());
}
