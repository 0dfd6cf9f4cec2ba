import type { MapOutlines } from '../../../../../server/wire/map-outlines.ts';
import { borderPath, landPath, namedCities, svgDotsOf } from '../../../../../server/wire/map-paths.ts';
import type { MapBounds } from '../../../../../server/wire/maps.ts';
import { fitView, type MapView, projectPosition } from '../../../../../server/wire/mercator.ts';
import type { Place } from './places.ts';

/** Size in SVG units, and the space around places. */
export const DRAWING_SIZE = { width: 800, height: 450, padding: 60 } as const;
/** Shows at least about 300 km in Europe, so that a city, a coast or a border is usually in view. */
const MAX_ZOOM = 7;

interface BoundedLine {
  line: readonly number[];
  bounds: MapBounds;
}

/** Outlines with the bounds of each line, so that a drawing projects only the lines in its view. */
interface BoundedOutlines {
  land: readonly BoundedLine[];
  borders: readonly BoundedLine[];
  cities: MapOutlines['cities'];
}

/** SVG paths, and labels of cities. */
interface PlaceDrawing {
  land: string;
  borders: string;
  places: string;
  cities: { name: string; x: number; y: number }[];
}

/** @param coordinates alternating longitudes and latitudes */
function boundsOfLine(coordinates: readonly number[]): MapBounds {
  const bounds = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  for (let index = 0; index + 1 < coordinates.length; index += 2) {
    const [longitude = 0, latitude = 0] = [coordinates[index], coordinates[index + 1]];
    bounds.west = Math.min(bounds.west, longitude);
    bounds.east = Math.max(bounds.east, longitude);
    bounds.south = Math.min(bounds.south, latitude);
    bounds.north = Math.max(bounds.north, latitude);
  }
  return bounds;
}

/** Computes the bounds of all lines, which takes a few milliseconds. */
export function addLineBounds({ land, borders, cities }: MapOutlines): BoundedOutlines {
  const withBounds = (line: readonly number[]): BoundedLine => ({ line, bounds: boundsOfLine(line) });
  return { land: land.map(withBounds), borders: borders.map(withBounds), cities };
}

function linesInView(lines: readonly BoundedLine[], view: MapView): (readonly number[])[] {
  return lines.flatMap(({ line, bounds: { west, south, east, north } }) => {
    const topLeft = projectPosition(west, north, view);
    const bottomRight = projectPosition(east, south, view);
    const isInView = bottomRight.x >= 0 && topLeft.x <= view.width && bottomRight.y >= 0 && topLeft.y <= view.height;
    return isInView ? [line] : [];
  });
}

/** Rounds to whole units, so that indistinguishable places are drawn once. */
function dotOf({ longitude, latitude }: Place, view: MapView): { x: number; y: number } {
  const { x, y } = projectPosition(longitude, latitude, view);
  return { x: Math.round(x), y: Math.round(y) };
}

/** @param places at least one */
export function drawPlaces(places: readonly Place[], outlines: BoundedOutlines): PlaceDrawing {
  const bounds = boundsOfLine(places.flatMap(({ longitude, latitude }) => [longitude, latitude]));
  const view = fitView(bounds, DRAWING_SIZE, MAX_ZOOM);
  return {
    land: landPath({ land: linesInView(outlines.land, view) }, view),
    borders: borderPath({ borders: linesInView(outlines.borders, view) }, view),
    places: svgDotsOf(places.map((place) => dotOf(place, view))),
    cities: namedCities(outlines, view),
  };
}
