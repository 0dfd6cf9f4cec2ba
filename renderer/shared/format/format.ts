import { FORMAT_WORDS } from './words.ts';
import { LANGUAGES, type Language, currentLanguage } from './languages.ts';

/** Narrow no-break space. As a digit separator it cannot be mistaken for a decimal separator in any locale. */
const NARROW_NBSP = '\u202F';
const NBSP = '\u00A0';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Significant decimal digits that a double preserves. */
const DOUBLE_DIGITS = 15;
/** Maximum number of decimals of an amount of money. Prices per unit can have more than two. */
const MONEY_MAX_DECIMALS = 4;
const CURRENCY_CODE = /^[A-Z]{3}$/u;

/** Distance from today within which `relativeTime`, `relativeTimeShort` and `dayNear` omit the year. */
const YEARLESS_DAYS = 200;
/** Tolerated difference between the clocks of the PDA and this device. Times up to this far ahead are "just now". */
const CLOCK_DIFFERENCE_MS = 5 * SECOND_MS;
const JUST_NOW_MS = 45 * SECOND_MS;
/** Maximum age of a time that is shown in minutes. */
const MINUTES_AGO_MS = 50 * MINUTE_MS;

const BYTE_UNITS = ['kB', 'MB', 'GB', 'TB'];

function formatGrouped(formatter: Intl.NumberFormat, value: number): string {
  let text = '';
  for (const part of formatter.formatToParts(value)) text += part.type === 'group' ? NARROW_NBSP : part.value;
  return text;
}

/** Returns the number of local days since the epoch. */
function dayNumber(date: Date): number {
  return Math.floor((date.getTime() - date.getTimezoneOffset() * MINUTE_MS) / DAY_MS);
}

type TimeUnit = 'year' | 'month' | 'week' | 'day' | 'hour' | 'minute' | 'second';

export interface Format {
  /** Rounded to a whole number: "1 234 567". */
  number: (value: number) => string;
  /** Number with its fraction: "1 234.5". Scientific notation for very large and very small numbers. */
  decimal: (value: number) => string;
  /** Amount with its currency, an ISO 4217 code: "€12.50". Only the number if the code is not three capitals. */
  money: (value: number, currency: string) => string;
  /** Number with its noun: `count(3, 'record', 'records')` is "3 records". */
  count: (value: number, one: string, other: string) => string;
  /** "12.3 MB", in decimal units (1 kB is 1000 bytes), as for disk sizes. */
  bytes: (value: number) => string;
  /** A share from 0 to 1 as "37%". Shows 100% only when complete. */
  percent: (share: number) => string;
  /** "14:05" */
  clockTime: (iso: string) => string;
  /** Relative time: "2 minutes ago", "today 14:05", "Tuesday 14:05", "3 March 14:05", "3 March 2024". */
  relativeTime: (iso: string, now?: Date) => string;
  /** Short relative time for a narrow column: "14:05" (today), "yesterday", "3 Mar", "3 Mar 2024". */
  relativeTimeShort: (iso: string, now?: Date) => string;
  /** "3 March 2024" */
  day: (iso: string) => string;
  /** "3 Mar 2024" */
  dayShort: (iso: string) => string;
  /** "3 March" within 200 days, otherwise "3 March 2024". */
  dayNear: (iso: string, now?: Date) => string;
  /** A day in words: "today", "yesterday", "tomorrow", "3 Mar 2024". */
  dayInWords: (date: Date, now?: Date) => string;
  /** A day in words with the time of day: "yesterday 14:05", "3 Mar 2024 14:05". */
  timeInWords: (date: Date, now?: Date) => string;
  /** Date and time of a clock without a time zone (`2024-03-01T12:34:56`): "1 March 2024 at 12:34". */
  wallClockTime: (local: string) => string;
  /** Date and time with seconds and the time zone. */
  exactTime: (iso: string) => string;
  /** A calendar day in UTC (`2026-03-01`): "Sun 1 March". */
  calendarDay: (isoDay: string) => string;
  /** "1 Mar" */
  calendarDayShort: (isoDay: string) => string;
  /** Weekday of a calendar day in UTC: "Mon". */
  weekdayShort: (isoDay: string) => string;
  /** A calendar month (`2026-03`): "March 2026". */
  monthOfYear: (isoMonth: string) => string;
  /** Name of a calendar month (`2026-03`): "Mar". */
  monthShort: (isoMonth: string) => string;
  /** Approximate duration: "40 seconds", "2 minutes", "3 hours", "5 days". */
  duration: (ms: number) => string;
  /** "6 hours" */
  unit: (value: number, unit: TimeUnit) => string;
  /** Compares names by the collation rules of the language, and numbers in them by value: "2" before "10". */
  compare: (a: string, b: string) => number;
}

