// Outlines and cities on maps without a tile server. Coordinates are degrees (WGS 84).

export type City = {
  readonly name: string;
  /** Longitude and latitude. */
  readonly position: readonly number[];
};

/** Background of the maps on the guest pages and in the timeline, created by `build/map-background.ts`. */
export type MapOutlines = {
  /** Corners of the rings of all land: alternating longitudes and latitudes. Holes are also rings. */
  readonly land: readonly (readonly number[])[];
  /** Borders between countries, in the same form. */
  readonly borders: readonly (readonly number[])[];
  /** The most populous cities first. */
  readonly cities: readonly City[];
};

export const MAP_OUTLINES_FILE = 'map-outlines.json';

const FULL_CIRCLE = 360;
const KM_PER_DEGREE = 111.2;
const MAX_CITY_DISTANCE_KM = 100;

/** Returns the equivalent longitude within ±180°. */
export const wrapLongitude = (longitude: number): number => {
  const angle = (((longitude + 180) % FULL_CIRCLE) + FULL_CIRCLE) % FULL_CIRCLE;
  return angle - 180;
};

/** Returns the name of the nearest city within 100 km; undefined if there is none. */
export const nearestCity = (cities: readonly City[], longitude: number, latitude: number): string | undefined => {
  const scale = Math.cos((latitude * Math.PI) / 180);
  let nearest: { name: string; km: number } | undefined;
  for (const { name, position } of cities) {
    const north = (position[1] ?? 0) - latitude;
    if (Math.abs(north) * KM_PER_DEGREE > MAX_CITY_DISTANCE_KM) continue;
    const east = wrapLongitude((position[0] ?? 0) - longitude) * scale;
    const km = Math.hypot(east, north) * KM_PER_DEGREE;
    if (km <= MAX_CITY_DISTANCE_KM && (nearest === undefined || km < nearest.km)) nearest = { name, km };
  }
  return nearest?.name;
};
