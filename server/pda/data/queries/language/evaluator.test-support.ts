import type { DatePart, Filter, Mapping } from '../../../../wire/query.ts';
import { wordsOf } from '../../../core/words.ts';

// Reference evaluator of the query language, slow and simple, to verify the SQL. It shares only the tokeniser with the
// production code. Paths are resolved step by step, dates use Date and BigInt, and values are compared recursively.

export interface EvaluatedRecord {
  readonly seq: number;
  readonly endpoint: number;
  /** Result of `JSON.parse` on the stored text. */
  readonly value: unknown;
}

export interface EvaluatedQuery {
  readonly entries: readonly {
    readonly endpoint: number | null;
    readonly mapping?: Mapping | null | undefined;
    readonly filters?: readonly Filter[] | null | undefined;
  }[];
  readonly orderBy?: string | null | undefined;
  readonly ordering: 'ascending' | 'descending';
  readonly skip: number;
  readonly take: number | null;
}

const MISSING = Symbol('missing');

/** Returns pairs of entry and sequence number in the order of the response. */
export const evaluate = (
  records: readonly EvaluatedRecord[],
  query: EvaluatedQuery,
): { entry: number; seq: number }[] => {
  const sign = query.ordering === 'descending' ? -1 : 1;
  const rows = query.entries.flatMap(({ endpoint, mapping, filters }, entry) =>
    records
      .filter(
        (record) => record.endpoint === endpoint && (filters ?? []).every((filter) => matches(record.value, filter)),
      )
      .map(({ seq, value }) => ({
        entry,
        seq,
        key: query.orderBy ? valueAt(value, outputSource(query.orderBy, mapping)) : null,
      })),
  );
  rows.sort((left, right) => {
    if ((left.key === MISSING) !== (right.key === MISSING)) return left.key === MISSING ? 1 : -1;
    const keyOrder = left.key === MISSING ? 0 : compare(left.key, right.key);
    if (keyOrder !== 0) return sign * keyOrder;
    return left.seq === right.seq ? left.entry - right.entry : sign * (left.seq - right.seq);
  });
  const end = query.take === null ? undefined : query.skip + query.take;
  return rows.slice(query.skip, end).map(({ entry, seq }) => ({ entry, seq }));
};

const outputSource = (name: string, mapping: Mapping | null | undefined): string => {
  for (const output of [name, `${name}[]`]) {
    const source = mapping && Object.hasOwn(mapping, output) ? mapping[output] : undefined;
    if (source !== undefined) return typeof source === 'string' ? source : source.source;
  }
  return name;
};

export const valueAt = (value: unknown, path: string): unknown => {
  const literal = walk(value, path);
  return literal === MISSING && path.startsWith('data.') && path !== 'data.' ? walk(value, path.slice(5)) : literal;
};

const walk = (start: unknown, path: string): unknown => {
  let value = start;
  for (const [position, part] of path.split('.').entries()) {
    let name = part;
    const indexes: string[] = [];
    for (;;) {
      const bracket = name.lastIndexOf('[');
      const digits = name.slice(bracket + 1, -1);
      if (bracket < 0 || !name.endsWith(']') || [...digits].some((digit) => digit < '0' || digit > '9')) break;
      indexes.unshift(digits);
      name = name.slice(0, bracket);
    }
    if (!(name === '' && indexes.length > 0 && position === 0)) {
      if (Array.isArray(value))
        value = /^\d+$/u.test(name) && String(Number(name)) === name ? elementAt(value, name) : MISSING;
      else value = memberOf(value, name);
    }
    for (const index of indexes) {
      if (index !== '') value = Array.isArray(value) ? elementAt(value, index) : MISSING;
    }
  }
  return value;
};

const elementAt = (array: readonly unknown[], index: string): unknown =>
  Number(index) < array.length ? array[Number(index)] : MISSING;

const memberOf = (value: unknown, name: string): unknown => {
  if (typeof value !== 'object' || value === null) return MISSING;
  const member = Object.entries(value).find(([key]) => key === name);
  return member === undefined ? MISSING : member[1];
};

const JSON_KINDS = ['null', 'string', 'number', 'boolean', 'array', 'object'];

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

const codePoints = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0) ?? 0);

