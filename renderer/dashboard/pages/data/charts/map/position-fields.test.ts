import { describe, expect, it } from 'vitest';
import type { Field } from '../../../../../../server/wire/fields.ts';
import { positionFields, titleField } from './position-fields.ts';

const field = (path: string, type: Field['type'], filled = 1): Field => ({
  path,
  name: path,
  type,
  unit: '',
  filled,
  exceptions: 0,
  distinct: 5,
  corrected: false,
});

describe('positionFields', () => {
  const pathsOf = (fields: readonly Field[]) =>
    positionFields(fields).map(({ field: { path }, second }) => [path, second?.path]);

  it('pairs each latitude with the longitude of the same name', () => {
    const fields = [
      field('fromLat', 'latitude'),
      field('toLat', 'latitude'),
      field('toLng', 'longitude'),
      field('fromLng', 'longitude'),
    ];
    expect(pathsOf(fields)).toEqual([
      ['fromLat', 'fromLng'],
      ['toLat', 'toLng'],
    ]);
  });

  it('pairs different names if there is only one longitude, and omits coordinates without a partner', () => {
    expect(pathsOf([field('place.latitude', 'latitude'), field('x.long', 'longitude')])).toEqual([
      ['place.latitude', 'x.long'],
    ]);
    expect(pathsOf([field('lat', 'latitude'), field('a', 'longitude'), field('b', 'longitude')])).toEqual([]);
  });

  it('prefers the position that most records have', () => {
    expect(
      pathsOf([field('lat', 'latitude', 0.2), field('lon', 'longitude', 0.2), field('shape', 'geoJson', 0.9)]),
    ).toEqual([
      ['shape', undefined],
      ['lat', 'lon'],
    ]);
  });
});

describe('titleField', () => {
  it('prefers a text field named like a title, else the one that most records have', () => {
    expect(titleField([field('iata', 'text'), field('data.Name', 'text', 0.5)])?.path).toBe('data.Name');
    expect(titleField([field('a', 'text', 0.5), field('b', 'text')])?.path).toBe('b');
    expect(titleField([field('name', 'number')])).toBeUndefined();
  });
});
