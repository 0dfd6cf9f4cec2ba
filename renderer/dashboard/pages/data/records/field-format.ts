import { withoutBidiControls } from '../../../../../server/wire/isolation.ts';
import {
  COLOUR_TEXT,
  EMAIL_TEXT,
  isOwnPicture,
  LINK_TEXT,
  NUMBER_TEXT,
} from '../../../../../server/wire/value-patterns.ts';
import { isObject } from '../../../../../server/wire/values.ts';
import type { Field } from '../../../../shared/api/contract.ts';
import { type Format, createFormat } from '../../../../shared/format/format.ts';
import { type Language, currentLanguage } from '../../../../shared/format/languages.ts';
import type { Localised } from '../../../../shared/messages/localised.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { timeOfValue } from './field-time.ts';
import { formatDuration } from './field-duration.ts';

// Values that do not match their field's type are shown as plain text, or summarised if they are lists or objects.

export type ValueType = Pick<Field, 'path' | 'type' | 'unit' | 'timeFormat' | 'colour'>;
type ValueTexts = Localised<typeof m.data.values>;

export interface FormattedValue {
  text: string;
  /**
   * `inner`: an object or a list, which the text only summarises; `exception`: a value that does not match its field's
   * type.
   */
  kind: 'plain' | 'empty' | 'number' | 'link' | 'email' | 'colour' | 'inner' | 'exception';
  /** Tooltip: the value in more detail, or why the value is an exception. */
  title?: string;
  url?: string;
}

const NBSP = '\u00A0';
/** Numbers that are shown as written: with leading zeros, or with more digits than a double always preserves. */
const CODE_TEXT = /^[+-]?0\d|\d{16}/u;
/** Names of numeric fields that are identifiers. Their digits are not grouped. */
const IDENTIFIER_NAME = /(?:^|[^a-z])(?:ids?|zip|postcode|code|phone|account|isbn|year)$/u;
const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  '1': true,
  false: false,
  no: false,
  '0': false,
};
/** Longer strings are tested only for an embedded picture. */
const TYPED_TEXT_MAX_CHARS = 2000;
const GEOMETRY_TYPE_MAX_CHARS = 40;

/** Returns the digits of an integer outside the safe range, which is parsed as raw JSON; undefined for other values. */
const rawNumberOf = (value: unknown): string | undefined =>
  isObject(value) && typeof value['rawJSON'] === 'string' ? value['rawJSON'] : undefined;

/** Returns false for raw JSON, which is an object but represents a number. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !('rawJSON' in value);
}

/** Returns a string unchanged, an empty string for null or undefined, and any other value as JSON. */
export function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : (rawNumberOf(value) ?? JSON.stringify(value));
}

