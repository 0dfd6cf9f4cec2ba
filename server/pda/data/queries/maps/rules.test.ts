import { describe, expect, it } from 'vitest';
import { connectPoints, parseGeometryLines, unwrapLongitudes } from './rules.ts';

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
