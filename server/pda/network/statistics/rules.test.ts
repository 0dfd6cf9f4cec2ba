import { describe, expect, it } from 'vitest';
import { addStats, countRecord, placesOf, splitStats, statsOf, type Counts } from './rules.ts';

const counted = (data: unknown, places?: string[][]): Record<string, number> | undefined => {
  const counts: Counts = new Map();
  countRecord(counts, 'a/b', data, places);
  return statsOf(counts)[0]?.propertyStats;
};

describe('what is counted of a record', () => {
  it('is how many leaf values each field has, elements of arrays together', () => {
    expect(
      counted({ n: 1, heart: { low: 50, high: 90 }, tags: ['x', 'y'], trips: [{ km: 1 }, { km: 2, on: true }] }),
    ).toStrictEqual({
      n: 1,
      'heart.low': 1,
      'heart.high': 1,
      'tags[]': 2,
      'trips[].km': 2,
      'trips[].on': 1,
    });
    expect(counted({ a: null, b: {}, c: [] })).toStrictEqual({});
    expect([counted(5), counted([1, 2]), counted([[1], [2]])]).toStrictEqual([{ '*': 1 }, { '[]': 2 }, { '[]': 2 }]);
  });

  it.each<[string, unknown]>([
    ['e-mail addresses', { 'ada@example.org': 1, 'bob@example.org': 2 }],
    ['one e-mail address among fields', { total: 1, 'ada@example.org': 2 }],
    ['names with a space', { 'Ada Lovelace': 1 }],
    ['names in other letters', { Андрей: 1 }],
    ['file names', { 'diary.txt': 1 }],
    ['days', { '2026-01-15': 1 }],
    ['days behind a letter', { d_2026_01_15: 1 }],
    ['numbers', { 447700900123: 1 }],
    ['numbers behind a letter', { tel447700900123: 1 }],
    ['ids', { 'f47ac10b-58cc-4372-a567-0e02b2c3d479': 1 }],
    ['hashes', { deadbeefcafe: 1 }],
    ['long texts', { [`a${'b'.repeat(50)}`]: 1 }],
    ['nothing', { '': 1 }],
    ['very many fields', Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`person${n}`, n]))],
    ['names of which each has the same', { ada: { km: 1 }, grace: { km: 2 } }],
  ])('names no keys that are data: %s', (_, keyed) => {
    for (const path of Object.keys(counted(keyed) ?? {})) expect(path).toMatch(/^\*(?:\.km)?$/u);
    for (const path of Object.keys(counted({ by: [keyed] }) ?? {})) expect(path).toMatch(/^by\[\]\.\*(?:\.km)?$/u);
  });

  it('goes five levels deep, and knows two hundred fields', () => {
    expect(counted({ a: { b: { c: { d: { e: { f: [1, { g: 2 }] } } } } } })).toStrictEqual({ 'a.b.c.d.*': 2 });
    const wide = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `w${n}`,
        Object.fromEntries(Array.from({ length: 20 }, (__, m) => [`f${n}x${m}`, 1])),
      ]),
    );
    const paths = counted(wide) ?? {};
    expect(Object.keys(paths)).toHaveLength(200);
    expect(Object.values(paths).reduce((sum, count) => sum + count, 0)).toBe(600);
  });

  it('is what lies at or below the fields that were shared', () => {
    const data = {
      n: 1,
      heart: { low: 50, high: 90 },
      trips: [{ km: 1, secret: 'x' }],
      people: { 'Ada L': { age: 3 } },
    };
    expect(counted(data, placesOf('heart'))).toStrictEqual({ 'heart.low': 1, 'heart.high': 1 });
    expect(counted(data, [...placesOf('data.n'), ...placesOf('trips[0].km')])).toStrictEqual({ n: 1, 'trips[].km': 1 });
    expect(counted(data, placesOf('people.Ada L.age'))).toStrictEqual({ 'people.*.age': 1 });
  });

  it('adds up, and never beyond what a report can say', () => {
    const counts: Counts = new Map();
    addStats(counts, [{ endpoint: 'a/b', records: 6_000_000, propertyStats: { n: 6_000_000 } }], 2);
    expect(statsOf(counts)).toStrictEqual([{ endpoint: 'a/b', records: 10_000_000, propertyStats: { n: 10_000_000 } }]);
    const many = Array.from({ length: 120 }, (_, n) => ({ endpoint: `a/${n}`, records: 1, propertyStats: {} }));
    expect(splitStats(many).map((part) => part.length)).toStrictEqual([50, 50, 20]);
  });
});
