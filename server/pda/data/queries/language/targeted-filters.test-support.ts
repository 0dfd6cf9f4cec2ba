import type { DatePart, Filter } from '../../../../wire/query.ts';
import { wordsOf } from '../../../core/words.ts';
import { allStrings, compare, partOfDate, partOfTimestamp } from './evaluator.test-support.ts';
import { isJsonObject, type Json } from './json.ts';

interface ValueLocation {
  readonly path: string;
  readonly value: Json;
}

/**
 * Returns the values inside a value, each with two paths: with and without the prefix `data.`. The paths contain
 * indexes in both notations. Omits members whose name contains a dot, and a member of the outermost object whose name
 * is empty.
 */
export const locationsIn = (value: Json, path = ''): ValueLocation[] => {
  const ownLocations =
    path === ''
      ? []
      : [
          { path, value },
          { path: `data.${path}`, value },
        ];
  if (Array.isArray(value)) {
    return [
      ...ownLocations,
      ...value.flatMap((item, index) =>
        locationsIn(item, index % 2 === 0 && path !== '' ? `${path}.${index}` : `${path}[${index}]`),
      ),
    ];
  }
  if (!isJsonObject(value)) return ownLocations;
  return [
    ...ownLocations,
    ...Object.entries(value)
      .filter(([name]) => !name.includes('.') && path + name !== '')
      .flatMap(([name, item]) => locationsIn(item, path === '' ? name : `${path}.${name}`)),
  ];
};

/**
 * Changes a filter so that it matches, or almost matches, an existing value.
 * @param seed arbitrary number that selects the value and the kind of change
 */
export const targetFilter = (filter: Filter, locations: readonly ValueLocation[], seed: number): Filter => {
  const { operator, transformation } = filter;
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[seed % items.length];
  if (operator.operator === 'find') {
    const location = pick(locations.filter(({ value }) => allStrings(value).some((text) => wordsOf(text).length > 0)));
    if (location === undefined) return filter;
    const words = allStrings(location.value).flatMap(wordsOf);
    const search = seed % 3 === 0 ? words.slice(0, 1) : words.slice(-2).toReversed();
    return { ...filter, field: location.path, operator: { operator: 'find', search: search.join(' ').toUpperCase() } };
  }
  const part =
    transformation !== undefined && transformation !== null && 'part' in transformation
      ? transformation.part
      : undefined;
  if (part === undefined) {
    const location = pick(locations);
    return location === undefined
      ? filter
      : { ...filter, field: location.path, operator: targetOperator(operator, location.value, locations, seed) };
  }
  const extract = (value: Json): number | undefined => extractPart(value, part, transformation?.transformation);
  const location = pick(locations.filter(({ value }) => extract(value) !== undefined));
  const number = location === undefined ? undefined : extract(location.value);
  if (location === undefined || number === undefined) return filter;
  return { ...filter, field: location.path, operator: targetOperator(operator, number, [], seed) };
};

const extractPart = (value: Json, part: DatePart, transformation: string | undefined): number | undefined => {
  if (transformation === 'timestampExtract') return partOfTimestamp(value, part);
  return typeof value === 'string' ? partOfDate(value, part) : undefined;
};

const targetOperator = (
  operator: Filter['operator'],
  value: Json,
  locations: readonly ValueLocation[],
  seed: number,
): Filter['operator'] => {
  const noise = locations[(seed >> 3) % Math.max(locations.length, 1)]?.value ?? 7;
  switch (operator.operator) {
    case 'in': {
      if (seed % 3 === 0) return { operator: 'in', value };
      if (seed % 3 === 1 && isJsonObject(value)) return { operator: 'in', value: { ...value, more: noise } };
      return { operator: 'in', value: Array.isArray(value) ? [noise, ...value] : [noise, value, null] };
    }
    case 'contains':
      return { operator: 'contains', value: seed % 2 === 0 ? value : subsetOf(value, seed) };
    case 'between':
      return betweenAround(value, locations, seed);
    case 'find':
      return operator;
  }
};

const subsetOf = (value: Json, seed: number): Json => {
  if (Array.isArray(value)) return seed % 4 === 1 ? (value.at(-1) ?? value) : value.slice(1).toReversed();
  if (!isJsonObject(value)) return [value];
  const members = Object.entries(value);
  return Object.fromEntries(
    members
      .filter((_, index) => (index + seed) % 2 === 0)
      .map(([name, item]) => [name, seed % 3 === 0 ? subsetOf(item, seed >> 1) : item]),
  );
};

/**
 * Returns a `between` whose bounds are close to a value. A bound that equals the value excludes it.
 */
const betweenAround = (value: Json, locations: readonly ValueLocation[], seed: number): Filter['operator'] => {
  if (typeof value === 'number' && seed % 2 === 0) {
    return {
      operator: 'between',
      lower: seed % 3 === 0 ? value : value - 1,
      upper: seed % 5 === 0 ? value : value + 0.5,
    };
  }
  const pool = locations.map((location) => location.value).toSorted(compare);
  const lowerValues = pool.filter((candidate) => compare(candidate, value) < 0).slice(-3);
  const higherValues = pool.filter((candidate) => compare(candidate, value) > 0).slice(0, 3);
  const lower = lowerValues[seed % Math.max(lowerValues.length, 1)] ?? null;
  const upper = higherValues[(seed >> 2) % Math.max(higherValues.length, 1)] ?? {
    '': '',
    z: 0,
    zz: 0,
    zzz: 0,
    zzzz: 0,
    zzzzz: 0,
  };
  return { operator: 'between', lower: seed % 7 === 0 ? value : lower, upper: seed % 11 === 0 ? value : upper };
};
