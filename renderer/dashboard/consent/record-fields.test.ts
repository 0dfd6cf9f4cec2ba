import { describe, expect, it } from 'vitest';
import type { Mapping } from '../../../server/wire/query.ts';
import { plainBundle } from '../../shared/consent/bundle-text.ts';
import { type Choices, NO_CHOICES, setEntryShared, setFieldShared } from './choices.ts';
import { fieldPaths, isSharedByOtherField, unrequestedPaths, fieldsWithObjects } from './record-fields.ts';

describe('record fields', () => {
  const [property] = plainBundle({
    a: { endpoints: [{ endpoint: 'fit/steps', mapping: { s: 'data.steps', first: 'tags[0]', where: 'data.place' } }] },
  });
  const entries = property?.entries ?? [];

  it('are listed as unrequested if no entry requests them', () => {
    const paths = fieldPaths([
      { steps: 1, tags: ['a'], place: { lat: 1, lon: 2 }, device: { name: 'x', id: { a: 1 } } },
      'text',
      null,
    ]);
    expect(unrequestedPaths(paths, entries)).toEqual(['device.name', 'device.id.a']);
  });

  it('are never listed as unrequested if entire records are requested', () => {
    const [entire] = plainBundle({ a: { endpoints: [{ endpoint: 'fit/steps' }] } });
    expect(unrequestedPaths(['steps'], entire?.entries ?? [])).toEqual([]);
  });

  it('are not listed as unrequested if the source of a field is the whole record', () => {
    const unrequested = (source: string): string[] => {
      const [property] = plainBundle({ a: { endpoints: [{ endpoint: 'fit/steps', mapping: { s: source } }] } });
      return unrequestedPaths(['steps', 'place'], property?.entries ?? []);
    };
    expect(unrequested('[]')).toEqual([]);
    expect(unrequested('data.[][]')).toEqual([]);
    expect(unrequested('[].steps')).toEqual(['place']);
  });

  it('are not listed as unrequested if the record has an object named like the prefix of a path', () => {
    const [property] = plainBundle({ a: { endpoints: [{ endpoint: 'fit/steps', mapping: { s: 'data.steps' } }] } });
    const paths = fieldPaths([{ data: { steps: 1, place: 2 }, steps: 3, place: 4 }]);
    expect(unrequestedPaths(paths, property?.entries ?? [])).toEqual(['data.place', 'place']);
  });

  it('are reported if they contain whole objects', () => {
    const [entry] = entries;
    if (entry === undefined) throw new Error('no entry');
    const records = [{ endpoint: 'fit/steps', recordId: '1', data: { s: 1, where: { lat: 1 } } }];
    expect([...fieldsWithObjects(records, entry)]).toEqual(['where']);
    expect([...fieldsWithObjects([{ endpoint: 'other/one', data: { s: { a: 1 } } }], entry)]).toEqual([]);
  });
});

describe('a field that the owner excludes', () => {
  const isShared = (mappings: readonly (Mapping | null)[], change?: (choices: Choices) => Choices): boolean => {
    const properties = plainBundle(
      Object.fromEntries(
        [{ date: 'date', place: 'place.lat' }, ...mappings].map((mapping, index) => [
          `p${index}`,
          { endpoints: [{ endpoint: 'fit/steps', mapping }] },
        ]),
      ),
    );
    const entries = properties.flatMap((property) => property.entries);
    const [entry] = entries;
    if (entry === undefined) throw new Error('no entry');
    const choices = setFieldShared(NO_CHOICES, entry, 'place', false, []);
    return isSharedByOtherField(entry.endpoint, 'place.lat', entries, change?.(choices) ?? choices);
  };

  it('is still shared if another field contains it', () => {
    expect(isShared([])).toBe(false);
    expect(isShared([{ date: 'date', longitude: 'place.lon' }])).toBe(false);
    for (const mapping of [{ p: 'data.place.lat' }, { p: 'place' }, { p: '[]' }, null])
      expect(isShared([mapping])).toBe(true);
  });

  it('is not shared by a field with another member or element of the same list', () => {
    const [entry, other] = plainBundle({
      p0: { endpoints: [{ endpoint: 'fit/steps', mapping: { first: 'laps[].time', second: 'laps[0]' } }] },
      p1: { endpoints: [{ endpoint: 'fit/steps', mapping: { other: 'laps[].pulse', third: 'laps[1]' } }] },
    }).flatMap((property) => property.entries);
    if (entry === undefined || other === undefined) throw new Error('no entry');
    const choices = setEntryShared(NO_CHOICES, entry, false);
    for (const path of ['laps[].time', 'laps[0]'])
      expect(isSharedByOtherField(entry.endpoint, path, [entry, other], choices)).toBe(false);
    expect(isSharedByOtherField(entry.endpoint, 'laps[1].time', [entry, other], choices)).toBe(true);
  });

  it('is not shared if the owner excludes the other field, too', () => {
    const [, other] = plainBundle({
      p0: { endpoints: [{ endpoint: 'fit/steps' }] },
      p1: { endpoints: [{ endpoint: 'fit/steps' }] },
    }).flatMap((property) => property.entries);
    if (other === undefined) throw new Error('no entry');
    expect(isShared([{ p: 'place' }], (choices) => setEntryShared(choices, other, false))).toBe(false);
    expect(isShared([null], (choices) => setFieldShared(choices, other, 'place', false, ['date', 'place']))).toBe(
      false,
    );
    expect(isShared([null], (choices) => setFieldShared(choices, other, 'date', false, ['date', 'place']))).toBe(true);
  });
});
