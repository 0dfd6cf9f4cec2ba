import { isObject } from './values.ts';

// Positions and lines of GeoJSON (RFC 7946). Invalid parts are ignored.

export type GeoPosition = readonly [longitude: number, latitude: number];
export type GeoLine = readonly GeoPosition[];

const GEOMETRY_MEMBERS = ['coordinates', 'geometry', 'geometries', 'features'];
/** Maximum depth of nested features, collections and arrays. The positions of a MultiPolygon are at depth 4. */
const MAX_DEPTH = 8;

const isPosition = (value: unknown): value is [number, number] =>
  Array.isArray(value) &&
  typeof value[0] === 'number' &&
  typeof value[1] === 'number' &&
  Math.abs(value[0]) <= 180 &&
  Math.abs(value[1]) <= 90;

const collectLines = (value: unknown, lines: GeoLine[], depth = 0): void => {
  if (depth > MAX_DEPTH) return;
  if (isObject(value)) {
    const { type, coordinates } = value;
    if (type === 'MultiPoint' && Array.isArray(coordinates)) {
      for (const position of coordinates.filter(isPosition)) lines.push([position]);
    } else for (const name of GEOMETRY_MEMBERS) collectLines(value[name], lines, depth + 1);
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

/**
 * Returns the lines of a geometry, feature or collection. A point, like each point of a MultiPoint, is a line of one
 * position.
 */
export const geometryLines = (value: unknown): GeoLine[] => {
  const lines: GeoLine[] = [];
  collectLines(value, lines);
  return lines;
};
