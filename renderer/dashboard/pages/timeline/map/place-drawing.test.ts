import { expect, it } from 'vitest';
import { addLineBounds, drawPlaces } from './place-drawing.ts';

const OUTLINES = addLineBounds({
  land: [
    // A continent around the view, and an island elsewhere.
    [-60, 20, 60, 20, 60, 80, -60, 80, -60, 20],
    [100, 0, 110, 0, 110, 10, 100, 10, 100, 0],
  ],
  borders: [
    [10, 40, 10, 60],
    [-100, 40, -100, 60],
  ],
  cities: [
    { name: 'Berlin', position: [13.4, 52.5] },
    { name: 'Tokyo', position: [139.7, 35.7] },
  ],
});

it('draws a single place in the centre, with only the land, borders and cities in the view', () => {
  const { land, borders, places, cities } = drawPlaces([{ latitude: 52.5, longitude: 13.4 }], OUTLINES);
  expect(places).toBe('M400 225h0');
  expect(land.match(/M/gu)).toHaveLength(1);
  // The border is 3.4° to the west, and the view is 4.4° wide.
  expect(borders).toBe('');
  expect(cities).toEqual([{ name: 'Berlin', x: expect.closeTo(400), y: expect.closeTo(225) }]);
});

it('fits all places into the view, and draws places at the same point once', () => {
  const places = [
    { latitude: 40, longitude: -10 },
    { latitude: 60, longitude: 30 },
    { latitude: 60, longitude: 30 },
    { latitude: 60.001, longitude: 30 },
  ];
  const drawing = drawPlaces(places, OUTLINES);
  const dots = [...drawing.places.matchAll(/M(\S+) (\S+)h0/gu)].map(([, x, y]) => [Number(x), Number(y)]);
  expect(dots).toHaveLength(2);
  for (const [x = 0, y = 0] of dots) {
    expect(x).toBeGreaterThanOrEqual(60);
    expect(x).toBeLessThanOrEqual(740);
    expect(y).toBeGreaterThanOrEqual(60);
    expect(y).toBeLessThanOrEqual(390);
  }
  expect(drawing.borders.match(/M/gu)).toHaveLength(1);
});
