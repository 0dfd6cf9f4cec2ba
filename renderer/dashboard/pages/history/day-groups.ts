import type { LedgerRow } from '../../../shared/api/contract.ts';
import { day } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';

interface EntryDay {
  /** Local date, `2026-03-01`. */
  date: string;
  label: string;
  rows: LedgerRow[];
}

const twoDigits = (n: number) => String(n).padStart(2, '0');

/** Returns the local calendar day of a time, `2026-03-01`. */
export function localDate(moment: Date): string {
  return `${moment.getFullYear()}-${twoDigits(moment.getMonth() + 1)}-${twoDigits(moment.getDate())}`;
}

function labelOfDay(date: string, moment: Date, now: Date): string {
  if (date === localDate(now)) return m.history.list.today;
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (date === localDate(yesterday)) return m.history.list.yesterday;
  return day(moment.toISOString());
}

/** Groups entries by local calendar day, newest first. */
export function groupEntriesByDay(rows: readonly LedgerRow[], now: Date = new Date()): EntryDay[] {
  const days: EntryDay[] = [];
  // Entries arrive in the order of writing, which can differ from the order of time: entries are aggregated, and the
  // clock can be changed.
  for (const row of rows.toSorted((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0))) {
    const moment = new Date(row.time);
    const date = localDate(moment);
    const last = days.at(-1);
    if (last?.date === date) last.rows.push(row);
    else days.push({ date, label: labelOfDay(date, moment, now), rows: [row] });
  }
  return days;
}
