import { parseDate } from './iso-8601.ts';
import type { TimeFormat } from './fields.ts';

export type NumberTimeFormat = Extract<TimeFormat, 'seconds' | 'milliseconds' | 'year'>;
export type TextTimeFormat = Exclude<TimeFormat, NumberTimeFormat>;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const CLOCK = String.raw`(?:,?[ T]+(\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)?)?`;
const YEAR_MONTH_DAY = new RegExp(`^(\\d{4})/(\\d{1,2})/(\\d{1,2})${CLOCK}$`, 'u');
const TWO_NUMBERS_YEAR = new RegExp(`^(\\d{1,2})[/.](\\d{1,2})[/.](\\d{4})${CLOCK}$`, 'u');
const MONTH_DAY_YEAR = new RegExp(`^([A-Za-z]{3,9})\\.? (\\d{1,2}),? (\\d{4})${CLOCK}$`, 'u');
const DAY_MONTH_YEAR = new RegExp(`^(\\d{1,2})\\.? ([A-Za-z]{3,9})\\.?,? (\\d{4})${CLOCK}$`, 'u');

const monthNumberOf = (name: string): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

const pad = (value: string | number): string => String(value).padStart(2, '0');

const toText = (
  year: string,
  month: string | number,
  day: string,
  clock: readonly (string | undefined)[],
): string | undefined => {
  const [hours = '0', minutes = '00', seconds = '00'] = clock;
  const date = `${year}-${pad(month)}-${pad(day)}`;
  const time = `${pad(hours)}:${minutes}:${seconds}`;
  return parseDate(`${date}T${time}`) === undefined ? undefined : `${date} ${time}`;
};

const MAX_TIME_CHARS = 40;

/**
 * Returns `YYYY-MM-DD HH:MM:SS`; undefined if the text is not a valid time in the given format, or if the format is
 * `iso` or a format of numbers.
 */
export const normalizeTime = (text: string, format: TimeFormat): string | undefined => {
  if (text.length > MAX_TIME_CHARS) return undefined;
  switch (format) {
    case 'year-month-day': {
      const match = YEAR_MONTH_DAY.exec(text);
      if (match === null) return undefined;
      const [, year = '', month = '', day = '', ...clock] = match;
      return toText(year, month, day, clock);
    }
    case 'month-day':
    case 'day-month': {
      const match = TWO_NUMBERS_YEAR.exec(text);
      if (match === null) return undefined;
      const [, first = '', second = '', year = '', ...clock] = match;
      return format === 'month-day' ? toText(year, first, second, clock) : toText(year, second, first, clock);
    }
    case 'month-name': {
      const monthFirst = MONTH_DAY_YEAR.exec(text);
      if (monthFirst !== null) {
        const [, month = '', day = '', year = '', ...clock] = monthFirst;
        return toText(year, monthNumberOf(month), day, clock);
      }
      const dayFirst = DAY_MONTH_YEAR.exec(text);
      if (dayFirst === null) return undefined;
      const [, day = '', month = '', year = '', ...clock] = dayFirst;
      return toText(year, monthNumberOf(month), day, clock);
    }
    default:
      return undefined;
  }
};

/** `month-day` precedes `day-month`: a date that fits both is read in the American order. */
export const TEXT_TIME_FORMATS: readonly TextTimeFormat[] = [
  'iso',
  'year-month-day',
  'month-name',
  'month-day',
  'day-month',
];

export const fitsTimeFormat = (value: unknown, format: TextTimeFormat): boolean => {
  if (typeof value !== 'string') return false;
  // `parseDate` also accepts 20260301, which is more often a number.
  if (format === 'iso') return value.length >= 10 && value[4] === '-' && parseDate(value) !== undefined;
  return normalizeTime(value, format) !== undefined;
};

/** Returns the text formats with the number of values that do not fit each, the best format first. */
export const rankTimeFormats = (values: readonly unknown[]): { format: TextTimeFormat; exceptions: number }[] =>
  TEXT_TIME_FORMATS.map((format) => ({
    format,
    exceptions: values.filter((value) => !fitsTimeFormat(value, format)).length,
  })).toSorted((a, b) => a.exceptions - b.exceptions);
