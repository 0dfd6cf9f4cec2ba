import { describe, expect, it } from 'vitest';
import { buildMapBackground, outlinesOf } from './map-background.ts';

const background = buildMapBackground();
const { land, borders, countries, cities } = background;

describe('buildMapBackground', () => {
  it('cuts outlines at the antimeridian, so that no edge crosses the map', () => {
    const edges = [...land.flat(), ...borders].flatMap((line) =>
      line.slice(1).map((position, index) => Math.abs((position[0] ?? 0) - (line[index]?.[0] ?? 0))),
    );
    // Only the edge of Antarctica along the pole is longer.
    expect(edges.filter((degrees) => degrees > 10).length).toBeLessThan(5);
    for (const [longitude = 0, latitude = 0] of land.flat(2)) {
      expect(Math.abs(longitude)).toBeLessThanOrEqual(180);
      expect(Math.abs(latitude)).toBeLessThanOrEqual(90);
    }
  });

  it('identifies each country by its code and sorts the cities by population', () => {
    expect(countries.slice(0, 3).map(({ code }) => code)).toContain('RU');
    expect(countries.find(({ code }) => code === 'DE')?.position).toEqual([
      expect.closeTo(10.4, 0),
      expect.closeTo(51, 0),
    ]);
    expect(new Set(countries.map(({ code }) => code)).size).toBe(countries.length);
    expect(cities.length).toBeGreaterThan(4000);
    expect(cities.find(({ name }) => name === 'Berlin')?.position).toEqual([13.41, 52.52]);
    expect(cities.map(({ population }) => population)).toEqual(
      cities.map(({ population }) => population).toSorted((a, b) => b - a),
    );
  });
});

describe('outlinesOf', () => {
  it('returns the outlines and cities of the background for the guest pages', () => {
    const outlines = outlinesOf(background);
    expect(outlines.land).toHaveLength(land.flat().length);
    expect(outlines.land[0]?.slice(0, 4)).toEqual(land[0]?.[0]?.slice(0, 2).flat());
    expect(outlines.cities[0]).toEqual({ name: cities[0]?.name, position: cities[0]?.position });
  });
});
