import type { DatePart, Filter } from '../../../../wire/query.ts';
import { allStrings, compare, partOfDate, partOfTimestamp } from './evaluator.test-support.ts';
import { isObject, type Json } from './json.ts';
import { wordsOf } from './tokenizer.ts';

/** A value in a record, and a path that leads to it. */
export interface Place {
  readonly path: string;
  readonly value: Json;
}

/** Every value inside a value. Indexes are written both ways, and a prefix is put where the interface would put one. */
export const placesIn = (value: Json, path = ''): Place[] => {
  const here =
    path === ''
      ? []
      : [
          { path, value },
          { path: `data.${path}`, value },
        ];
  if (Array.isArray(value)) {
    return [
      ...here,
      ...value.flatMap((item, at) => placesIn(item, at % 2 === 0 && path !== '' ? `${path}.${at}` : `${path}[${at}]`)),
    ];
  }
  if (!isObject(value)) return here;
  return [
    ...here,
    ...Object.entries(value)
      .filter(([name]) => !name.includes('.') && path + name !== '')
      .flatMap(([name, item]) => placesIn(item, path === '' ? name : `${path}.${name}`)),
  ];
};

/** Turns a filter so that it asks for something that is there, or comes close to it. */
export const aimFilter = (filter: Filter, places: readonly Place[], aim: number): Filter => {
  const { operator, transformation } = filter;
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[aim % items.length];
  if (operator.operator === 'find') {
    const place = pick(places.filter(({ value }) => allStrings(value).some((text) => wordsOf(text).length > 0)));
    if (place === undefined) return filter;
    const words = allStrings(place.value).flatMap(wordsOf);
    const search = aim % 3 === 0 ? words.slice(0, 1) : words.slice(-2).toReversed();
    return { ...filter, field: place.path, operator: { operator: 'find', search: search.join(' ').toUpperCase() } };
  }
  const part =
    transformation !== undefined && transformation !== null && 'part' in transformation
      ? transformation.part
      : undefined;
  if (part === undefined) {
    const place = pick(places);
    return place === undefined
      ? filter
      : { ...filter, field: place.path, operator: aimOperator(operator, place.value, places, aim) };
  }
  const extract = (value: Json): number | undefined => extractPart(value, part, transformation?.transformation);
  const place = pick(places.filter(({ value }) => extract(value) !== undefined));
  const number = place === undefined ? undefined : extract(place.value);
  if (place === undefined || number === undefined) return filter;
  return { ...filter, field: place.path, operator: aimOperator(operator, number, [], aim) };
};

const extractPart = (value: Json, part: DatePart, transformation: string | undefined): number | undefined => {
  if (transformation === 'timestampExtract') return partOfTimestamp(value, part);
  return typeof value === 'string' ? partOfDate(value, part) : undefined;
};

const aimOperator = (
  operator: Filter['operator'],
  value: Json,
  places: readonly Place[],
  aim: number,
): Filter['operator'] => {
  const noise = places[(aim >> 3) % Math.max(places.length, 1)]?.value ?? 7;
  switch (operator.operator) {
    case 'in': {
      if (aim % 3 === 0) return { operator: 'in', value };
      if (aim % 3 === 1 && isObject(value)) return { operator: 'in', value: { ...value, more: noise } };
      return { operator: 'in', value: Array.isArray(value) ? [noise, ...value] : [noise, value, null] };
    }
    case 'contains':
      return { operator: 'contains', value: aim % 2 === 0 ? value : someOf(value, aim) };
    case 'between':
      return betweenAround(value, places, aim);
    case 'find':
      return operator;
  }
};

const someOf = (value: Json, aim: number): Json => {
  if (Array.isArray(value)) return aim % 4 === 1 ? (value.at(-1) ?? value) : value.slice(1).toReversed();
  if (!isObject(value)) return [value];
  const members = Object.entries(value);
  return Object.fromEntries(
    members
      .filter((_, at) => (at + aim) % 2 === 0)
      .map(([name, item]) => [name, aim % 3 === 0 ? someOf(item, aim >> 1) : item]),
  );
};

/** Bounds that are near: values next to it in order, or the value itself, which must then not match. */
const betweenAround = (value: Json, places: readonly Place[], aim: number): Filter['operator'] => {
  if (typeof value === 'number' && aim % 2 === 0) {
    return {
      operator: 'between',
      lower: aim % 3 === 0 ? value : value - 1,
      upper: aim % 5 === 0 ? value : value + 0.5,
    };
  }
  const pool = places.map((place) => place.value).toSorted(compare);
  const below = pool.filter((other) => compare(other, value) < 0).slice(-3);
  const above = pool.filter((other) => compare(other, value) > 0).slice(0, 3);
  const lower = below[aim % Math.max(below.length, 1)] ?? null;
  const upper = above[(aim >> 2) % Math.max(above.length, 1)] ?? { '': '', z: 0, zz: 0, zzz: 0, zzzz: 0, zzzzz: 0 };
  return { operator: 'between', lower: aim % 7 === 0 ? value : lower, upper: aim % 11 === 0 ? value : upper };
};
