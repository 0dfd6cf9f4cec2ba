import {
  fitsTimeFormat,
  normalizeTime,
  TEXT_TIME_FORMATS,
  type TextTimeFormat,
} from '../../../../wire/time-formats.ts';
import type { ColumnChoice } from '../../../../wire/imports.ts';

/**
 * Type of a column's values. `number`: with an optional decimal point, and optionally commas as thousands separators;
 * `decimal-comma`: with a decimal comma, and optionally points, spaces or apostrophes as thousands separators; a time
 * format: dates and times in this format. `empty`: all cells of the sample are empty; later cells are stored as
 * strings.
 */
export type ColumnType = 'integer' | 'number' | 'decimal-comma' | 'boolean' | 'empty' | 'text' | TextTimeFormat;

type ConvertedType = ColumnType | Exclude<ColumnChoice, 'skip'>;

/**
 * Integers of up to 15 digits, which every JSON parser reads exactly. Longer digit sequences, and those with leading
 * zeros, are identifiers such as account numbers and stay text unless the owner chose a different type.
 */
const INTEGER = /^-?(?:0|[1-9]\d{0,14})$/;
const DECIMAL = /^-?(?:0|[1-9]\d{0,14})?(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const GROUPED_BY_COMMAS = /^-?(?:[1-9]\d{0,2}(?:,\d{3}){1,4}|0|[1-9]\d{0,14})?(?:\.\d+)?$/;
const DECIMAL_COMMA = /^-?(?:[1-9]\d{0,2}(?:[. \u00a0\u202f'’]\d{3}){1,4}|0|[1-9]\d{0,14})?(?:,\d+)?$/;
const GROUP_SEPARATORS = /[. \u00a0\u202f'’]/g;
const HAS_DIGIT = /\d/;
const BOOLEAN = /^(?:true|false)$/i;

/** Notations of numbers and booleans that are accepted if the owner has chosen the type. */
const LENIENT_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const LENIENT_TRUE = new Set(['true', 'yes', 't', 'y', '1']);
const LENIENT_FALSE = new Set(['false', 'no', 'f', 'n', '0']);
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Dates with slashes, in which the month may come first. In dates with points, the day always comes first. */
const SLASHED_DATE = /^\d{1,2}\/\d{1,2}\//;
const TIME_OF_DAY = /\d:\d\d/;

const isDecimal = (cell: string): boolean =>
  DECIMAL.test(cell) && HAS_DIGIT.test(cell) && Number.isFinite(Number(cell));
const isGroupedByCommas = (cell: string): boolean => GROUPED_BY_COMMAS.test(cell) && HAS_DIGIT.test(cell);
const isDecimalComma = (cell: string): boolean => DECIMAL_COMMA.test(cell) && HAS_DIGIT.test(cell);

/**
 * Returns the type that fits all non-empty cells; `text` if none fits or their notation is ambiguous, and `empty` if
 * all cells are empty.
 */
export function guessColumnType(cells: Iterable<string>): ColumnType {
  const values = Array.from(cells, (cell) => cell.trim()).filter((cell) => cell !== '');
  if (values.length === 0) return 'empty';
  if (values.every((value) => INTEGER.test(value))) return 'integer';
  if (values.every(isDecimal)) return 'number';
  if (values.every((value) => BOOLEAN.test(value))) return 'boolean';
  return guessNumberNotation(values) ?? guessTimeFormat(values) ?? 'text';
}

/**
 * Guesses whether commas in numbers separate thousands (`number`) or decimals (`decimal-comma`); undefined if neither
 * fits all values, or if both do: a column of numbers such as "1,234" stays text.
 */
function guessNumberNotation(values: readonly string[]): 'number' | 'decimal-comma' | undefined {
  const areGrouped = values.every(isGroupedByCommas);
  // Grouped digits without a decimal comma are more often codes than numbers, for example postcodes such as "110 001".
  const haveDecimalComma = values.every(isDecimalComma) && values.some((value) => value.includes(','));
  if (areGrouped === haveDecimalComma) return undefined;
  return areGrouped ? 'number' : 'decimal-comma';
}

/**
 * Guesses the format of dates and times; undefined unless exactly one fits: a column of dates such as "3/4/2026", which
 * could be day-first or month-first, stays text.
 */
function guessTimeFormat(values: readonly string[]): TextTimeFormat | undefined {
  const isTime = (value: string, format: TextTimeFormat): boolean =>
    fitsTimeFormat(value, format) && (format !== 'month-day' || SLASHED_DATE.test(value));
  const formats = TEXT_TIME_FORMATS.filter((format) => values.every((value) => isTime(value, format)));
  return formats.length === 1 ? formats[0] : undefined;
}

/**
 * Converts the text of a non-empty value to JSON. A text that does not fit the type of its column becomes a JSON
 * string: a single "n/a" among a million numbers is kept and does not fail the import.
 * @param isChosen true if the owner chose the type, which allows more notations
 */
export function jsonOfText(text: string, type: ConvertedType, isChosen: boolean): string {
  if (type === 'text' || type === 'empty') return JSON.stringify(text);
  return convertText(text.trim(), type, isChosen) ?? JSON.stringify(text);
}

function convertText(
  text: string,
  type: Exclude<ConvertedType, 'text' | 'empty'>,
  isChosen: boolean,
): string | undefined {
  if (type === 'boolean') return booleanOf(text, isChosen);
  if (type === 'integer' || type === 'number') return numberOf(text, isChosen);
  if (type === 'decimal-comma')
    return isDecimalComma(text)
      ? numberOf(text.replaceAll(GROUP_SEPARATORS, '').replace(',', '.'), isChosen)
      : undefined;
  if (type === 'iso') return fitsTimeFormat(text, type) ? JSON.stringify(text) : undefined;
  const time = normalizeTime(text, type);
  if (time === undefined) return undefined;
  return JSON.stringify(TIME_OF_DAY.test(text) ? time.replace(' ', 'T') : time.slice(0, 'YYYY-MM-DD'.length));
}

function booleanOf(text: string, isChosen: boolean): string | undefined {
  const lower = text.toLowerCase();
  if (!isChosen) return BOOLEAN.test(text) ? lower : undefined;
  if (LENIENT_TRUE.has(lower)) return 'true';
  return LENIENT_FALSE.has(lower) ? 'false' : undefined;
}

/**
 * Returns a number in JSON notation; undefined if the text is not a number. Keeps digits, so that 1.50 stays 1.50,
 * except in lenient notations such as `+5` and `007`.
 */
function numberOf(text: string, isChosen: boolean): string | undefined {
  const digits = isGroupedByCommas(text) ? text.replaceAll(',', '') : text;
  if (isDecimal(digits)) return digits.replace(/^-?(?=\.)/, (sign) => `${sign}0`);
  if (!isChosen || !LENIENT_NUMBER.test(digits) || !Number.isFinite(Number(digits))) return undefined;
  return JSON_NUMBER.test(digits) ? digits : String(Number(digits));
}
