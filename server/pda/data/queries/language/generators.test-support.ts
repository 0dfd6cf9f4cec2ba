import fc from 'fast-check';
import { DATE_PARTS } from '../../../../wire/date-parts.ts';
import type { Filter, Mapping } from '../../../../wire/query.ts';
import { type EvaluatedQuery } from './evaluator.test-support.ts';
import { targetFilter, locationsIn } from './targeted-filters.test-support.ts';
import type { Json } from './json.ts';

// Generators of records and matching queries, including known edge cases of query languages.

/**
 * Names of members: plain, numeric, inherited by objects, and special in SQL or SQLite paths. A single backslash is
 * excluded because of a bug in JSON.parse of Node 24, which returns it for any escaped one-character name of a later
 * object.
 */
const NAMES = [
  'a',
  'b',
  'data',
  '0',
  '1',
  '01',
  '',
  'x-y',
  'a b',
  '@t',
  'é',
  '😀',
  "it's",
  '$',
  '#',
  '%',
  'q"q',
  'b\\c',
  'n\nn',
  'z\0z',
  'constructor',
  'toString',
  'a]',
  '?',
];
const STRINGS = [
  '',
  'a',
  'b',
  'B',
  'ab',
  'é',
  'e\u0301',
  '\uffff',
  '😀',
  '\0',
  'a\0b',
  '1',
  '1e0',
  'true',
  'null',
  '[1]',
  "o'h",
  'q"q',
  '\\',
  '\n',
  '/',
  'Zoë fliegt',
  'ZOE flog',
  '東京都',
  '-5',
  '1500000000.125',
];
const NUMBERS = [
  0,
  -0,
  1,
  2,
  3,
  -1,
  0.5,
  1.25,
  1e3,
  2 ** 53,
  -(2 ** 53),
  2 ** 60,
  1e20,
  -1e20,
  5e-324,
  1.7976931348623157e308,
  1_500_000_000,
  1_483_228_799.875,
  -0.125,
  -62_135_596_801,
  8.64e12,
  1e13,
];
const DATES = [
  '2017-01-01',
  '2016-12-31T23:59:59.999999Z',
  '2017-03-26T01:30:00+01:00',
  '2017-03-26T01:30:00-0130',
  '2020-02-29 12:00',
  '2021-02-29',
  '2000-01-01T00:00:00.123456789',
  '0001-01-01',
  '0000-06-15T12:00Z',
  '1970-01-01T00:00:00Z',
  '1969-12-31T23:59:59.5Z',
  '2015-06-30T23:59:60Z',
  '2017-13-01',
  '2017-1-1',
  'yesterday',
  '2017-05-05T',
  '2017-05-05T10',
  '2017-05-05T10:61',
  '2017-05-05T10:10:10.',
  '2017-05-05T10:10+24:00',
];

