import { wrapLongitude } from '../../../../../../server/wire/map-outlines.ts';
import type { MapBounds } from '../../../../../../server/wire/maps.ts';
import type { MapArea } from '../../../../api/maps.ts';

// All coordinates are in degrees.

const FULL_CIRCLE = 360;
const MAX_ZOOM = 22;
/** Size of the world at zoom level 0. */
const WORLD_PX = 512;
/** Grid steps per map tile. Areas are aligned to this grid, so that a small movement needs no new request. */
const STEPS_PER_TILE = 2;

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/**
 * Extends a view to the edges of a grid and normalises its longitudes to ±180°.
 * @param view its longitudes may be beyond ±180°
 */
export const areaOfView = (view: MapBounds, zoom: number): MapArea => {
  const level = clamp(Math.floor(zoom), 0, MAX_ZOOM);
  const step = FULL_CIRCLE / (STEPS_PER_TILE * 2 ** level);
  const west = Math.floor(view.west / step) * step;
  const east = Math.ceil(view.east / step) * step;
  const south = clamp(Math.floor(view.south / step) * step, -90, 90);
  const north = clamp(Math.ceil(view.north / step) * step, -90, 90);
  const isWorld = east - west >= FULL_CIRCLE;
  return {
    bounds: {
      west: isWorld ? -180 : wrapLongitude(west),
      // At the antimeridian, a western edge is -180° and an eastern edge 180°.
      east: isWorld ? 180 : -wrapLongitude(-east),
      south,
      north,
    },
    zoom: level,
  };
};

export const areaOfBounds = (bounds: MapBounds, widthPx: number): MapArea => {
  const east = bounds.east < bounds.west ? bounds.east + FULL_CIRCLE : bounds.east;
  const span = Math.max(east - bounds.west, bounds.north - bounds.south, FULL_CIRCLE / 2 ** MAX_ZOOM);
  return areaOfView({ ...bounds, east }, Math.log2((FULL_CIRCLE * widthPx) / (WORLD_PX * span)));
};

/** Distance in degrees below which two positions are one place: about one metre. */
const SAME_PLACE_DEGREES = 1e-5;

/** Returns true if the area is a single place, so that the map cannot divide it further. */
export const isOnePlace = ({ west, south, east, north }: MapBounds): boolean =>
  Math.abs(east - west) < SAME_PLACE_DEGREES && Math.abs(north - south) < SAME_PLACE_DEGREES;
