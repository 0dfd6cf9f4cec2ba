import { describe, expect, it } from 'vitest';
import { nearestCity } from './map-outlines.ts';

describe('nearestCity', () => {
  const cities = [
    { name: 'Berlin', position: [13.41, 52.52] },
    { name: 'Potsdam', position: [13.07, 52.4] },
    { name: 'Suva', position: [178.44, -18.14] },
  ];

  it('finds the nearest city within 100 km', () => {
    expect(nearestCity(cities, 13.1, 52.4)).toBe('Potsdam');
    expect(nearestCity(cities, 13.4, 52.6)).toBe('Berlin');
    expect(nearestCity(cities, 0, 0)).toBeUndefined();
    expect(nearestCity(cities, -181.5, -18)).toBe('Suva');
  });
});
