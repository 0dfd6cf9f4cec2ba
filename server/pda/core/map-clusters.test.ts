import { describe, expect, it } from 'vitest';
import { insideSql, mergeOverlapping } from './map-clusters.ts';

describe('mergeOverlapping', () => {
  const cluster = (longitude: number, latitude: number, records: number) => ({
    longitude,
    latitude,
    records,
    title: records === 1 ? 'one' : null,
    bounds: { west: longitude, south: latitude, east: longitude, north: latitude },
  });
  const merge = (clusters: readonly ReturnType<typeof cluster>[], zoom: number) =>
    mergeOverlapping(clusters, zoom, (merged) => ({ ...merged, title: null }));
  /** Longitude difference that 28 pixels span at zoom level 4. */
  const distance = (28 * 360) / (512 * 2 ** 4);

  it('merges clusters closer than 28 pixels, and adds up their records and areas', () => {
    const nearDistance = distance * 0.9;
    expect(merge([cluster(10, 0, 3), cluster(10 + nearDistance, 0, 1)], 4)).toEqual([
      {
        longitude: 10 + nearDistance / 4,
        latitude: 0,
        records: 4,
        title: null,
        bounds: { west: 10, south: 0, east: 10 + nearDistance, north: 0 },
      },
    ]);
  });

  it('keeps clusters with a larger distance apart, even at the poles, and merges them at a lower zoom level', () => {
    const clusters = [cluster(10, 0, 3), cluster(10 + distance * 1.1, 0, 1), cluster(10, 90, 1), cluster(10, -90, 1)];
    expect(merge(clusters, 4)).toEqual(clusters);
    expect(merge(clusters.slice(0, 2), 3)).toHaveLength(1);
  });

  it('merges a cluster with either of two clusters in the same cell', () => {
    /** @param units distance from the north-western corner of the world in both directions, in units of 28 pixels */
    const onDiagonal = (units: number, records: number) => {
      const y = (0.5 - (units * distance) / 360) * 2 * Math.PI;
      return cluster(units * distance - 180, (Math.atan(Math.sinh(y)) * 180) / Math.PI, records);
    };
    const corners = [onDiagonal(146.02, 5), onDiagonal(146.98, 4)];
    expect(merge(corners, 4), 'they do not overlap').toEqual(corners);
    expect(merge([...corners, onDiagonal(145.8, 1)], 4).map(({ records }) => records)).toEqual([6, 4]);
    expect(merge([...corners, onDiagonal(147.2, 1)], 4).map(({ records }) => records)).toEqual([5, 5]);
  });
});

describe('insideSql', () => {
  it('divides an area that crosses the antimeridian', () => {
    const bounds = { west: 170, south: -20, east: -170, north: 0.5 };
    expect(insideSql(bounds)).toBe('(latitude BETWEEN -20 AND 0.5 AND (longitude >= 170 OR longitude <= -170))');
    expect(insideSql({ ...bounds, west: -180 })).toBe(
      '(latitude BETWEEN -20 AND 0.5 AND longitude BETWEEN -180 AND -170)',
    );
  });
});
