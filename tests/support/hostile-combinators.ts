import { HOSTILE_RECORD_NAMES } from './hostile-records.ts';

/** Returns entries of a combinator for all hostile records. */
export const entriesOf = (filters?: unknown) =>
  HOSTILE_RECORD_NAMES.map((name) => ({ endpoint: `worst/${name}`, ...(filters === undefined ? {} : { filters }) }));
const filtersOf = (operator: unknown, transformation?: unknown, field = 'a') => [{ field, operator, transformation }];
const LONG_TEXT = 'z'.repeat(1500);

/** Combinators whose evaluation over hostile records is expensive, by name. */
export const HOSTILE_COMBINATORS: Readonly<Record<string, unknown>> = {
  all: entriesOf(),
  'same-100': Array.from({ length: 100 }, () => ({ endpoint: 'worst/one-string' })),
  in: entriesOf(filtersOf({ operator: 'in', value: [LONG_TEXT, 1, ['']] })),
  contains: entriesOf(filtersOf({ operator: 'contains', value: [''] })),
  between: entriesOf(filtersOf({ operator: 'between', lower: LONG_TEXT, upper: `${LONG_TEXT}z` })),
  'between-arrays': entriesOf(
    filtersOf({ operator: 'between', lower: [''], upper: Array.from({ length: 500 }, () => '') }),
  ),
  find: entriesOf(filtersOf({ operator: 'find', search: 'zebra' }, { transformation: 'searchable' })),
  timestamps: entriesOf(filtersOf({ operator: 'in', value: 7 }, { transformation: 'timestampExtract', part: 'hour' })),
  dates: entriesOf(filtersOf({ operator: 'in', value: 7 }, { transformation: 'datetimeExtract', part: 'hour' })),
  'deep-path': entriesOf(filtersOf({ operator: 'contains', value: 1 }, undefined, `a${'[0]'.repeat(90)}`)),
  'custom-sql-functions': entriesOf(filtersOf({ operator: 'contains', value: 1 }, undefined, 'a"b.c')),
  'fifty-filters': entriesOf(
    Array.from({ length: 50 }, (_, index) => filtersOf({ operator: 'contains', value: [`${index}`] })[0]),
  ),
  mapped: HOSTILE_RECORD_NAMES.map((name) => ({ endpoint: `worst/${name}`, mapping: { 'out.a': 'a', again: 'a' } })),
  'mapped-1000': HOSTILE_RECORD_NAMES.map((name) => ({
    endpoint: `worst/${name}`,
    mapping: Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`f${index}`, 'a'])),
  })),
  nested: HOSTILE_RECORD_NAMES.map((name) => ({
    endpoint: `worst/${name}`,
    mapping: {
      'items[]': {
        source: 'a[]',
        mappings: Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`n${index}`, '[0]'])),
      },
    },
  })),
};
