import { parseDate } from '../../../../../server/wire/iso-8601.ts';
import type { ValueType } from '../records/field-format.ts';

// Converts dates and times between JSON and date inputs. Times are shown as written, or in UTC if they are numbers, so
// that a changed time keeps its form.

export type TimeForm =
  | { kind: 'day' }
  | {
      kind: 'text';
      /** Character between the day and the time of day. */
      separator: string;
      hasSeconds: boolean;
      /** Decimal mark and number of fractional digits of the seconds; empty without a fraction. */
      fraction: { mark: string; digits: number };
      /** Offset as written, such as `Z` or ` +02:00`; empty for none. */
      offset: string;
    }
  | { kind: 'seconds' }
  | { kind: 'milliseconds' };

interface InputTime {
  /** Such as `2026-03-01`, or `2026-03-01T10:00:00` with a time of day. */
  text: string;
  form: TimeForm;
}

const DAY = /^(?!0000)\d{4}-\d\d-\d\d$/u;
const TIME =
  /^((?!0000)\d{4}-\d\d-\d\d)([Tt ])((?:[01]\d|2[0-3]):[0-5]\d)(?:(:[0-5]\d)(?:([.,])(\d{1,3}))?)?( ?(?:[Zz]|[+-]\d\d(?::?\d\d)?))?$/u;
const WHOLE_NUMBER = /^-?\d{1,15}$/u;
/** Range of a date input, from the year 1 to 9999, in Unix milliseconds. */
const MIN_MS = Date.parse('0001-01-01T00:00:00Z');
const MAX_MS = Date.parse('9999-12-31T23:59:59.999Z');
const ISO_SECOND_CHARS = 19;
const ISO_MILLISECOND_CHARS = 23;

/** Form of new times, unless the existing values are numbers. */
const NEW_TIME: TimeForm = {
  kind: 'text',
  separator: 'T',
  hasSeconds: false,
  fraction: { mark: '', digits: 0 },
  offset: '',
};

/** Returns undefined if a date input cannot show the time exactly. */
function timeOfText(text: string): InputTime | undefined {
  if (parseDate(text) === undefined) return undefined;
  if (DAY.test(text)) return { text, form: { kind: 'day' } };
  const match = TIME.exec(text);
  if (match === null) return undefined;
  const [, day = '', separator = '', clock = '', seconds = '', mark = '', digits = '', offset = ''] = match;
  return {
    text: `${day}T${clock}${seconds}${digits === '' ? '' : `.${digits}`}`,
    form: {
      kind: 'text',
      separator,
      hasSeconds: seconds !== '',
      fraction: { mark, digits: digits.length },
      offset,
    },
  };
}

function timeOfNumber(json: string, kind: 'seconds' | 'milliseconds'): InputTime | undefined {
  if (!WHOLE_NUMBER.test(json)) return undefined;
  const ms = Number(json) * (kind === 'seconds' ? 1000 : 1);
  if (ms < MIN_MS || ms > MAX_MS) return undefined;
  const chars = kind === 'seconds' ? ISO_SECOND_CHARS : ISO_MILLISECOND_CHARS;
  return { text: new Date(ms).toISOString().slice(0, chars), form: { kind } };
}

/**
 * Returns undefined if the field has no dates or times, or if a date input cannot show the time exactly.
 * @param value decoded string, or the JSON of a number
 */
export function inputTimeOf(
  value: { text: string } | { number: string },
  { type, timeFormat }: Pick<ValueType, 'type' | 'timeFormat'>,
): InputTime | undefined {
  if (type !== 'date' && type !== 'dateTime') return undefined;
  if ('text' in value) return timeOfText(value.text);
  return timeFormat === 'seconds' || timeFormat === 'milliseconds' ? timeOfNumber(value.number, timeFormat) : undefined;
}

/**
 * Returns the form of a new value; undefined if the field has no dates or times, or if its format has no date input.
 */
export function newTimeForm({ type, timeFormat }: Pick<ValueType, 'type' | 'timeFormat'>): TimeForm | undefined {
  if (type !== 'date' && type !== 'dateTime') return undefined;
  if (timeFormat === 'seconds' || timeFormat === 'milliseconds') return { kind: timeFormat };
  if (timeFormat !== undefined && timeFormat !== 'iso') return undefined;
  return type === 'date' ? { kind: 'day' } : NEW_TIME;
}

/** Returns undefined if the input is incomplete. */
export function jsonOfTime(text: string, form: TimeForm): string | undefined {
  if (form.kind === 'day') return DAY.test(text) ? JSON.stringify(text) : undefined;
  const match = TIME.exec(text);
  if (match === null) return undefined;
  if (form.kind !== 'text') {
    const ms = Date.parse(`${text}Z`);
    return Number.isNaN(ms) ? undefined : String(form.kind === 'seconds' ? Math.floor(ms / 1000) : ms);
  }
  const [, day = '', , clock = '', seconds = ':00', , digits = ''] = match;
  const { separator, hasSeconds, fraction, offset } = form;
  const fractionDigits = digits.replace(/0+$/u, '').padEnd(fraction.digits, '0');
  const fractionText = fractionDigits === '' ? '' : (fraction.mark || '.') + fractionDigits;
  const secondsText = hasSeconds || seconds !== ':00' ? seconds + fractionText : '';
  return JSON.stringify(`${day}${separator}${clock}${secondsText}${offset}`);
}

/** Returns `UTC`, an offset such as `+02:00`, or the empty string if the time has no zone. */
export function timeZoneOf(form: TimeForm): string {
  if (form.kind === 'day') return '';
  if (form.kind !== 'text') return 'UTC';
  const offset = form.offset.trim();
  return offset.toUpperCase() === 'Z' ? 'UTC' : offset;
}

/** Returns the step in seconds, which determines whether the input shows seconds and fractions. */
export function stepOf(form: TimeForm): number {
  if (form.kind === 'milliseconds') return 0.001;
  if (form.kind === 'seconds') return 1;
  if (form.kind === 'day' || !form.hasSeconds) return 60;
  return form.fraction.digits === 0 ? 1 : 0.001;
}
