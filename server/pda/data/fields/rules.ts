import { displayNameOf } from '../../../wire/display-name.ts';
import { COMPACT_DAY, MIN_UNIX_MILLISECONDS, YEAR_LIMIT } from '../../../wire/field-times.ts';
import type { Field, FieldType, TimeFormat } from '../../../wire/fields.ts';
import { MAX_FIELD_PATH_CHARS, MAX_FIELDS } from '../../../wire/limits.ts';
import {
  COLOUR_TEXT,
  EMAIL_TEXT,
  IMAGE_TEXT,
  isOwnPicture,
  LINK_TEXT,
  NUMBER_TEXT,
} from '../../../wire/value-patterns.ts';
import { isObject } from '../../../wire/values.ts';
import {
  fitsTimeFormat,
  rankTimeFormats,
  type NumberTimeFormat,
  type TextTimeFormat,
} from '../../../wire/time-formats.ts';

/** Share of a field's values that must have a type for the field to get this type. The other values are exceptions. */
const MIN_TYPE_SHARE = 0.9;

/** Maximum number of steps in the path of a field. */
const MAX_DEPTH = 3;

/** A nested object with more members is shown as one field. */
const MAX_MEMBERS = 12;

/** Dots and brackets separate the steps of a path. */
const PATH_STEP = /^[^.[\]]+$/u;

type InferredType = { type: FieldType; unit: string; timeFormat?: TimeFormat; exceptions: number };

const GEO_JSON_TYPES = new Set([
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
  'GeometryCollection',
  'Feature',
  'FeatureCollection',
]);

const isGeoJson = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['type'] === 'string' &&
  GEO_JSON_TYPES.has(value['type']) &&
  ('coordinates' in value || 'geometry' in value || 'features' in value || 'geometries' in value);

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * Returns the values of the first MAX_FIELDS fields, by path. Omits fields whose path is too long, and members of a
 * record whose names are empty or contain dots or brackets.
 */
export const collectValues = (records: readonly unknown[]): Map<string, unknown[]> => {
  const values = new Map<string, unknown[]>();
  const add = (path: string, value: unknown): void => {
    const list = values.get(path);
    if (list !== undefined) list.push(value);
    else if (values.size < MAX_FIELDS && path.length <= MAX_FIELD_PATH_CHARS) values.set(path, [value]);
  };
  const visit = (value: unknown, path: string, depth: number): void => {
    if (!isObject(value) || isGeoJson(value)) return add(path, value);
    const names = Object.keys(value);
    const isSmall = names.length > 0 && names.length <= MAX_MEMBERS;
    const isExpanded = isSmall && depth < MAX_DEPTH && names.every((name) => PATH_STEP.test(name));
    if (depth > 0 && !isExpanded) return add(path, value);
    for (const name of names) {
      if (PATH_STEP.test(name)) visit(value[name], path === '' ? name : `${path}.${name}`, depth + 1);
    }
  };
  for (const record of records) visit(record, '', 0);
  return values;
};

const BOOLEAN_TEXT = /^(?:true|false|yes|no)$/iu;
const ISO_DURATION =
  /^[+-]?P(?=[\dT])(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$/u;

/** Longer strings match no pattern of `TEXT_TYPES`. This limit bounds the backtracking of the patterns. */
const MAX_TYPED_TEXT_CHARS = 2000;

const matches =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    typeof value === 'string' && value.length <= MAX_TYPED_TEXT_CHARS && pattern.test(value);

const isImageLink = matches(IMAGE_TEXT);

/** Most specific types first. */
const TEXT_TYPES: readonly [FieldType, (value: unknown) => boolean][] = [
  ['boolean', matches(BOOLEAN_TEXT)],
  ['colour', matches(COLOUR_TEXT)],
  ['email', matches(EMAIL_TEXT)],
  ['image', (value) => isImageLink(value) || isOwnPicture(value)],
  ['link', matches(LINK_TEXT)],
  ['duration', matches(ISO_DURATION)],
];

/** A number with leading zeros is a code, such as a postcode. */
const CODE_TEXT = /^[+-]?0\d/u;
const isCode = (value: unknown): boolean => typeof value === 'string' && CODE_TEXT.test(value);

const TIME_OF_DAY_TEXT = /\d:\d\d/u;
const hasTimeOfDay = (value: unknown): boolean => typeof value === 'string' && TIME_OF_DAY_TEXT.test(value);

const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMBER_TEXT.test(value) ? Number(value) : undefined;
};

