import { describe, expect, it } from 'vitest';
import type { Field, TimelineItem } from '../../../../shared/api/contract.ts';
import { placesOfItems } from './places.ts';

const field = (path: string, type: Field['type']): Field => ({
  path,
  name: path,
  type,
  unit: '',
  filled: 1,
  exceptions: 0,
  distinct: 5,
  corrected: false,
});
const record = (data: unknown): TimelineItem => ({
  kind: 'record',
  recordId: '019bc186-de00-7000-8937-015a1f841fa9',
  time: '2026-03-01',
  data: data as never,
  entry: null,
});

describe('the places of records', () => {
  it('are read from latitude and longitude, including numeric strings, and exclude invalid positions', () => {
    const fields = [field('at.lat', 'latitude'), field('at.lon', 'longitude')];
    const positions = [
      [52.5, 13.4],
      ['48.1', ' 11.6 '],
      [91, 0],
      [0, 181],
      ['', ''],
      [null, 3],
      ['north', 3],
    ];
    const items = positions.map(([lat, lon]) => record({ at: { lat, lon } }));
    expect(placesOfItems([...items, record('no object')], fields)).toEqual([
      { latitude: 52.5, longitude: 13.4 },
      { latitude: 48.1, longitude: 11.6 },
    ]);
  });

  it('are all positions of GeoJSON, down to a limited depth', () => {
    const coordinates = [
      [13, 52, 34],
      [13.1, 52.1],
    ];
    const line = { type: 'LineString', coordinates };
    const feature = { type: 'Feature', geometry: line, properties: { coordinates: [1, 2] } };
    const nestedCoordinates = Array.from({ length: 100 }).reduce<unknown>((inner) => [inner], [1, 2]);
    const fields = [field('', 'geoJson')];
    expect(placesOfItems([record(feature), record({ coordinates: nestedCoordinates }), record(null)], fields)).toEqual([
      { latitude: 52, longitude: 13 },
      { latitude: 52.1, longitude: 13.1 },
    ]);
  });

  it('are at most 2,000, from one record or several', () => {
    const walk = (count: number) => record({ coordinates: Array.from({ length: count }, (_, n) => [n / 100, 50]) });
    const fields = [field('', 'geoJson')];
    expect(placesOfItems([walk(1500), walk(1500)], fields)).toHaveLength(2000);
    expect(placesOfItems([walk(5000)], fields).at(-1)).toEqual({ latitude: 50, longitude: 19.99 });
  });

  it('are not read from fields of other types', () => {
    expect(placesOfItems([record({ lat: 1, lon: 2 })], [field('lat', 'number')])).toEqual([]);
  });
});