/** Does not split a surrogate pair. */
export function truncateText(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/u, '')}…`;
}

/** Keeps four decimals; below 1, six significant digits; from 1e9, all digits. */
function roundForDisplay(value: number): number {
  const size = Math.abs(value);
  if (size < 1) return Number(value.toPrecision(6));
  return size < 1e9 ? Math.round(value * 1e4) / 1e4 : value;
}

const isIdentifier = (path: string): boolean =>
  IDENTIFIER_NAME.test(path.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2').toLowerCase());

export function createFieldFormat(language: Language, texts: ValueTexts) {
  const format: Format = createFormat(language);

  const withUnit = (text: string, unit: string): string => {
    if (unit === '') return text;
    return unit === '°' || (unit === '%' && language === 'en') ? text + unit : text + NBSP + unit;
  };

  const coordinate = (value: number, [positive, negative]: readonly [string, string]): string =>
    `${format.decimal(Math.round(Math.abs(value) * 1e5) / 1e5)}°${NBSP}${value < 0 ? negative : positive}`;
  const latitude = (value: number): string => coordinate(value, [texts.north, texts.south]);
  const longitude = (value: number): string => coordinate(value, [texts.east, texts.west]);

  const formatNumber = (value: number, field: ValueType): string | undefined => {
    switch (field.type) {
      case 'money':
        return /^[A-Z]{3}$/u.test(field.unit)
          ? format.money(value, field.unit)
          : withUnit(format.money(value, ''), field.unit);
      case 'duration':
        return formatDuration(value, field.unit, format, texts) ?? withUnit(format.decimal(value), field.unit);
      case 'latitude':
        return Math.abs(value) <= 90 ? latitude(value) : undefined;
      case 'longitude':
        return Math.abs(value) <= 180 ? longitude(value) : undefined;
      default:
        return isIdentifier(field.path) && Number.isInteger(value)
          ? String(value)
          : format.decimal(roundForDisplay(value));
    }
  };

  const formatNumberValue = (value: unknown, field: ValueType): FormattedValue | undefined => {
    const exactText = rawNumberOf(value) ?? (typeof value === 'string' ? value.trim() : undefined);
    if (
      exactText !== undefined &&
      (typeof value !== 'string' || NUMBER_TEXT.test(exactText)) &&
      CODE_TEXT.test(exactText)
    )
      return { text: exactText, kind: 'number' };
    const parsedNumber =
      exactText === undefined
        ? value
        : rawNumberOf(value) !== undefined || NUMBER_TEXT.test(exactText)
          ? Number(exactText)
          : undefined;
    if (typeof parsedNumber !== 'number' || !Number.isFinite(parsedNumber)) {
      const text =
        field.type === 'duration' && typeof value === 'string' ? formatDuration(value, '', format, texts) : undefined;
      return text === undefined ? undefined : { text, kind: 'number', title: withoutBidiControls(plainText(value)) };
    }
    const text = formatNumber(parsedNumber, field);
    if (text === undefined) return undefined;
    const isRounded =
      field.type === 'duration' || (field.type === 'number' && roundForDisplay(parsedNumber) !== parsedNumber);
    return isRounded
      ? { text, kind: 'number', title: withUnit(format.decimal(parsedNumber), field.unit) }
      : { text, kind: 'number' };
  };

  const formatTimeValue = (value: unknown, field: ValueType): FormattedValue | undefined => {
    const time = timeOfValue(value, field);
    if (time === undefined) return undefined;
    if ('year' in time) return { text: String(time.year), kind: 'plain' };
    const iso = time.date.toISOString();
    return time.hasClock
      ? { text: format.timeInWords(time.date), kind: 'plain', title: format.exactTime(iso) }
      : { text: format.dayInWords(time.date), kind: 'plain', title: format.day(iso) };
  };

  const formatGeoJson = (value: unknown): FormattedValue | undefined => {
    if (!isObject(value) || typeof value['type'] !== 'string') return undefined;
    const geometry = isObject(value['geometry']) ? value['geometry'] : value;
    const [east, north]: unknown[] =
      geometry['type'] === 'Point' && Array.isArray(geometry['coordinates']) ? geometry['coordinates'] : [];
    if (typeof east === 'number' && typeof north === 'number')
      return { text: `${latitude(north)}, ${longitude(east)}`, kind: 'plain' };
    return {
      text: truncateText(withoutBidiControls(String(geometry['type'])), GEOMETRY_TYPE_MAX_CHARS),
      kind: 'inner',
    };
  };

  const formatNestedValue = (value: unknown): FormattedValue | undefined => {
    if (Array.isArray(value)) return { text: texts.items(value.length), kind: 'inner' };
    if (!isObject(value) || rawNumberOf(value) !== undefined) return undefined;
    return { text: texts.members(Object.keys(value).length), kind: 'inner' };
  };

  const formatLink = (text: string): FormattedValue | undefined => {
    if (!LINK_TEXT.test(text) || !URL.canParse(text)) return undefined;
    return {
      text: withoutBidiControls(text)
        .replace(/^https?:\/\//iu, '')
        .replace(/\/$/u, ''),
      kind: 'link',
      url: text,
    };
  };

  const formatTypedText = (text: string, type: Field['type']): FormattedValue | undefined => {
    switch (type) {
      case 'link':
      case 'image':
        return formatLink(text);
      case 'email':
        return EMAIL_TEXT.test(text) ? { text: withoutBidiControls(text), kind: 'email' } : undefined;
      case 'colour':
        return COLOUR_TEXT.test(text) ? { text, kind: 'colour' } : undefined;
      default:
        return undefined;
    }
  };

  const formatBoolean = (value: unknown): FormattedValue | undefined => {
    const key = String(value).toLowerCase();
    const isYes = typeof value === 'object' || !Object.hasOwn(BOOLEANS, key) ? undefined : BOOLEANS[key];
    return isYes === undefined ? undefined : { text: isYes ? texts.yes : texts.no, kind: 'plain' };
  };

  /** Returns undefined for a value that does not match the type of its field. */
  const formatTypedValue = (value: unknown, field: ValueType): FormattedValue | undefined => {
    if (field.type === 'image' && isOwnPicture(value))
      return { text: withoutBidiControls(truncateText(value, TYPED_TEXT_MAX_CHARS)), kind: 'plain' };
    if (typeof value === 'string' && value.length > TYPED_TEXT_MAX_CHARS) return undefined;
    switch (field.type) {
      case 'number':
      case 'money':
      case 'duration':
      case 'latitude':
      case 'longitude':
        return formatNumberValue(value, field);
      case 'date':
      case 'dateTime':
        return formatTimeValue(value, field);
      case 'boolean':
        return formatBoolean(value);
      case 'list':
        return Array.isArray(value) ? formatNestedValue(value) : undefined;
      case 'object':
        return Array.isArray(value) ? undefined : formatNestedValue(value);
      case 'geoJson':
        return formatGeoJson(value);
      case 'text':
        return undefined;
      default:
        return typeof value === 'string' ? formatTypedText(value, field.type) : undefined;
    }
  };

  /** @param maxChars characters after which the value is truncated */
  return (value: unknown, field: ValueType, maxChars: number): FormattedValue => {
    if (value === undefined || value === null || value === '') return { text: '', kind: 'empty' };
    const typedValue = formatTypedValue(value, field);
    if (typedValue !== undefined) return { ...typedValue, text: truncateText(typedValue.text, maxChars) };
    const text = formatNestedValue(value)?.text ?? withoutBidiControls(truncateText(plainText(value), maxChars));
    if (field.type !== 'text' || formatNestedValue(value) !== undefined)
      return { text, kind: 'exception', title: texts.exception[field.type] };
    return { text, kind: 'plain' };
  };
}

export const formatField: ReturnType<typeof createFieldFormat> = createFieldFormat(currentLanguage(), m.data.values);