const TIME_NAME = /(?:^|[^a-z])(?:time|timestamp|date|created|updated|modified|start|end|at|when|ts)(?:$|[^a-z])/u;
const YEAR_NAME = /(?:^|[^a-z])year$/u;
const LATITUDE_NAME = /(?:^|[^a-z])lat(?:itude)?$/u;
const LONGITUDE_NAME = /(?:^|[^a-z])(?:lng|lon|long|longitude)$/u;
const MONEY_NAME =
  /(?:^|[^a-z])(?:price|amount|cost|costs|gross|budget|balance|salary|revenue|fee|fees|spent|paid)(?:$|[^a-z])/u;
const DURATION_NAME = /(?:^|[^a-z])(?:duration|seconds|minutes|hours|milliseconds|secs?|mins?|ms)$/u;

const DURATION_UNITS: Readonly<Record<string, string>> = {
  milliseconds: 'ms',
  ms: 'ms',
  seconds: 's',
  sec: 's',
  secs: 's',
  minutes: 'min',
  min: 'min',
  mins: 'min',
  hours: 'h',
};

/** Units of numbers by the last word of the field's name. */
const UNITS: Readonly<Record<string, string>> = {
  km: 'km',
  kilometers: 'km',
  kilometres: 'km',
  m: 'm',
  meters: 'm',
  metres: 'm',
  cm: 'cm',
  mm: 'mm',
  miles: 'mi',
  kg: 'kg',
  g: 'g',
  lbs: 'lb',
  bpm: 'bpm',
  kcal: 'kcal',
  calories: 'kcal',
  percent: '%',
  pct: '%',
  celsius: '°C',
  fahrenheit: '°F',
  kwh: 'kWh',
  watts: 'W',
  kmh: 'km/h',
};

/** Returns the last name of a path in lower case, split at capitals by underscores: `a.maxTemp` becomes `max_temp`. */
const lastName = (path: string): string =>
  path
    .slice(path.lastIndexOf('.') + 1)
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase();

const lastWord = (name: string): string => name.split(/[\s_-]+/u).at(-1) ?? '';

/** Lowest and highest values: Unix seconds and milliseconds from 1973 to 2096. */
const NUMBER_TIMES: readonly [NumberTimeFormat, number, number][] = [
  ['seconds', 1e8, 4e9],
  ['milliseconds', 1e11, 4e12],
];

type FieldContext = {
  /** Unit of amounts of money. */
  currency: string;
  /** True if `min` in the name means minimum, not minutes: another field has the same name with `max` instead. */
  isMinimum: boolean;
};

const inferNumber = (
  path: string,
  numbers: readonly number[],
  exceptions: number,
  { currency, isMinimum }: FieldContext,
): InferredType => {
  const name = lastName(path);
  const isWithin = (from: number, to: number): boolean => numbers.every((value) => value >= from && value <= to);
  if (LATITUDE_NAME.test(name) && isWithin(-90, 90)) return { type: 'latitude', unit: '°', exceptions };
  if (LONGITUDE_NAME.test(name) && isWithin(-180, 180)) return { type: 'longitude', unit: '°', exceptions };
  if (YEAR_NAME.test(name) && isWithin(1000, 2999) && numbers.every(Number.isInteger))
    return { type: 'date', unit: '', timeFormat: 'year', exceptions };
  if (TIME_NAME.test(name)) {
    const format = NUMBER_TIMES.find(([, from, to]) => isWithin(from, to));
    if (format !== undefined) return { type: 'dateTime', unit: '', timeFormat: format[0], exceptions };
  }
  if (DURATION_NAME.test(name) && !isMinimum)
    return { type: 'duration', unit: DURATION_UNITS[lastWord(name)] ?? 's', exceptions };
  if (MONEY_NAME.test(name)) return { type: 'money', unit: currency, exceptions };
  return { type: 'number', unit: UNITS[lastWord(name)] ?? '', exceptions };
};

type FieldValues = {
  presentValues: readonly unknown[];
  numbers: readonly number[];
  /** Returns the time formats of strings, sorted by the number of values that do not fit. */
  textTimeFormats: () => readonly { format: TextTimeFormat; exceptions: number }[];
};

const fieldValuesOf = (values: readonly unknown[]): FieldValues => {
  const presentValues = values.filter((value) => !isEmpty(value));
  let formats: ReturnType<FieldValues['textTimeFormats']> | undefined;
  return {
    presentValues,
    numbers: presentValues.map(numberOf).filter((value) => value !== undefined),
    textTimeFormats: () => (formats ??= rankTimeFormats(presentValues)),
  };
};

