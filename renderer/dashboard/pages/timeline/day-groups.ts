import type { FeedEntry, FeedPage, OwnerFile } from '../../../shared/api/contract.ts';
import { calendarDay, day } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { localDate } from '../../../shared/format/local-date.ts';

interface TimelineDay {
  /** Local date, `2026-03-01`. */
  date: string;
  label: string;
  entries: FeedEntry[];
  /** Pictures taken on this day, the last one first. */
  pictures: OwnerFile[];
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

/** Returns the time when a picture was taken, in Unix milliseconds; undefined if it is unknown. */
const takenAt = ({ picture }: OwnerFile): number | undefined => picture?.taken?.time;

/**
 * Returns the Unix milliseconds down to which entries and pictures are complete: both lists are loaded page by page.
 * @param next start of the next page of entries; null if all are loaded
 */
export function completeDownTo(
  next: FeedPage['next'] | undefined,
  pictures: { loaded: readonly OwnerFile[]; hasMore: boolean },
): { entries: number; pictures: number } {
  const last = pictures.loaded.at(-1);
  return {
    entries: next == null ? -Infinity : next.until * 1000,
    pictures: pictures.hasMore ? ((last && takenAt(last)) ?? Infinity) : -Infinity,
  };
}

/**
 * Groups entries and pictures by local calendar day, newest first.
 * @param earliest Unix milliseconds; earlier entries and pictures are left out
 */
export function groupItemsByDay(
  entries: readonly FeedEntry[],
  pictures: readonly OwnerFile[] = [],
  earliest: number = -Infinity,
  now: Date = new Date(),
): TimelineDay[] {
  const days = new Map<string, TimelineDay>();
  const dayOf = (moment: Date): TimelineDay => {
    const date = localDate(moment);
    const day = days.get(date) ?? { date, label: dayLabel(date, moment, now), entries: [], pictures: [] };
    days.set(date, day);
    return day;
  };
  for (const entry of entries) if (momentOf(entry).getTime() >= earliest) dayOf(momentOf(entry)).entries.push(entry);
  for (const picture of pictures) {
    const at = takenAt(picture);
    if (at !== undefined && at >= earliest) dayOf(new Date(at)).pictures.push(picture);
  }
  return [...days.values()].toSorted((a, b) => (a.date < b.date ? 1 : -1));
}

/** Returns the last Unix second of a local calendar day; undefined for an invalid date. */
export function endOfDaySeconds(date: string): number | undefined {
  const [year = Number.NaN, month = Number.NaN, dayOfMonth = Number.NaN] = date.split('-').map(Number);
  const end = new Date(year, month - 1, dayOfMonth + 1).getTime();
  return Number.isNaN(end) ? undefined : Math.floor(end / 1000) - 1;
}
