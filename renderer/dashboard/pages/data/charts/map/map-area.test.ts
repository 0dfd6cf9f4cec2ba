import { describe, expect, it } from 'vitest';
import { areaOfBounds, areaOfView, isOnePlace } from './map-area.ts';

describe('areaOfView', () => {
  it('snaps a view to a grid, so that nearby views share one area', () => {
    const area = areaOfView({ west: 5, south: 46, east: 16, north: 56 }, 4.7);
    expect(area).toEqual({ bounds: { west: 0, south: 45, east: 22.5, north: 56.25 }, zoom: 4 });
    expect(areaOfView({ west: 4, south: 46.5, east: 15, north: 56.2 }, 4.1)).toEqual(area);
  });

  it('crosses the antimeridian in every copy of the world', () => {
    const bounds = { west: 168.75, south: -22.5, east: -168.75, north: -11.25 };
    expect(areaOfView({ west: 170, south: -20, east: 190, north: -15 }, 4).bounds).toEqual(bounds);
    expect(areaOfView({ west: 530, south: -20, east: 550, north: -15 }, 4).bounds).toEqual(bounds);
    expect(areaOfView({ west: -190, south: -20, east: -170, north: -15 }, 4).bounds).toEqual(bounds);
  });

  it('keeps an edge at the antimeridian, and covers the world at most once', () => {
    expect(areaOfView({ west: 170, south: 0, east: 180, north: 10 }, 4).bounds).toMatchObject({
      west: 168.75,
      east: 180,
    });
    expect(areaOfView({ west: -180, south: 0, east: -170, north: 10 }, 4).bounds).toMatchObject({ west: -180 });
    expect(areaOfView({ west: -400, south: -95, east: 300, north: 95 }, -1)).toEqual({
      bounds: { west: -180, south: -90, east: 180, north: 90 },
      zoom: 0,
    });
  });
});

describe('areaOfBounds', () => {
  it('chooses the zoom level at which the bounds fill the width', () => {
    expect(areaOfBounds({ west: -180, south: -60, east: 180, north: 60 }, 512).zoom).toBe(0);
    expect(areaOfBounds({ west: 10, south: 50, east: 11, north: 51 }, 1024).zoom).toBe(9);
    expect(areaOfBounds({ west: 10, south: 50, east: 10, north: 50 }, 1024).zoom).toBe(22);
  });
});

describe('isOnePlace', () => {
  it('is true for positions that differ by less than a metre', () => {
    expect(isOnePlace({ west: 10, south: 50, east: 10.000_001, north: 50 })).toBe(true);
    expect(isOnePlace({ west: 10, south: 50, east: 10.001, north: 50 })).toBe(false);
  });
});
