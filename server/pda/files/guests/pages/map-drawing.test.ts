import { describe, expect, it } from 'vitest';
import { fitView } from '../../../core/mercator.ts';
import { mapDrawing, namedCities, simplifyOutline } from './map-drawing.ts';

const view = fitView({ west: 5, south: 47, east: 15, north: 55 }, { width: 800, height: 500, padding: 40 }, 11);
const point = (x: number, y: number) => ({ x, y });
const cluster = (records: number, longitude = 10, latitude = 51) => ({
  longitude,
  latitude,
  records,
  recordId: null,
  title: null,
  bounds: { west: longitude, south: latitude, east: longitude, north: latitude },
});
const draw = (parts: Partial<Parameters<typeof mapDrawing>[0]>): string =>
  mapDrawing({ label: 'Walks', view, clusters: [], lines: [], outlines: undefined, ...parts });

describe('an outline', () => {
  it('keeps its corners inside the view, and those that lead into it', () => {
    const outline = [point(-900, 100), point(-500, 120), point(-20, 140), point(300, 200), point(-10, 300)];
    expect(simplifyOutline(outline, view)).toEqual([outline[0], ...outline.slice(2)]);
  });

  it('keeps corners outside of the view that lines across it depend on', () => {
    const around = [point(-100, 250), point(400, -100), point(900, 250), point(400, 600)];
    expect(simplifyOutline(around, view)).toEqual(around);
  });

  it('loses corners that are too close to be seen, but not its last one', () => {
    expect(simplifyOutline([point(1, 1), point(1.5, 1), point(9, 1), point(9.2, 1)], view)).toEqual([
      point(1, 1),
      point(9, 1),
      point(9.2, 1),
    ]);
  });
});

describe('a map', () => {
  it('shows places at their positions, larger ones for more records', () => {
    const svg = draw({ clusters: [cluster(1), cluster(250, 5, 55)] });
    expect(svg).toMatch(/class="place" data-size="1" d="M400 2\d\d\.?\d*h0"/u);
    expect(svg).toMatch(/class="place" data-size="4" d="M\d+\.?\d* 40h0"/u);
  });

  it('shows land around the view, and nothing that is elsewhere', () => {
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

  it('names the largest cities that fit, as text', () => {
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
