import type { ChartBucket } from '../../../../../server/wire/charts.ts';
import type { Field } from '../../../../../server/wire/fields.ts';
import { calendarDayShort, dayShort, decimal, money, monthOfYear, number } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { formatDuration } from '../records/field-duration.ts';
import { nameWithoutUnit } from '../records/field-name.ts';

const MAX_DECIMALS = 12;

/** Uses noon, because midnight does not exist on every day in every time zone. */
const dayText = (day: string): string => dayShort(`${day}T12:00:00`);

/** Returns a label such as "1 Mar 2026", "Week of 2 Mar 2026" or "March 2026". */
export function bucketText(start: string, per: ChartBucket): string {
  switch (per) {
    case 'hour':
      return `${dayText(start.slice(0, 10))} ${start.slice(11)}:00`;
    case 'day':
      return dayText(start);
    case 'week':
      return m.charts.weekOf(dayText(start));
    case 'month':
      return monthOfYear(start);
    case 'year':
      return start;
  }
}

/** @param withYear false if all buckets are in the same year */
export function tickText(start: string, per: ChartBucket, withYear: boolean): string {
  if (per === 'hour') return `${calendarDayShort(start.slice(0, 10))} ${start.slice(11)}:00`;
  if (per === 'day' || per === 'week') return withYear ? dayText(start) : calendarDayShort(start);
  return bucketText(start, per);
}

/** Unit of duration fields without a unit: ISO 8601 durations are charted in seconds. */
const DURATION_UNIT = 's';

/** Returns text such as "1 h 30 min"; undefined for other field types and unknown units. */
function durationText(value: number, field: Field | undefined): string | undefined {
  if (field?.type !== 'duration') return undefined;
  return formatDuration(value, field.unit === '' ? DURATION_UNIT : field.unit, { decimal, number }, m.data.values);
}

/**
 * Returns a duration with its units, and any other value without its unit: with at most two decimals, or with at most
 * four significant digits if its absolute value is below 100.
 */
export function valueText(value: number, field?: Field): string {
  const duration = durationText(value, field);
  if (duration !== undefined) return duration;
  return decimal(Math.abs(value) >= 100 ? Math.round(value * 100) / 100 : Number(value.toPrecision(4)));
}

/**
 * Returns a bound with as many decimals as the width of the range requires. A duration becomes a number with its unit
 * if both bounds would otherwise have the same label.
 */
export function boundText(bound: number, width: number, field: Field): string {
  const duration = durationText(bound, field);
  const isDistinct =
    width === 0 || [bound - width, bound + width].every((other) => durationText(other, field) !== duration);
  if (duration !== undefined && isDistinct) return duration;
  const digits = width === 0 ? MAX_DECIMALS : Math.max(0, 1 - Math.floor(Math.log10(width)));
  const text = decimal(Number(bound.toFixed(Math.min(digits, MAX_DECIMALS))));
  return duration === undefined ? text : `${text}\u00A0${field.unit === '' ? DURATION_UNIT : field.unit}`;
}

/** Returns an empty string if the formatted values already contain the unit. */
const unitOf = (field: Field): string => (durationText(0, field) === undefined ? field.unit : '');

export function amountText(value: number, field: Field | undefined): string {
  if (field?.type === 'money' && field.unit !== '') return money(value, field.unit);
  const text = valueText(value, field);
  return field === undefined || unitOf(field) === '' ? text : `${text}\u00A0${field.unit}`;
}

export function fieldText(field: Field | undefined): string {
  return field === undefined ? m.charts.records : m.charts.withUnit(nameWithoutUnit(field), unitOf(field));
}