const dates = fc
  .record({
    year: fc.integer({ min: 0, max: 9999 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 31 }),
    time: fc.constantFrom('', 'T00:00', ' 23:59:59.999999', 'T12:34:56.5', 'T06:00:00'),
    zone: fc.constantFrom('', 'Z', '+01:00', '-11:30', '+1400', '-05'),
  })
  .map(({ year, month, day, time, zone }) => {
    const twoDigits = (number: number): string => String(number).padStart(2, '0');
    return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}${time}${time === '' ? '' : zone}`;
  });

const strings = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...STRINGS) },
  { weight: 3, arbitrary: fc.constantFrom(...DATES) },
  { weight: 2, arbitrary: dates },
);

const numbers = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NUMBERS) },
  fc.integer({ min: -3, max: 12 }),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 }),
);

const scalars = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  { weight: 3, arbitrary: numbers },
  { weight: 4, arbitrary: strings },
);

const names = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'b', 'data', '1') }, fc.constantFrom(...NAMES));

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 3, arbitrary: scalars },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    {
      weight: 4,
      arbitrary: fc
        .uniqueArray(fc.tuple(names, tie('value')), { maxLength: 4, selector: ([name]) => name })
        .map(Object.fromEntries),
    },
  ),
}));

const objects = fc
  .uniqueArray(fc.tuple(names, value), { minLength: 1, maxLength: 5, selector: ([name]) => name })
  .map(Object.fromEntries);

/** Mostly objects, as most records are, and sometimes other values. */
export const recordValues = fc.oneof({ weight: 6, arbitrary: objects }, value);

const segment = fc
  .tuple(names, fc.constantFrom('', '', '', '', '[0]', '[1]', '[]', '[0][1]', '[9999999999]'))
  .map(([name, suffix]) => name + suffix);

export const paths = fc
  .tuple(fc.constantFrom('', '', 'data.'), fc.array(segment, { minLength: 1, maxLength: 3 }))
  .map(([prefix, segments]) => prefix + segments.join('.'))
  .filter((path) => path !== '');

const operands = fc.oneof(
  { weight: 3, arbitrary: scalars },
  { weight: 2, arbitrary: fc.array(scalars, { maxLength: 4 }) },
  value,
);

const bounds = fc.oneof(scalars, scalars, value);

const ranges = fc
  .oneof(fc.tuple(bounds, bounds), fc.tuple(numbers, numbers), fc.tuple(strings, strings))
  .map(([lower, upper]) => ({ operator: 'between' as const, lower, upper }));

const operators = fc.oneof(
  operands.map((value) => ({ operator: 'in' as const, value })),
  operands.map((value) => ({ operator: 'contains' as const, value })),
  ranges,
);

const dateParts = fc.constantFrom(...DATE_PARTS);
const transformations = fc.oneof(
  fc.constant(undefined),
  fc.constant({ transformation: 'identity' as const }),
  dateParts.map((part) => ({ transformation: 'datetimeExtract' as const, part })),
  dateParts.map((part) => ({ transformation: 'timestampExtract' as const, part })),
);

const searches = fc.constantFrom(
  'zoe',
  'Zoë',
  'fliegt zoe',
  '京',
  '東京',
  'a',
  'A 1',
  '2017',
  'é',
  'B',
  'nothing here',
);

export const filters: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ field: paths, transformation: transformations, operator: operators }) },
  fc.record({ field: paths, search: searches }).map(({ field, search }) => ({
    field,
    transformation: { transformation: 'searchable' as const },
    operator: { operator: 'find' as const, search },
  })),
);

const mappings: fc.Arbitrary<Mapping> = fc
  .uniqueArray(
    fc.tuple(
      names.filter((name) => name !== ''),
      paths,
    ),
    { maxLength: 3, selector: ([name]) => name },
  )
  .map((pairs) => Object.fromEntries<string>(pairs));

/**
 * A filter and the seed that adapts it to an existing value, because random filters hardly ever match. With a null
 * seed, the filter is not adapted.
 */
const targetedFilters = fc.record({
  filter: filters,
  seed: fc.oneof({ weight: 5, arbitrary: fc.nat() }, fc.constant(null)),
});

const entries = fc.record({
  endpoint: fc.constantFrom(1, 1, 1, 2, 3, null),
  mapping: fc.oneof(fc.constant(undefined), mappings),
  filters: fc.oneof(
    fc.constant(undefined),
    fc.array(targetedFilters, { minLength: 1, maxLength: 1 }),
    fc.array(targetedFilters, { maxLength: 2 }),
  ),
});

const drafts = fc.record({
  entries: fc.array(entries, { minLength: 1, maxLength: 3 }),
  orderBy: fc.oneof(
    fc.constant(undefined),
    fc.nat(),
    fc.nat(),
    paths,
    names.filter((name) => name !== ''),
  ),
  ordering: fc.constantFrom('ascending' as const, 'descending' as const),
  skip: fc.constantFrom(0, 0, 0, 1, 2, 50),
  take: fc.constantFrom(null, null, 0, 1, 3, 1000),
});

/** Records with their endpoint and a salt for `spellDifferently`, and queries for them. */
export const scenarios = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(1, 1, 2, 3), recordValues, fc.nat()), { maxLength: 10 }),
    fc.array(drafts, { minLength: 4, maxLength: 4 }),
  )
  .map(([contents, draftQueries]) => {
    const locations = contents.flatMap(([, value]) => locationsIn(value));
    const queries = draftQueries.map((draft): EvaluatedQuery => ({
      ...draft,
      orderBy:
        typeof draft.orderBy === 'number' ? (locations[draft.orderBy % locations.length]?.path ?? 'a') : draft.orderBy,
      entries: draft.entries.map((entry) => ({
        ...entry,
        filters: entry.filters?.map(({ filter, seed }) =>
          seed === null ? filter : targetFilter(filter, locations, seed),
        ),
      })),
    }));
    return { contents, queries };
  });

/**
 * Writes a value as equivalent JSON with escaped characters and numbers with exponents. `salt` selects their positions.
 */
export const spellDifferently = (value: unknown, salt: number): string => {
  let state = salt;
  const nextBoolean = (): boolean => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % 3 === 0;
  };
  const escapeCharacter = (character: string): string =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
  const text = (string: string): string =>
    `"${Array.from(string, (character) => (nextBoolean() || /["\\\p{Cc}]/u.test(character) ? escapeCharacter(character) : character)).join('')}"`;
  const write = (value: unknown): string => {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e15 && nextBoolean())
      return `${value}.0e0`;
    if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const members = Object.entries(value).map(([name, item]) => `${text(name)}:${write(item)}`);
    return `{${members.join(',')}}`;
  };
  return write(value);
};
