import type { LedgerRow } from '../../../shared/api/contract.ts';
import { day } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';

interface LedgerDayRows {
  /** Local date, `2026-03-01`. */
  date: string;
  label: string;
  rows: LedgerRow[];
}

const two = (n: number) => String(n).padStart(2, '0');

/** The calendar day that a moment falls on where the reader is. */
export function localDate(moment: Date): string {
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

function label(date: string, moment: Date, now: Date): string {
  if (date === localDate(now)) return m.history.list.today;
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (date === localDate(yesterday)) return m.history.list.yesterday;
  return day(moment.toISOString());
}

/** Rows, newest first, under the days that they belong to. */
export function groupEntriesByDay(rows: readonly LedgerRow[], now: Date = new Date()): LedgerDayRows[] {
  const days: LedgerDayRows[] = [];
  // Entries are numbered as they were written; what was counted together, or a clock that was set, has another time.
  for (const row of rows.toSorted((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0))) {
    const moment = new Date(row.time);
    const date = localDate(moment);
    const last = days.at(-1);
    if (last?.date === date) last.rows.push(row);
    else days.push({ date, label: label(date, moment, now), rows: [row] });
  }
  return days;
}
