import { isObject } from '../../../../wire/values.ts';
import { parseJson } from '../language/json.ts';

/** Positions and lines of GeoJSON (RFC 7946) in records. Invalid parts are ignored. */

type Position = readonly [longitude: number, latitude: number];
type Line = readonly Position[];

/** Maximum depth of nested features and collections. Coordinates of a MultiPolygon are at depth 4. */
const MAX_DEPTH = 8;

const isPosition = (value: unknown): value is [number, number] =>
  Array.isArray(value) &&
  typeof value[0] === 'number' &&
  typeof value[1] === 'number' &&
  Math.abs(value[0]) <= 180 &&
  Math.abs(value[1]) <= 90;

/** Collects the lines of a geometry: lists of positions. A point is a line of one position. */
const collectLines = (value: unknown, lines: Line[], depth = 0): void => {
  if (depth > MAX_DEPTH) return;
  if (isObject(value)) {
    for (const name of ['coordinates', 'geometry', 'geometries', 'features'])
      collectLines(value[name], lines, depth + 1);
  } else if (Array.isArray(value)) {
    if (isPosition(value)) {
      lines.push([value]);
      return;
    }
    const line = value.filter(isPosition);
    if (line.length > 0) lines.push(line);
    else for (const item of value) collectLines(item, lines, depth + 1);
  }
};

const parseLines = (json: string): Line[] => {
  const lines: Line[] = [];
  collectLines(parseJson(json), lines);
  return lines;
};

/** Returns the centre of the bounding box of a geometry; undefined if it has no valid position. */
export const centreOf = (json: string): Position | undefined => {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const line of parseLines(json)) {
    for (const [longitude, latitude] of line) {
      west = Math.min(west, longitude);
      east = Math.max(east, longitude);
      south = Math.min(south, latitude);
      north = Math.max(north, latitude);
    }
  }
  return west > east ? undefined : [(west + east) / 2, (south + north) / 2];
};

/**
 * Returns the lines of a geometry, simplified to one position per cell of a grid. Omits points.
 * @param step width of a cell in degrees
 */
export const simplifiedLines = (json: string, step: number): Line[] =>
  parseLines(json).flatMap((line) => {
    const cellOf = ([longitude, latitude]: Position) =>
      `${Math.round(longitude / step)} ${Math.round(latitude / step)}`;
    const simplified = line.filter(
      (position, at) => at === 0 || at === line.length - 1 || cellOf(position) !== cellOf(line[at - 1] ?? position),
    );
    return simplified.length > 1 ? [simplified] : [];
  });
