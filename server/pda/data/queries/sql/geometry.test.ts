import { describe, expect, it } from 'vitest';
import { centreOf, simplifyLines } from './geometry.ts';

const text = (value: unknown): string => JSON.stringify(value);
const deepGeometry = `${'{"geometries":['.repeat(100)}{"type":"Point","coordinates":[1,2]}${']}'.repeat(100)}`;

describe('centreOf', () => {
  it.each([
    [{ type: 'Point', coordinates: [13, 52, 34] }, [13, 52]],
    [
      {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [10, 20],
          [4, 4],
        ],
      },
      [5, 10],
    ],
    [
      {
        type: 'MultiPolygon',
        coordinates: [
          [
            [
              [0, 0],
              [0, 2],
              [2, 2],
              [0, 0],
            ],
          ],
          [
            [
              [8, 8],
              [8, 9],
              [8, 8],
            ],
          ],
        ],
      },
      [4, 4.5],
    ],
    [
      {
        type: 'MultiPoint',
        coordinates: [
          [1, 2],
          [3, 6],
        ],
      },
      [2, 4],
    ],
    [{ type: 'Feature', properties: { x: [99, 9] }, geometry: { type: 'Point', coordinates: [1, 2] } }, [1, 2]],
    [{ type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }] }, [1, 2]],
  ])('finds the centre of %j', (geometry, centre) => {
    expect(centreOf(text(geometry))).toEqual(centre);
  });

  it.each([
    text({ type: 'Point', coordinates: [200, 0] }),
    text({ type: 'Point', coordinates: ['13', 52] }),
    text({ type: 'Point', coordinates: [] }),
    text({ type: 'Feature', geometry: null }),
    '{"type":"LineString","coordinates":[[1e999,0],[0,-1e999]]}',
    deepGeometry,
  ])('returns undefined for %s', (geometry) => {
    expect(centreOf(geometry)).toBeUndefined();
  });
});

describe('simplifyLines', () => {
  it('omits positions in the same cell as the previous position, except the last', () => {
    const coordinates = [
      [0, 0],
      [0.1, 0],
      [0.2, 0],
      [1, 0],
      [1.1, 0],
      [1.2, 0.1],
    ];
    expect(simplifyLines(text({ type: 'LineString', coordinates }), 1)).toEqual([
      [
        [0, 0],
        [1, 0],
        [1.2, 0.1],
      ],
    ]);
  });

  it('does not connect the points of a MultiPoint', () => {
    const line = [
      [0, 0],
      [5, 5],
    ];
    const geometries = [
      { type: 'MultiPoint', coordinates: line },
      { type: 'LineString', coordinates: line },
    ];
    expect(simplifyLines(text({ type: 'GeometryCollection', geometries }), 1)).toEqual([line]);
  });

  it('returns the rings of polygons, and no points', () => {
    const coordinates = [
      [
        [0, 0],
        [0, 5],
        [5, 5],
        [0, 0],
      ],
    ];
    expect(simplifyLines(text({ type: 'Polygon', coordinates }), 1)).toEqual(coordinates);
    expect(simplifyLines(text({ type: 'Point', coordinates: [1, 2] }), 1)).toEqual([]);
  });
});
