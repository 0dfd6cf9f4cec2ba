import { describe, expect, it } from 'vitest';
import { connectPoints, mergeOverlapping, parseGeometryLines, unwrapLongitudes } from './rules.ts';

describe('unwrapLongitudes', () => {
  it('continues a line across the antimeridian in both directions', () => {
    expect(
      unwrapLongitudes([
        [170, 0],
        [-170, 1],
        [175, 2],
      ]),
    ).toEqual([
      [170, 0],
      [190, 1],
      [175, 2],
    ]);
    expect(
      unwrapLongitudes([
        [-179, 0],
        [179, 0],
      ]),
    ).toEqual([
      [-179, 0],
      [-181, 0],
    ]);
  });
});

describe('connectPoints', () => {
  it('connects points with consecutive numbers in their order and omits single points', () => {
    const points = [9, 5, 4, 2, 1].map((number) => ({ longitude: number, latitude: 0, number }));
    expect(connectPoints(points)).toEqual([
      [
        [4, 0],
        [5, 0],
      ],
      [
        [1, 0],
        [2, 0],
      ],
    ]);
  });
});

describe('parseGeometryLines', () => {
  const geometry = { lines: '[[[1,2],[3,4]],[[5,6],[7,8]]]' };

  it('returns the lines of several geometries', () => {
    expect(parseGeometryLines([geometry, geometry], 10, 10)).toMatchObject({ lines: { length: 4 }, isComplete: true });
  });

  it('reports lines that are omitted beyond the maximum number of lines or points', () => {
    expect(parseGeometryLines([geometry, geometry], 3, 10)).toMatchObject({ lines: { length: 3 }, isComplete: false });
    expect(parseGeometryLines([geometry, geometry], 10, 5)).toMatchObject({ lines: { length: 2 }, isComplete: false });
  });
});

describe('mergeOverlapping', () => {
  const cluster = (longitude: number, latitude: number, records: number) => ({
    longitude,
    latitude,
    records,
    recordId: records === 1 ? '0190a5b4-0000-7000-8000-000000000000' : null,
    title: records === 1 ? 'one' : null,
    bounds: { west: longitude, south: latitude, east: longitude, north: latitude },
  });
  /** Degrees of longitude that 28 pixels show at zoom level 4. */
  const distance = (28 * 360) / (512 * 2 ** 4);

  it('merges clusters closer than 28 pixels, and keeps their number of records and their area', () => {
    const near = distance * 0.9;
    expect(mergeOverlapping([cluster(10, 0, 3), cluster(10 + near, 0, 1)], 4)).toEqual([
      {
        longitude: 10 + near / 4,
        latitude: 0,
        records: 4,
        recordId: null,
        title: null,
        bounds: { west: 10, south: 0, east: 10 + near, north: 0 },
      },
    ]);
  });

  it('does not merge clusters with a larger distance, even at the poles', () => {
    const clusters = [cluster(10, 0, 3), cluster(10 + distance * 1.1, 0, 1), cluster(10, 90, 1), cluster(10, -90, 1)];
    expect(mergeOverlapping(clusters, 4)).toEqual(clusters);
    expect(mergeOverlapping(clusters.slice(0, 2), 3)).toHaveLength(1);
  });
});
