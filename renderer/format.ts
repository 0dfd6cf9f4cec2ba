/** Every date, number and size that a person reads goes through here. */

const LOCALE = 'en-GB';
/** Narrow no-break space: groups digits without looking like a decimal sign in any country. */
const THIN = '\u202F';
const NBSP = '\u00A0';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const wholeNumbers = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const oneDecimal = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });
const timeOfDay = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: 'long' });
const dayAndMonth = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long' });
const fullDay = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long', year: 'numeric' });
const shortDay = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' });
const shortDayThisYear = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });
const utcDay = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', day: 'numeric', month: 'long', timeZone: 'UTC' });
const utcDayShort = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const absolute = new Intl.DateTimeFormat(LOCALE, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const plurals = new Intl.PluralRules(LOCALE);

function thin(formatter: Intl.NumberFormat, value: number): string {
  let text = '';
  for (const part of formatter.formatToParts(value)) text += part.type === 'group' ? THIN : part.value;
  return text;
}

/** 1 234 567 */
export function number(value: number): string {
  return thin(wholeNumbers, value);
}

/** The number and its word: `count(3, 'record', 'records')` is "3 records". */
export function count(value: number, one: string, other: string): string {
  return `${number(value)}${NBSP}${plurals.select(value) === 'one' ? one : other}`;
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** 12.3 MB, in powers of ten, as disks are sold. */
export function bytes(value: number): string {
  if (value === 1) return `1${NBSP}byte`;
  let unit = 0;
  let rest = value;
  while (rest >= 999.5 && unit < UNITS.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || rest >= 99.95 ? wholeNumbers : oneDecimal;
  return `${thin(digits, rest)}${NBSP}${UNITS[unit]}`;
}

/** A share from 0 to 1 as "37%". Only what is finished shows 100%. */
export function percent(share: number): string {
  return `${share >= 1 ? 100 : Math.min(99, Math.floor(share * 100))}%`;
}

function dayNumber(date: Date): number {
  return Math.floor((date.getTime() - date.getTimezoneOffset() * MINUTE) / DAY);
}

/** 14:05 */
export function clockTime(iso: string): string {
  return timeOfDay.format(new Date(iso));
}

/** In words near now: "2 minutes ago", "today 14:05", "yesterday 14:05", "Tuesday 14:05", "3 March 14:05", "3 March 2024". */
export function when(iso: string, now: Date = new Date()): string {
  const date = new Date(iso);
  const past = now.getTime() - date.getTime();
  const days = dayNumber(now) - dayNumber(date);
  const time = timeOfDay.format(date);
  if (past >= 0 && past < 45 * SECOND) return 'just now';
  if (past >= 0 && past < 50 * MINUTE)
    return `${count(Math.max(1, Math.round(past / MINUTE)), 'minute', 'minutes')} ago`;
  if (days === 0) return `today${NBSP}${time}`;
  if (days === 1) return `yesterday${NBSP}${time}`;
  if (days === -1) return `tomorrow${NBSP}${time}`;
  if (days > 1 && days < 7) return `${weekday.format(date)}${NBSP}${time}`;
  if (Math.abs(days) < 200) return `${dayAndMonth.format(date)}${NBSP}${time}`;
  return fullDay.format(date);
}

/** The same for a narrow column: "14:05", "yesterday", "3 Mar", "3 Mar 2024". */
export function whenShort(iso: string, now: Date = new Date()): string {
  const date = new Date(iso);
  const days = dayNumber(now) - dayNumber(date);
  if (days === 0) return timeOfDay.format(date);
  if (days === 1) return 'yesterday';
  return (Math.abs(days) < 200 ? shortDayThisYear : shortDay).format(date);
}

/** "3 March 2024" */
export function day(iso: string): string {
  return fullDay.format(new Date(iso));
}

/** "3 March" when it is near, "3 March 2024" when it is not. */
export function dayNear(iso: string, now: Date = new Date()): string {
  const date = new Date(iso);
  return (Math.abs(dayNumber(now) - dayNumber(date)) < 200 ? dayAndMonth : fullDay).format(date);
}

/** Everything, with the time zone: for hovering. */
export function exact(iso: string): string {
  return absolute.format(new Date(iso));
}

/** A calendar day in UTC (`2026-03-01`): "Sun 1 March". */
export function calendarDay(isoDay: string): string {
  return utcDay.format(new Date(`${isoDay}T00:00:00Z`)).replace(',', '');
}

export function calendarDayShort(isoDay: string): string {
  return utcDayShort.format(new Date(`${isoDay}T00:00:00Z`));
}

/** How long something takes or lasts, roughly: "40 seconds", "2 minutes", "3 hours". */
export function duration(ms: number): string {
  if (ms < 60 * SECOND) return count(Math.max(1, Math.round(ms / SECOND)), 'second', 'seconds');
  if (ms < 90 * MINUTE) return count(Math.round(ms / MINUTE), 'minute', 'minutes');
  if (ms < 2 * DAY) return count(Math.round(ms / HOUR), 'hour', 'hours');
  return count(Math.round(ms / DAY), 'day', 'days');
}

export const timeZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone;
