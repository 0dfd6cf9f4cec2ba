/** Outlines and cities that maps show without a tile server. Coordinates are degrees (WGS 84). */

/** City with its longitude and latitude. */
export type City = { readonly name: string; readonly position: readonly number[] };

/** Background of the maps on the guest pages, which `build/map-background.ts` writes. */
export type MapOutlines = {
  /** Longitude and latitude of each corner of the rings of all land, in turn. Holes are rings, too. */
  readonly land: readonly (readonly number[])[];
  /** Borders between countries, in the same form. */
  readonly borders: readonly (readonly number[])[];
  /** Cities by population, the largest first. */
  readonly cities: readonly City[];
};

/** Name of the file with the outlines in the folder of the built dashboard. */
export const MAP_OUTLINES_FILE = 'map-outlines.json';

const FULL_CIRCLE = 360;
const KM_PER_DEGREE = 111.2;
const MAX_CITY_DISTANCE_KM = 100;

/** Returns a longitude within ±180°. */
export const wrapLongitude = (longitude: number): number => {
  const wrapped = (((longitude + 180) % FULL_CIRCLE) + FULL_CIRCLE) % FULL_CIRCLE;
  return wrapped - 180;
};

/** Returns the name of the nearest city within 100 km; undefined if there is none. */
export const nearestCity = (cities: readonly City[], longitude: number, latitude: number): string | undefined => {
  const scale = Math.cos((latitude * Math.PI) / 180);
  let nearest: { name: string; km: number } | undefined;
  for (const { name, position } of cities) {
    const north = (position[1] ?? 0) - latitude;
    // Compared first, because it rules out most cities.
    if (Math.abs(north) * KM_PER_DEGREE > MAX_CITY_DISTANCE_KM) continue;
    const east = wrapLongitude((position[0] ?? 0) - longitude) * scale;
    const km = Math.hypot(east, north) * KM_PER_DEGREE;
    if (km <= MAX_CITY_DISTANCE_KM && (nearest === undefined || km < nearest.km)) nearest = { name, km };
  }
  return nearest?.name;
};
