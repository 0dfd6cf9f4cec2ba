import { describe, expect, it } from 'vitest';
import { namedCities } from '../../../../wire/map-paths.ts';
import { fitView } from '../../../../wire/mercator.ts';
import { drawMap } from './map-drawing.ts';

const view = fitView({ west: 5, south: 47, east: 15, north: 55 }, { width: 800, height: 500, padding: 40 }, 11);
const cluster = (records: number, longitude = 10, latitude = 51) => ({
  longitude,
  latitude,
  records,
  recordId: null,
  title: null,
  bounds: { west: longitude, south: latitude, east: longitude, north: latitude },
});
const draw = (parts: Partial<Parameters<typeof drawMap>[0]>): string =>
  drawMap({ label: 'Walks', view, clusters: [], lines: [], outlines: undefined, ...parts });

describe('a map', () => {
  it('shows places at their positions, with larger markers for more records', () => {
    const svg = draw({ clusters: [cluster(1), cluster(250, 5, 55)] });
    expect(svg).toMatch(/class="marker" data-size="1" d="M400 2\d\d\.?\d*h0"/u);
    expect(svg).toMatch(/class="marker" data-size="4" d="M\d+\.?\d* 40h0"/u);
  });

  it('draws only the land that the view includes', () => {
    const land = [
      [-60, 20, 60, 20, 60, 80, -60, 80, -60, 20],
      [100, 0, 110, 0, 110, 10, 100, 0],
    ];
    const svg = draw({ outlines: { land, borders: [], cities: [] } });
    expect(svg.match(/M/gu)).toHaveLength(1);
    expect(svg).not.toMatch(/NaN|Infinity/u);
  });

  it('connects positions with lines', () => {
    const svg = draw({
      lines: [
        [
          [5, 55],
          [15, 47],
        ],
      ],
    });
    expect(svg).toMatch(/class="track" d="M\d+\.?\d* 40L\d+\.?\d* 460"/u);
  });

  it('labels the largest cities that fit, and escapes their names', () => {
    const city = (name: string, longitude: number, latitude: number) => ({ name, position: [longitude, latitude] });
    const cities = [
      city('Large<', 10, 51),
      city('Overlapping', 10.1, 51),
      city('Elsewhere', 100, 51),
      city('Small', 10, 49),
    ];
    const outlines = { land: [], borders: [], cities };
    expect(namedCities(outlines, view).map(({ name }) => name)).toEqual(['Large<', 'Small']);
    expect(draw({ outlines })).toContain('>Large&lt;</text>');
  });
});