const inferType = (path: string, values: FieldValues, context: FieldContext): InferredType => {
  const { presentValues, numbers, textTimeFormats } = values;
  const minMatches = Math.ceil(presentValues.length * MIN_TYPE_SHARE);
  const countExceptions = (isOfType: (value: unknown) => boolean): number =>
    presentValues.filter((value) => !isOfType(value)).length;
  const matchType = (type: FieldType, isOfType: (value: unknown) => boolean): InferredType | undefined => {
    const exceptions = countExceptions(isOfType);
    return presentValues.length - exceptions >= minMatches ? { type, unit: '', exceptions } : undefined;
  };
  if (presentValues.length === 0) return { type: 'text', unit: '', exceptions: 0 };

  // A single code shows that the other values are not numbers either: most postcodes have no leading zero.
  if (numbers.length >= minMatches && !presentValues.some(isCode))
    return inferNumber(path, numbers, presentValues.length - numbers.length, context);

  const time = textTimeFormats().find(({ exceptions }) => presentValues.length - exceptions >= minMatches);
  if (time !== undefined) {
    const { format: timeFormat, exceptions } = time;
    const areTimes = presentValues.some((value) => hasTimeOfDay(value) && fitsTimeFormat(value, timeFormat));
    return { type: areTimes ? 'dateTime' : 'date', unit: '', timeFormat, exceptions };
  }
  for (const [type, isOfType] of TEXT_TYPES) {
    const inferredType = matchType(type, isOfType);
    if (inferredType !== undefined) return inferredType;
  }
  return (
    matchType('boolean', (value) => typeof value === 'boolean') ??
    matchType('geoJson', isGeoJson) ??
    matchType('list', Array.isArray) ??
    matchType('object', isObject) ?? {
      type: 'text',
      unit: '',
      exceptions: countExceptions((value) => typeof value === 'string'),
    }
  );
};

/**
 * Returns the most likely time format of a field; undefined if none fits. If at least half of the values are numbers,
 * these determine the format. Otherwise, it is the format that fits the most strings.
 */
const timeFormatOf = ({ presentValues, numbers, textTimeFormats }: FieldValues): TimeFormat | undefined => {
  if (numbers.length > 0 && numbers.length * 2 >= presentValues.length) {
    const atLeastHalf = (isOfFormat: (value: number) => boolean): boolean =>
      numbers.filter(isOfFormat).length * 2 >= numbers.length;
    if (atLeastHalf((value) => COMPACT_DAY.test(String(value)))) return 'iso';
    if (atLeastHalf((value) => Number.isInteger(value) && Math.abs(value) < YEAR_LIMIT)) return 'year';
    return atLeastHalf((value) => Math.abs(value) >= MIN_UNIX_MILLISECONDS) ? 'milliseconds' : 'seconds';
  }
  const [best] = textTimeFormats();
  return best === undefined || best.exceptions === presentValues.length ? undefined : best.format;
};

const CURRENCY_CODE = /^[A-Z]{3}$/u;

/** Returns the ISO 4217 code that is the only value of a field named `currency`; empty if there is none. */
const currencyOf = (values: ReadonlyMap<string, readonly unknown[]>): string => {
  for (const [path, list] of values) {
    if (lastName(path) !== 'currency') continue;
    const currencies = new Set(list.filter((value) => !isEmpty(value)));
    const [currency] = currencies;
    if (currencies.size === 1 && typeof currency === 'string' && CURRENCY_CODE.test(currency)) return currency;
  }
  return '';
};

const maximumPathOf = (path: string): string =>
  path.replace(/min$/iu, (word) => (word === 'min' ? 'max' : word === 'MIN' ? 'MAX' : 'Max'));

export type InferredField = {
  field: Field;
  /** Time format that applies if the owner corrects the type to a date or a time. */
  possibleTimeFormat: TimeFormat | undefined;
  /** Share of the records whose picture is stored in this PDA. Shown if the type is `image`. */
  ownPictures: number;
};

/** Infers the fields of sampled records one by one, in the order in which they first appear. */
export function* inferFields(records: readonly unknown[]): Generator<InferredField, void, undefined> {
  const values = collectValues(records);
  const currency = currencyOf(values);
  for (const [path, list] of values) {
    const fieldValues = fieldValuesOf(list);
    const { presentValues } = fieldValues;
    const isMinimum = /min$/iu.test(path) && values.has(maximumPathOf(path));
    const inferredType = inferType(path, fieldValues, { currency, isMinimum });
    const ownPictures = list.filter(isOwnPicture).length / records.length;
    const field: Field = {
      path,
      name: displayNameOf(path.slice(path.lastIndexOf('.') + 1)).trim() || 'Value',
      ...inferredType,
      filled: presentValues.length / records.length,
      distinct: new Set(presentValues.map((value) => JSON.stringify(value))).size,
      ...(inferredType.type === 'image' ? { ownPictures } : {}),
      corrected: false,
    };
    yield { field, possibleTimeFormat: timeFormatOf(fieldValues), ownPictures };
  }
}
