import { count, number } from '../../format/format.ts';

const records = (n: number) => count(n, 'record', 'records');
const fields = (n: number) => count(n, 'field', 'fields');

/** "a, b and c" */
export const list = (parts: readonly string[], word = 'and'): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1) ?? ''}`;

/** Permissions in requests, consents, applications and their sign-in. */
export const consent = {
  list,
  either: (parts: readonly string[]) => list(parts, 'or'),
  fields,
  /** "5 fields of Steps and Sleep" */
  fieldsOf: (n: number, endpoints: string) => `${fields(n)} of ${endpoints}`,
  entireOf: (endpoints: string) => `entire records of ${endpoints}`,
  entireAndFields: (entire: string, mapped: string) => `${entire}, and ${mapped}`,
  more: (n: number) => `${number(n)} more`,
  nothing: 'nothing',
  value: 'The whole value',
  each: (label: string, inner: readonly string[]) =>
    `${label}, each with ${list(inner.map((name) => name.toLowerCase()))}`,
  /** "Contact (Phone and Email)" */
  member: (label: string, inner: readonly string[]) => `${label} (${list(inner)})`,
  inside: (label: string, inner: readonly string[]) => `${label}: ${list(inner.map((name) => name.toLowerCase()))}`,
  filter: {
    only: (what: string) => `Only where ${what}`,
    and: ', and ',
    is: (field: string, value: string) => `${field} is ${value}`,
    isOneOf: (field: string, values: string) => `${field} is ${values}`,
    isWithin: (field: string, value: string) => `${field} contains nothing but ${value}`,
    isOrContains: (field: string, value: string) => `${field} is ${value}, or a list that contains it`,
    containsAll: (field: string, values: string) => `${field} contains all of ${values}`,
    contains: (field: string, value: string) => `${field} contains ${value}`,
    between: (field: string, lower: string, upper: string) => `${field} is between ${lower} and ${upper}, exclusive`,
    betweenTexts: (field: string, lower: string, upper: string) =>
      `${field} comes between ${lower} and ${upper} in character order, exclusive`,
    find: (field: string, search: string) => `${field} contains all words of ${search}`,
    never: 'never: no value is between these bounds',
    neverAll: 'This condition can never be met: nothing is shared',
    quoted: (text: string) => `“${text}”`,
    empty: 'empty',
    yes: 'yes',
    no: 'no',
  },
  /** Parts of a time that `datetimeExtract` and `timestampExtract` select. */
  part: {
    of: (part: string, field: string) => `the ${part} of ${field}`,
    timeOfDay: (field: string, from: string, to: string) => `the time of ${field} is from ${from} to ${to} UTC`,
    hourIsOneOf: (field: string, times: string) => `the time of ${field} is ${times} UTC`,
    hourRange: (from: string, to: string) => `from ${from} to ${to}`,
    weekday: (field: string, days: string) => `${field} falls on a ${days} (UTC)`,
    month: (field: string, months: string) => `${field} is in ${months} (UTC)`,
    betweenTimes: (field: string, lower: string, upper: string) => `${field} is after ${lower} and before ${upper}`,
    range: (part: string, field: string, from: string, to: string) =>
      `the ${part} of ${field} is ${from === to ? from : `${from} to ${to}`} (UTC)`,
    oneOf: (part: string, field: string, values: string) => `the ${part} of ${field} is ${values} (UTC)`,
    names: {
      century: 'century',
      day: 'day of the month',
      decade: 'decade',
      dow: 'weekday',
      doy: 'day of the year',
      epoch: 'Unix time',
      hour: 'hour',
      isodow: 'weekday',
      isoyear: 'year of the calendar week',
      microseconds: 'number of microseconds',
      millennium: 'millennium',
      milliseconds: 'number of milliseconds',
      minute: 'minute',
      month: 'month',
      quarter: 'quarter of the year',
      second: 'second',
      timezone: 'time zone offset in seconds',
      timezone_hour: 'hour part of the time zone offset',
      timezone_minute: 'minute part of the time zone offset',
      week: 'calendar week',
      year: 'year',
    },
    weekdays: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
    months: [
      'January',
      'February',
      'March',
      'April',
      'May',
      'June',
      'July',
      'August',
      'September',
      'October',
      'November',
      'December',
    ],
  },
  amount: {
    all: 'All records, including future ones',
    allThatFit: 'All records that match, including future ones',
    none: 'No records: the limit is 0',
    newest: (n: number) =>
      n === 1 ? 'Only the newest record at any given time' : `Only the newest ${records(n)} at any given time`,
    oldest: (n: number) =>
      n === 1
        ? 'Only the oldest record at any given time'
        : `Only the oldest ${records(n)}; new ones are added only until that number is reached`,
    last: (n: number, field: string) =>
      n === 1
        ? `Only the last record by ${field} at any given time`
        : `Only the last ${records(n)} by ${field} at any given time`,
    first: (n: number, field: string) =>
      n === 1
        ? `Only the first record by ${field} at any given time`
        : `Only the first ${records(n)} by ${field} at any given time`,
  },
  span: {
    day: (n: number) => count(n, 'day', 'days'),
    hour: (n: number) => count(n, 'hour', 'hours'),
    minute: (n: number) => count(n, 'minute', 'minutes'),
    second: (n: number) => count(n, 'second', 'seconds'),
  },
  /** How often a permission renews. */
  interval: {
    day: 'every day',
    hour: 'every hour',
    minute: 'every minute',
    second: 'every second',
    other: (span: string) => `every ${span}`,
  },
  time: {
    immediately: 'As soon as you allow it.',
    from: (day: string) => `From ${day}.`,
    ends: (day: string) => `Until ${day}. Then it ends automatically.`,
    renews: (day: string, interval: string) => `Until ${day}. Then it renews ${interval} until you stop sharing.`,
    ended: (day: string) => `Ended ${day}. Even if you allow it, nothing is shared.`,
    until: (day: string) => `until ${day}`,
    untilCapitalised: (day: string) => `Until ${day}`,
    untilStopped: 'until you stop sharing',
  },
  worstCase: {
    entire: (endpoints: string) => `Entire records of ${endpoints}: every field, including fields added later`,
  },
} as const;
