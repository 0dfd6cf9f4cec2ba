import { describe, expect, it } from 'vitest';
import { fitView, projectPosition } from './mercator.ts';

const SIZE = { width: 800, height: 500, padding: 40 };

describe('a view of a map', () => {
  it('fits an area within its padding', () => {
    const bounds = { west: 5, south: 47, east: 15, north: 55 };
    const view = fitView(bounds, SIZE, 11);
    const [northWest, southEast] = [projectPosition(5, 55, view), projectPosition(15, 47, view)];
    expect([northWest.y, southEast.y]).toEqual([expect.closeTo(40), expect.closeTo(460)]);
    expect(northWest.x + southEast.x).toBeCloseTo(800);
    expect(northWest.x).toBeGreaterThan(40);
  });

  it('shows a single position in its centre, at the maximum zoom level', () => {
    const view = fitView({ west: 13.4, south: 52.5, east: 13.4, north: 52.5 }, SIZE, 11);
    expect(view.zoom).toBe(11);
    expect(projectPosition(13.4, 52.5, view)).toEqual({ x: expect.closeTo(400), y: expect.closeTo(250) });
  });

  it('projects the poles to finite coordinates', () => {
    const view = fitView({ west: -180, south: -90, east: 180, north: 90 }, SIZE, 11);
    for (const latitude of [-90, 90]) expect(Number.isFinite(projectPosition(0, latitude, view).y)).toBe(true);
  });
});