export function createFormat(language: Language): Format {
  const { locale } = LANGUAGES[language];
  const texts = FORMAT_WORDS[language];
  const dateFormat = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options);

  const wholeNumbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const oneDecimal = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const decimals = new Intl.NumberFormat(locale, { maximumSignificantDigits: DOUBLE_DIGITS });
  const scientificNumbers = new Intl.NumberFormat(locale, {
    notation: 'scientific',
    maximumSignificantDigits: DOUBLE_DIGITS,
  });
  const amounts = new Intl.NumberFormat(locale, {
    minimumFractionDigits: 2,
    maximumFractionDigits: MONEY_MAX_DECIMALS,
  });
  const currencyFormats = new Map<string, Intl.NumberFormat>();
  const timeOfDay = dateFormat({ hour: '2-digit', minute: '2-digit' });
  const weekday = dateFormat({ weekday: 'long' });
  const dayAndMonth = dateFormat({ day: 'numeric', month: 'long' });
  const fullDay = dateFormat({ day: 'numeric', month: 'long', year: 'numeric' });
  const shortDay = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' });
  const shortDayAndMonth = dateFormat({ day: 'numeric', month: 'short' });
  const utcWeekday = dateFormat({ weekday: 'short', timeZone: 'UTC' });
  const utcDay = dateFormat({ weekday: 'short', day: 'numeric', month: 'long', timeZone: 'UTC' });
  const utcDayShort = dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' });
  const utcMonth = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' });
  const utcMonthShort = dateFormat({ month: 'short', timeZone: 'UTC' });
  const utcDayAndTime = dateFormat({ dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const dateAndTime = dateFormat({
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
  const plurals = new Intl.PluralRules(locale);
  const collator = new Intl.Collator(locale, { numeric: true });

  const number = (value: number): string => formatGrouped(wholeNumbers, value);
  const count = (value: number, one: string, other: string): string =>
    `${number(value)}${NBSP}${plurals.select(value) === 'one' ? one : other}`;

  const currencyFormat = (currency: string): Intl.NumberFormat => {
    const existing = currencyFormats.get(currency);
    if (existing !== undefined) return existing;
    const newFormat = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      maximumFractionDigits: MONEY_MAX_DECIMALS,
    });
    currencyFormats.set(currency, newFormat);
    return newFormat;
  };
  const dayInWords = (date: Date, now = new Date()): string => {
    const days = dayNumber(now) - dayNumber(date);
    if (days === 0) return texts.today;
    if (days === 1) return texts.yesterday;
    return days === -1 ? texts.tomorrow : shortDay.format(date);
  };

  return {
    number,
    decimal(value) {
      const magnitude = Math.abs(value);
      return formatGrouped(
        magnitude !== 0 && (magnitude >= 1e15 || magnitude < 1e-6) ? scientificNumbers : decimals,
        value,
      );
    },
    money: (value, currency) => formatGrouped(CURRENCY_CODE.test(currency) ? currencyFormat(currency) : amounts, value),
    count,
    bytes(value) {
      if (value < 999.5) return count(value, ...texts.byte);
      let unit = 0;
      let scaledValue = value / 1000;
      while (scaledValue >= 999.5 && unit < BYTE_UNITS.length - 1) {
        scaledValue /= 1000;
        unit += 1;
      }
      return `${formatGrouped(scaledValue >= 99.95 ? wholeNumbers : oneDecimal, scaledValue)}${NBSP}${BYTE_UNITS[unit]}`;
    },
    // Rounded first, because 0.29 * 100 is less than 29.
    percent: (share) => texts.percent(share >= 1 ? 100 : Math.min(99, Math.floor(Number((share * 100).toFixed(6))))),
    clockTime: (iso) => timeOfDay.format(new Date(iso)),
    relativeTime(iso, now = new Date()) {
      const date = new Date(iso);
      const ageMs = now.getTime() - date.getTime();
      const days = dayNumber(now) - dayNumber(date);
      const time = timeOfDay.format(date);
      if (ageMs > -CLOCK_DIFFERENCE_MS && ageMs < JUST_NOW_MS) return texts.justNow;
      if (ageMs >= 0 && ageMs < MINUTES_AGO_MS)
        return texts.ago(count(Math.max(1, Math.round(ageMs / MINUTE_MS)), ...texts.minute));
      if (days === 0) return `${texts.today}${NBSP}${time}`;
      if (days === 1) return `${texts.yesterday}${NBSP}${time}`;
      if (days === -1) return `${texts.tomorrow}${NBSP}${time}`;
      if (days > 1 && days < 7) return `${weekday.format(date)}${NBSP}${time}`;
      if (Math.abs(days) < YEARLESS_DAYS) return `${dayAndMonth.format(date)}${NBSP}${time}`;
      return fullDay.format(date);
    },
    relativeTimeShort(iso, now = new Date()) {
      const date = new Date(iso);
      const days = dayNumber(now) - dayNumber(date);
      if (days === 0) return timeOfDay.format(date);
      if (days === 1) return texts.yesterday;
      return (Math.abs(days) < YEARLESS_DAYS ? shortDayAndMonth : shortDay).format(date);
    },
    day: (iso) => fullDay.format(new Date(iso)),
    dayShort: (iso) => shortDay.format(new Date(iso)),
    dayNear(iso, now = new Date()) {
      const date = new Date(iso);
      return (Math.abs(dayNumber(now) - dayNumber(date)) < YEARLESS_DAYS ? dayAndMonth : fullDay).format(date);
    },
    dayInWords,
    timeInWords: (date, now) => `${dayInWords(date, now)}${NBSP}${timeOfDay.format(date)}`,
    wallClockTime: (local) => utcDayAndTime.format(new Date(`${local}Z`)),
    exactTime: (iso) => dateAndTime.format(new Date(iso)),
    calendarDay: (isoDay) => utcDay.format(new Date(`${isoDay}T00:00:00Z`)).replace(',', ''),
    weekdayShort: (isoDay) => utcWeekday.format(new Date(`${isoDay}T00:00:00Z`)),
    calendarDayShort: (isoDay) => utcDayShort.format(new Date(`${isoDay}T00:00:00Z`)),
    monthOfYear: (isoMonth) => utcMonth.format(new Date(`${isoMonth}-01T00:00:00Z`)),
    monthShort: (isoMonth) => utcMonthShort.format(new Date(`${isoMonth}-01T00:00:00Z`)),
    duration(ms) {
      if (ms < 60 * SECOND_MS) return count(Math.max(1, Math.round(ms / SECOND_MS)), ...texts.second);
      if (ms < 90 * MINUTE_MS) return count(Math.round(ms / MINUTE_MS), ...texts.minute);
      if (ms < 2 * DAY_MS) return count(Math.round(ms / HOUR_MS), ...texts.hour);
      return count(Math.round(ms / DAY_MS), ...texts.day);
    },
    unit: (value, unit) => new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value),
    compare: collator.compare,
  };
}

export const {
  number,
  decimal,
  money,
  count,
  bytes,
  percent,
  clockTime,
  relativeTime,
  relativeTimeShort,
  day,
  dayShort,
  dayNear,
  dayInWords,
  timeInWords,
  wallClockTime,
  exactTime,
  calendarDay,
  calendarDayShort,
  weekdayShort,
  monthOfYear,
  monthShort,
  duration,
  unit,
  compare,
}: Format = createFormat(currentLanguage());

export const timeZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone;
