import { describe, expect, it } from 'vitest';
import { landPath, simplifyOutline, svgDotsOf } from './map-paths.ts';
import { fitView } from './mercator.ts';

const view = fitView({ west: 5, south: 47, east: 15, north: 55 }, { width: 800, height: 500, padding: 40 }, 11);
const point = (x: number, y: number) => ({ x, y });

describe('an outline', () => {
  it('keeps its corners inside the view, and those that lead into it', () => {
    const outline = [point(-900, 100), point(-500, 120), point(-20, 140), point(300, 200), point(-10, 300)];
    expect(simplifyOutline(outline, view)).toEqual([outline[0], ...outline.slice(2)]);
  });

  it('keeps corners outside of the view that lines across it depend on', () => {
    const surroundingOutline = [point(-100, 250), point(400, -100), point(900, 250), point(400, 600)];
    expect(simplifyOutline(surroundingOutline, view)).toEqual(surroundingOutline);
  });

  it('drops corners too close to the previous corner, except the last corner', () => {
    expect(simplifyOutline([point(1, 1), point(1.5, 1), point(9, 1), point(9.2, 1)], view)).toEqual([
      point(1, 1),
      point(9, 1),
      point(9.2, 1),
    ]);
  });
});

it('leaves land outside of the view out of the path', () => {
  const surroundingOutline = [-60, 20, 60, 20, 60, 80, -60, 80, -60, 20];
  const distantOutline = [100, 0, 110, 0, 110, 10, 100, 10, 100, 0];
  expect(landPath({ land: [distantOutline] }, view)).toBe('');
  expect(landPath({ land: [distantOutline, surroundingOutline] }, view)).toBe(
    landPath({ land: [surroundingOutline] }, view),
  );
  expect(landPath({ land: [surroundingOutline] }, view)).toMatch(/^M-?\d/u);
});

it('draws one dot for several points at the same place', () => {
  expect(svgDotsOf([point(1, 2), point(1.001, 2), point(3, 4.567)])).toBe('M1 2h0M3 4.57h0');
});
