import type { MapBounds } from './maps.ts';

// The projection of maps (Web Mercator).

/** Width and height of the world at zoom level 0. */
const WORLD_PX = 512;
/** Sine of 89.2°, the maximum latitude at which positions are drawn. The poles would be infinitely far away. */
const MAX_SINE = 0.9999;

/** Zoom level of a map, and the distance in pixels of its left and upper edges from the edges of the world. */
type MapScale = { readonly zoom: number; readonly left: number; readonly top: number };

export type MapView = MapScale & { readonly width: number; readonly height: number };

type MapSize = { readonly width: number; readonly height: number; readonly padding: number };

export const projectPosition = (
  longitude: number,
  latitude: number,
  { zoom, left, top }: MapScale,
): { x: number; y: number } => {
  const world = WORLD_PX * 2 ** zoom;
  const sine = Math.min(MAX_SINE, Math.max(-MAX_SINE, Math.sin((latitude * Math.PI) / 180)));
  return {
    x: (longitude / 360 + 0.5) * world - left,
    y: (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * world - top,
  };
};

/**
 * Returns the closest view that shows an area, which must not cross the antimeridian.
 * @param maxZoom highest zoom level, for a small area or a single position
 */
export const fitView = (
  { west, south, east, north }: MapBounds,
  { width, height, padding }: MapSize,
  maxZoom: number,
): MapView => {
  const world = { zoom: 0, left: 0, top: 0 };
  const [first, last] = [projectPosition(west, north, world), projectPosition(east, south, world)];
  const scale = Math.min(
    2 ** maxZoom,
    (width - 2 * padding) / Math.max(last.x - first.x, Number.EPSILON),
    (height - 2 * padding) / Math.max(last.y - first.y, Number.EPSILON),
  );
  return {
    zoom: Math.log2(scale),
    left: ((first.x + last.x) / 2) * scale - width / 2,
    top: ((first.y + last.y) / 2) * scale - height / 2,
    width,
    height,
  };
};
