import { describe, expect, it } from 'vitest';
import {
  addStats,
  countRecord,
  mappedPathsOf,
  splitStats,
  statsOf,
  type EndpointCounts,
  type MappedPath,
} from './rules.ts';

const countFields = (data: unknown, mappedPaths?: readonly MappedPath[]): Record<string, number> | undefined => {
  const counts: EndpointCounts = new Map();
  countRecord(counts, 'a/b', data, mappedPaths);
  return statsOf(counts)[0]?.propertyStats;
};

describe('the counts of a record', () => {
  it('are the numbers of leaf values per field, with array elements counted together', () => {
    expect(
      countFields({ n: 1, heart: { low: 50, high: 90 }, tags: ['x', 'y'], trips: [{ km: 1 }, { km: 2, on: true }] }),
    ).toStrictEqual({
      n: 1,
      'heart.low': 1,
      'heart.high': 1,
      'tags[]': 2,
      'trips[].km': 2,
      'trips[].on': 1,
    });
    expect(countFields({ a: null, b: {}, c: [] })).toStrictEqual({});
    expect([countFields(5), countFields([1, 2]), countFields([[1], [2]])]).toStrictEqual([
      { '*': 1 },
      { '[]': 2 },
      { '[]': 2 },
    ]);
  });

  it.each<[string, unknown]>([
    ['e-mail addresses', { 'ada@example.org': 1, 'bob@example.org': 2 }],
    ['one e-mail address among fields', { total: 1, 'ada@example.org': 2 }],
    ['names with a space', { 'Ada Lovelace': 1 }],
    ['names in other scripts', { Андрей: 1 }],
    ['file names', { 'diary.txt': 1 }],
    ['days', { '2026-01-15': 1 }],
    ['days after a letter', { d_2026_01_15: 1 }],
    ['numbers', { 447700900123: 1 }],
    ['numbers after a letter', { tel447700900123: 1 }],
    ['ids', { 'f47ac10b-58cc-4372-a567-0e02b2c3d479': 1 }],
    ['hashes', { deadbeefcafe: 1 }],
    ['long texts', { [`a${'b'.repeat(50)}`]: 1 }],
    ['the empty name', { '': 1 }],
    ['more than 40 fields', Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`person${n}`, n]))],
    ['names of objects with the same shape', { ada: { km: 1 }, grace: { km: 2 } }],
  ])('do not contain keys that are data: %s', (_, data) => {
    for (const path of Object.keys(countFields(data) ?? {})) expect(path).toMatch(/^\*(?:\.km)?$/u);
    for (const path of Object.keys(countFields({ by: [data] }) ?? {})) expect(path).toMatch(/^by\[\]\.\*(?:\.km)?$/u);
  });

  it('cover at most five levels and two hundred fields', () => {
    expect(countFields({ a: { b: { c: { d: { e: { f: [1, { g: 2 }] } } } } } })).toStrictEqual({ 'a.b.c.d.*': 2 });
    const wideRecord = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `w${n}`,
        Object.fromEntries(Array.from({ length: 20 }, (__, m) => [`f${n}x${m}`, 1])),
      ]),
    );
    const paths = countFields(wideRecord) ?? {};
    expect(Object.keys(paths)).toHaveLength(200);
    expect(Object.values(paths).reduce((sum, count) => sum + count, 0)).toBe(600);
  });

  it('are limited to the shared fields and those below them', () => {
    const data = {
      n: 1,
      heart: { low: 50, high: 90 },
      trips: [{ km: 1, secret: 'x' }],
      people: { 'Ada L': { age: 3 } },
    };
    expect(countFields(data, mappedPathsOf({ pulse: 'heart' }))).toStrictEqual({ 'heart.low': 1, 'heart.high': 1 });
    expect(countFields(data, mappedPathsOf({ n: 'data.n', way: 'trips[0].km' }))).toStrictEqual({
      n: 1,
      'trips[].km': 1,
    });
    expect(countFields(data, mappedPathsOf({ age: 'people.Ada L.age' }))).toStrictEqual({ 'people.*.age': 1 });
  });

  it('contain of a nested mapping only the mapped members, and all fields of an entire record', () => {
    const data = { n: 1, trips: [{ km: 1, secret: 'x', by: { name: 'y', age: 2 } }] };
    const trips = { source: 'data.trips[]', mappings: { way: 'km', by: { source: 'by', mappings: { name: 'name' } } } };
    expect(countFields(data, mappedPathsOf({ trips }))).toStrictEqual({ 'trips[].km': 1, 'trips[].by.name': 1 });
    expect(countFields(data, mappedPathsOf({ all: '[]' }))).toStrictEqual(countFields(data));
  });

  it('add up to at most the maximum count of a report, and are split into events of 50 endpoints', () => {
    const counts: EndpointCounts = new Map();
    for (let times = 0; times < 2; times += 1)
      addStats(counts, [{ endpoint: 'a/b', records: 6_000_000, propertyStats: { n: 6_000_000 } }]);
    expect(statsOf(counts)).toStrictEqual([{ endpoint: 'a/b', records: 10_000_000, propertyStats: { n: 10_000_000 } }]);
    const stats = Array.from({ length: 120 }, (_, n) => ({ endpoint: `a/${n}`, records: 1, propertyStats: {} }));
    expect(splitStats(stats).map((batch) => batch.length)).toStrictEqual([50, 50, 20]);
  });
});