export const compare = (left: unknown, right: unknown): number => {
  const kindOrder = JSON_KINDS.indexOf(kindOf(left)) - JSON_KINDS.indexOf(kindOf(right));
  if (kindOrder !== 0) return kindOrder;
  if (typeof left === 'number' || typeof left === 'boolean') return Number(left) - Number(right);
  if (typeof left === 'string' && typeof right === 'string') return compareLists(codePoints(left), codePoints(right));
  if (Array.isArray(left) && Array.isArray(right)) return left.length - right.length || compareLists(left, right);
  if (typeof left !== 'object' || left === null || typeof right !== 'object' || right === null) return 0;
  const [leftMembers, rightMembers] = [membersOf(left), membersOf(right)];
  return leftMembers.length - rightMembers.length || compareLists(leftMembers.flat(), rightMembers.flat());
};

const membersOf = (value: object): [string, unknown][] =>
  Object.entries(value).toSorted(([a], [b]) => compareLists(codePoints(a), codePoints(b)));

const compareLists = (left: readonly unknown[], right: readonly unknown[]): number => {
  if (left.length === 0 || right.length === 0) return left.length - right.length;
  return compare(left[0], right[0]) || compareLists(left.slice(1), right.slice(1));
};

const isEqual = (left: unknown, right: unknown): boolean =>
  kindOf(left) === kindOf(right) && compare(left, right) === 0;

export const contains = (container: unknown, contained: unknown, isOutermost = true): boolean => {
  if (Array.isArray(container)) {
    if (Array.isArray(contained)) {
      return contained.every((expected) => container.some((element) => contains(element, expected, false)));
    }
    return (
      isOutermost &&
      (typeof contained !== 'object' || contained === null) &&
      container.some((element) => isEqual(element, contained))
    );
  }
  if (kindOf(container) !== 'object') return isEqual(container, contained);
  if (kindOf(contained) !== 'object') return false;
  return Object.entries(contained as object).every(([name, expected]) => {
    const value = memberOf(container, name);
    return value !== MISSING && contains(value, expected, false);
  });
};

const matches = (record: unknown, { field, transformation, operator }: Filter): boolean => {
  let value = valueAt(record, field);
  if (value === MISSING) return false;
  const kind = transformation?.transformation ?? 'identity';
  if ((kind === 'searchable') !== (operator.operator === 'find')) return false;
  if (transformation?.transformation === 'datetimeExtract') {
    value = typeof value === 'string' ? partOfDate(value, transformation.part) : undefined;
  } else if (transformation?.transformation === 'timestampExtract') {
    value = partOfTimestamp(value, transformation.part);
  }
  if (value === undefined) return false;
  switch (operator.operator) {
    case 'in':
      return contains(operator.value, value);
    case 'contains':
      return contains(value, operator.value);
    case 'between':
      return compare(operator.lower, value) < 0 && compare(value, operator.upper) < 0;
    case 'find': {
      const words = new Set(allStrings(value).flatMap(wordsOf));
      const expected = wordsOf(operator.search);
      return expected.length > 0 && expected.every((word) => words.has(word));
    }
  }
};

export const allStrings = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(allStrings) : [];
};

/** Parses an ISO 8601 string in the extended format. Returns microseconds since 1970. */
const microsOf = (text: string): bigint | undefined => {
  const separator = text.search(/[T ]/u);
  const [datePart, timePart] = separator < 0 ? [text, ''] : [text.slice(0, separator), text.slice(separator + 1)];
  const date = new Date(0);
  const [year = '', month = '', day = '', ...excess] = datePart.split('-');
  if (excess.length > 0 || !hasDigits(year, 4) || !hasDigits(month, 2) || !hasDigits(day, 2)) return undefined;
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (!date.toISOString().startsWith(datePart)) return undefined;
  const midnight = BigInt(date.getTime()) * 1000n;
  if (separator < 0) return midnight;
  const zone = timePart.search(/[Z+-]/u);
  const [time, offset] = zone < 0 ? [timePart, 'Z'] : [timePart.slice(0, zone), timePart.slice(zone)];
  const [clock = '', fraction = '0', ...extra] = time.split('.');
  const [hours = '', minutes = '', seconds = '00', ...extraParts] = clock.split(':');
  if (extra.length > 0 || extraParts.length > 0 || ![hours, minutes, seconds].every((number) => hasDigits(number, 2)))
    return undefined;
  if (!/^\d+$/u.test(fraction) || (time.includes('.') && clock.length < 8)) return undefined;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 60) return undefined;
  const secondsOfDay = (BigInt(hours) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
  const offsetMinutes = offsetMinutesOf(offset);
  if (offsetMinutes === undefined) return undefined;
  return midnight + (secondsOfDay - offsetMinutes * 60n) * 1_000_000n + BigInt(`${fraction}000000`.slice(0, 6));
};

