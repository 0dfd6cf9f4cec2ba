import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mapping } from '../../../../wire/query.ts';
import { paths, recordValues } from './generators.test-support.ts';
import { parseJson } from './json.ts';
import { compileMapping, compileTextMapping, sourceOfOutput } from './mapping.ts';

const event = {
  data: {
    name: 'Meeting',
    place: { city: 'Łódź', geo: [51.7, 19.4] },
    none: null,
    'start-time': '2017-05-05T10:00:00Z',
  },
  attendees: [{ name: 'Ann', mail: { home: 'a@b' } }, 'person', { nick: 'Bo' }, null],
  list: [[1, 2], [3]],
};
const map = (mapping: Mapping): unknown => compileMapping(mapping)(event);

describe('a mapping', () => {
  it('copies strings, objects, arrays and null to the output names', () => {
    expect(map({ title: 'data.name', where: 'data.place', geo: 'data.place.geo', nothing: 'data.none' })).toEqual({
      title: 'Meeting',
      where: event.data.place,
      geo: [51.7, 19.4],
      nothing: null,
    });
  });

  it('reads elements by index, and whole arrays', () => {
    expect(map({ a: 'list[0][1]', b: 'list.1.0', c: 'list[]', d: 'attendees[0].name', e: 'attendees[].name' })).toEqual(
      {
        a: 2,
        b: 3,
        c: event.list,
        d: 'Ann',
      },
    );
  });

  it('reads and writes names with special characters', () => {
    expect(map({ 'when it@starts': 'data.start-time' })).toEqual({ 'when it@starts': '2017-05-05T10:00:00Z' });
  });

  it('resolves a path that begins with `data.` literally first, then without the prefix', () => {
    expect(map({ a: 'data.name', b: 'data.attendees[0].name' })).toEqual({ a: 'Meeting', b: 'Ann' });
  });

  it('omits missing values, and returns an empty object if all are missing', () => {
    expect(map({ a: 'data.nothing', b: 'list[7]', c: 'data.name.first' })).toEqual({});
    expect(map({})).toEqual({});
  });

  it('ignores inherited properties', () => {
    expect(map({ a: 'constructor', b: 'data.toString', c: '__proto__', d: 'list.length' })).toEqual({});
  });

  it('nests dotted destinations, and merges destinations with a common prefix', () => {
    expect(map({ 'a.b.c': 'data.name', 'a.b.d': 'list[1]', 'a.e': 'data.none' })).toEqual({
      a: { b: { c: 'Meeting', d: [3] }, e: null },
    });
  });

  it('merges into a copied object without changing the record', () => {
    const original = structuredClone(event);
    expect(map({ place: 'data.place', 'place.of': 'data.name', 'place.geo': 'list[1]' })).toEqual({
      place: { city: 'Łódź', geo: [3], of: 'Meeting' },
    });
    expect(event).toEqual(original);
  });

  it('maps each element of an array, and omits elements that are not containers', () => {
    expect(
      map({ 'people[]': { source: 'attendees[]', mappings: { who: 'name', 'contact.mail': 'mail.home' } } }),
    ).toEqual({
      people: [{ who: 'Ann', contact: { mail: 'a@b' } }, {}],
    });
  });

  it('maps nested objects, and mappings within mappings', () => {
    expect(
      map({
        where: { source: 'data.place', mappings: { town: 'city', at: { source: 'geo', mappings: { lat: '0' } } } },
      }),
    ).toEqual({ where: { town: 'Łódź', at: { lat: 51.7 } } });
  });

  it('omits a nested mapping whose source is missing or has the wrong type', () => {
    const mappings = { x: 'y' };
    expect(map({ 'a[]': { source: 'nowhere[]', mappings }, 'b[]': { source: 'data', mappings } })).toEqual({});
    expect(map({ c: { source: 'data.name', mappings }, d: { source: 'data.none', mappings } })).toEqual({});
  });

  it('maps records that are not objects', () => {
    expect(compileMapping({ a: '[0]', b: '1', c: 'x' })([1, 2])).toEqual({ a: 1, b: 2 });
    expect(compileMapping({ a: 'x' })('text')).toEqual({});
  });

  it('never changes a record and never fails, for any record and mapping', () => {
    fc.assert(
      fc.property(recordValues, fc.array(fc.tuple(paths, paths)), (value, pairs) => {
        const textBefore = JSON.stringify(value);
        const result = compileMapping(Object.fromEntries<string>(pairs))(value);
        expect(JSON.stringify(value)).toBe(textBefore);
        expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
      }),
      { numRuns: 500 },
    );
  });

  it('preserves every digit of long numbers', () => {
    const text = compileTextMapping({ id: 'id', 'in.deep': 'list[0]', all: 'list', of: 'id.rawJSON' })(
      '{"id":12345678901234567890,"list":[0.1000000000000000055,1]}',
    );
    expect(text).toBe(
      '{"id":12345678901234567890,"in":{"deep":0.1000000000000000055},"all":[0.1000000000000000055,1]}',
    );
  });

  it('returns equal results for text and for values', () => {
    fc.assert(
      fc.property(recordValues, fc.array(fc.tuple(paths, paths)), (value, pairs) => {
        const mapping = Object.fromEntries<string>(pairs);
        const text = JSON.stringify(value);
        expect(parseJson(compileTextMapping(mapping)(text))).toEqual(compileMapping(mapping)(parseJson(text)));
      }),
      { numRuns: 500 },
    );
  });
});

describe('orderBy', () => {
  it('resolves an output name of the mapping to its source, and treats any other name as a path', () => {
    const mapping = { title: 'data.name', 'a.b': 'data.c', 'people[]': { source: 'attendees', mappings: {} } };
    expect(sourceOfOutput('title', mapping)).toBe('data.name');
    expect(sourceOfOutput('a.b', mapping)).toBe('data.c');
    expect(sourceOfOutput('people', mapping)).toBe('attendees');
    expect(sourceOfOutput('data.name', mapping)).toBe('data.name');
    expect(sourceOfOutput('constructor', mapping)).toBe('constructor');
    expect(sourceOfOutput('title', null)).toBe('title');
  });
});
