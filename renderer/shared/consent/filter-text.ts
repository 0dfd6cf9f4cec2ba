import type { DatePart, Filter } from '../../../server/wire/query.ts';
import { compareStrings, RANK, rankOf } from '../../../server/wire/value-order.ts';
import { exactTime, number } from '../format/format.ts';
import { m } from '../messages/texts.ts';
import { fieldName } from '../components/display-names.ts';

// Describes conditions on records as the PDA evaluates them: bounds are excluded, and parts of times are in UTC.

const texts = m.consent.filter;
const partTexts = m.consent.part;

const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}.*)?$/;
const VALUE_MAX_CHARS = 80;

function valueText(value: unknown): string {
  if (typeof value === 'string') return texts.quoted(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return number(value);
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (value === null) return texts.empty;
  const text = JSON.stringify(value);
  return text.length > VALUE_MAX_CHARS ? `${text.slice(0, VALUE_MAX_CHARS)}…` : text;
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

const orList = (values: readonly unknown[], format: (value: unknown) => string = valueText): string =>
  m.consent.either(values.map(format));

/** Returns true if no value is between the bounds. Does not compare two lists or two objects. */
function isEmptyRange(lower: unknown, upper: unknown): boolean {
  if (typeof lower === 'string' && typeof upper === 'string') return compareStrings(lower, upper) >= 0;
  if (typeof lower === 'number' && typeof upper === 'number') return lower >= upper;
  return rankOf(lower) > rankOf(upper) || lower === upper || (lower === false && upper === true);
}

/** Returns the range of the integers strictly between two bounds; undefined if a bound is not a number. */
function integersBetween(lower: unknown, upper: unknown): { from: number; to: number } | undefined {
  if (typeof lower !== 'number' || typeof upper !== 'number') return undefined;
  return { from: Math.floor(lower) + 1, to: Math.ceil(upper) - 1 };
}

const formatClock = (hour: number, minute: string): string => `${String(hour).padStart(2, '0')}:${minute}`;
const isHour = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 23;

/** `isodow` counts from Monday, 1, to Sunday, 7; `dow` from Sunday, 0. */
const weekdayName = (name: DatePart, value: number): string | undefined => {
  if (name === 'isodow' && value === 0) return undefined;
  return partTexts.weekdays[name === 'isodow' && value === 7 ? 0 : value];
};
const monthName = (value: number): string | undefined => partTexts.months[value - 1];

/** Returns the names of the integers, joined by "or"; undefined if one of the integers has no name. */
function namesOfRange(from: number, to: number, name: (value: number) => string | undefined): string | undefined {
  const names: string[] = [];
  for (let value = from; value <= to; value += 1) {
    const label = name(value);
    if (label === undefined) return undefined;
    names.push(label);
  }
  return m.consent.either(names);
}

const plainNumber = (value: unknown): string => (typeof value === 'number' ? String(value) : valueText(value));

/** Largest Unix time in seconds that a Date can represent. */
const MAX_DATE_SECONDS = 8.64e12;
const isDateSeconds = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= MAX_DATE_SECONDS;

function partBetween(name: DatePart, field: string, lower: unknown, upper: unknown): string {
  // A part of a time is a number. Values of different types are ordered by type, so bounds of other types can exclude
  // all numbers.
  const excludesNumbers = rankOf(lower) > RANK.number || rankOf(upper) < RANK.number;
  if (excludesNumbers || isEmptyRange(lower, upper)) return texts.never;
  if (name === 'epoch' && isDateSeconds(lower) && isDateSeconds(upper)) {
    return partTexts.betweenTimes(
      field,
      exactTime(new Date(lower * 1000).toISOString()),
      exactTime(new Date(upper * 1000).toISOString()),
    );
  }
  const range = integersBetween(lower, upper);
  // Seconds, milliseconds and Unix times can have a fraction, so the text contains the bounds themselves.
  if (range === undefined || name === 'second' || name === 'milliseconds' || name === 'epoch')
    return texts.between(partTexts.of(partTexts.names[name], field), plainNumber(lower), plainNumber(upper));
  if (range.from > range.to) return texts.never;
  const { from, to } = range;
  const hours = { from: Math.max(0, from), to: Math.min(23, to) };
  if (name === 'hour' && hours.from <= hours.to)
    return partTexts.timeOfDay(field, formatClock(hours.from, '00'), formatClock(hours.to, '59'));
  if (name === 'hour') return texts.never;
  if (name === 'dow' || name === 'isodow') {
    const days = namesOfRange(from, to, (value) => weekdayName(name, value));
    if (days !== undefined) return partTexts.weekday(field, days);
  }
  if (name === 'month') {
    const months = namesOfRange(from, to, monthName);
    if (months !== undefined) return partTexts.month(field, months);
  }
  return partTexts.range(partTexts.names[name], field, String(from), String(to));
}

function partIs(name: DatePart, field: string, values: readonly unknown[]): string {
  if (name === 'hour' && values.every(isHour)) {
    return partTexts.hourIsOneOf(
      field,
      orList(values, (value) =>
        isHour(value) ? partTexts.hourRange(formatClock(value, '00'), formatClock(value, '59')) : '',
      ),
    );
  }
  const numbers = values.filter((value) => typeof value === 'number');
  const areAllNumbers = numbers.length === values.length;
  const days = numbers.map((value) => weekdayName(name, value));
  if (areAllNumbers && (name === 'dow' || name === 'isodow') && !days.includes(undefined))
    return partTexts.weekday(field, orList(days, String));
  const months = numbers.map(monthName);
  if (areAllNumbers && name === 'month' && !months.includes(undefined))
    return partTexts.month(field, orList(months, String));
  return partTexts.oneOf(partTexts.names[name], field, orList(values, plainNumber));
}

function boundText(value: unknown): string {
  return typeof value === 'string' && ISO_DATE.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : valueText(value);
}

function untransformedText(field: string, operator: Filter['operator']): string {
  switch (operator.operator) {
    case 'between': {
      const { lower, upper } = operator;
      if (isEmptyRange(lower, upper)) return texts.never;
      const areStrings = typeof lower === 'string' && typeof upper === 'string';
      // ISO 8601 dates in the same format compare like times, so only the order of other strings is explained.
      const areDates = areStrings && ISO_DATE.test(lower) && ISO_DATE.test(upper);
      return (areStrings && !areDates ? texts.betweenTexts : texts.between)(field, boundText(lower), boundText(upper));
    }
    case 'in': {
      const { value } = operator;
      if (!Array.isArray(value)) {
        return isScalar(value) ? texts.is(field, valueText(value)) : texts.isWithin(field, valueText(value));
      }
      if (value.length === 0) return texts.isWithin(field, valueText(value));
      if (!value.every(isScalar)) return texts.isWithin(field, valueText(value));
      return value.length === 1 ? texts.is(field, valueText(value[0])) : texts.isOneOf(field, orList(value));
    }
    case 'contains': {
      const { value } = operator;
      if (Array.isArray(value) && value.length > 0 && value.every(isScalar)) {
        return texts.containsAll(field, m.consent.list(value.map((element) => valueText(element))));
      }
      return isScalar(value) ? texts.isOrContains(field, valueText(value)) : texts.contains(field, valueText(value));
    }
    case 'find':
      return texts.find(field, texts.quoted(operator.search));
    default:
      return operator satisfies never;
  }
}

/** Returns text such as "Steps is between 5 000 and 10 000, exclusive". @param nameOf maps a path to a name */
export function filterText(filter: Filter, nameOf: (path: string) => string = fieldName): string {
  const field = nameOf(filter.field);
  const transformation = filter.transformation;
  const { operator } = filter;
  if (transformation?.transformation !== 'datetimeExtract' && transformation?.transformation !== 'timestampExtract') {
    return untransformedText(field, operator);
  }
  switch (operator.operator) {
    case 'between':
      return partBetween(transformation.part, field, operator.lower, operator.upper);
    case 'in':
      return partIs(transformation.part, field, Array.isArray(operator.value) ? operator.value : [operator.value]);
    case 'contains':
      // A number contains only itself. A list as the operand is compared as one value, so it never matches.
      return partIs(transformation.part, field, [operator.value]);
    case 'find':
      return untransformedText(field, operator);
    default:
      return operator satisfies never;
  }
}

/** Returns one sentence for all conditions; undefined if there are none. @param nameOf maps a path to a name */
export function filtersText(
  filters: readonly Filter[] | null | undefined,
  nameOf: (path: string) => string = fieldName,
): string | undefined {
  if (filters === null || filters === undefined || filters.length === 0) return undefined;
  const filterTexts = filters.map((filter) => filterText(filter, nameOf));
  if (filterTexts.includes(texts.never)) return texts.neverAll;
  return texts.only(filterTexts.join(texts.and));
}