const hasDigits = (text: string, count: number): boolean =>
  text.length === count && [...text].every((digit) => digit >= '0' && digit <= '9');

const offsetMinutesOf = (offset: string): bigint | undefined => {
  if (offset === 'Z') return 0n;
  const [hours = '', minutes = '00'] =
    offset.length === 5 ? [offset.slice(1, 3), offset.slice(3)] : offset.slice(1).split(':');
  if (!hasDigits(hours, 2) || !hasDigits(minutes, 2) || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offsetMinutes = BigInt(hours) * 60n + BigInt(minutes);
  return offset.startsWith('-') ? -offsetMinutes : offsetMinutes;
};

export const partOfDate = (text: string, part: DatePart): number | undefined => {
  const micros = microsOf(text);
  return micros === undefined ? undefined : partOf(micros, part);
};

export const partOfTimestamp = (value: unknown, part: DatePart): number | undefined => {
  if (typeof value === 'string' && !/^-?\d+(\.\d+)?$/u.test(value)) return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const seconds = Number(value);
  if (Math.abs(seconds) > 8.64e12) return undefined;
  return partOf(
    BigInt(Math.floor(seconds)) * 1_000_000n + BigInt(Math.round((seconds % 1) * 1e6 + 1e6) % 1_000_000),
    part,
  );
};

const DAY_MS = 86_400_000;

const partOf = (micros: bigint, part: DatePart): number => {
  const minuteMicros = ((micros % 60_000_000n) + 60_000_000n) % 60_000_000n;
  const date = new Date(Number((micros - minuteMicros) / 1000n));
  const inUtc = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' }).format(date);
  const thursday = new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * DAY_MS + 3 * DAY_MS);
  const newYearOf = (day: Date): number => new Date(day).setUTCMonth(0, 1);
  // SQL has no year 0: the year before 1 is -1.
  const withoutYearZero = (year: number): number => (year > 0 ? year : year - 1);
  const periodNumber = (length: number): number => {
    const year = withoutYearZero(date.getUTCFullYear());
    return Math.sign(year) * Math.ceil(Math.abs(year) / length);
  };
  switch (part) {
    case 'epoch':
      return Number(`${micros < 0n ? '-' : ''}${decimal(micros < 0n ? -micros : micros)}`);
    case 'second':
      return Number(decimal(minuteMicros));
    case 'milliseconds':
      return Number(`${minuteMicros / 1000n}.${String(minuteMicros % 1000n).padStart(3, '0')}`);
    case 'microseconds':
      return Number(minuteMicros);
    case 'minute':
      return date.getUTCMinutes();
    case 'hour':
      return Number(inUtc({ hour: 'numeric', hourCycle: 'h23' }));
    case 'day':
      return Number(inUtc({ day: 'numeric' }));
    case 'dow':
      return ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(inUtc({ weekday: 'short' }));
    case 'isodow':
      return ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(inUtc({ weekday: 'short' }));
    case 'doy':
      return Math.floor((date.getTime() - newYearOf(date)) / DAY_MS) + 1;
    case 'week':
      return Math.floor((thursday.getTime() - newYearOf(thursday)) / DAY_MS / 7) + 1;
    case 'isoyear':
      return withoutYearZero(thursday.getUTCFullYear());
    case 'month':
      return date.getUTCMonth() + 1;
    case 'quarter':
      return 1 + Math.floor(date.getUTCMonth() / 3);
    case 'year':
      return withoutYearZero(date.getUTCFullYear());
    case 'decade':
      return Math.floor(date.getUTCFullYear() / 10);
    case 'century':
      return periodNumber(100);
    case 'millennium':
      return periodNumber(1000);
    case 'timezone':
    case 'timezone_hour':
    case 'timezone_minute':
      return 0;
  }
};

const decimal = (micros: bigint): string => `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`;
