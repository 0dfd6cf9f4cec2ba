import { geometryLines, type GeoLine, type GeoPosition } from '../../../../wire/geometry.ts';
import { parseJson } from '../language/json.ts';

/** Returns the centre of the bounding box of a geometry; undefined if it has no valid position. */
export const centreOf = (json: string): GeoPosition | undefined => {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const line of geometryLines(parseJson(json))) {
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
 * Returns the lines of a geometry, without positions in the same cell of a grid as the previous position. Keeps both
 * ends of a line, and omits points.
 * @param step width of a cell in degrees
 */
export const simplifyLines = (json: string, step: number): GeoLine[] =>
  geometryLines(parseJson(json)).flatMap((line) => {
    const cellOf = ([longitude, latitude]: GeoPosition) =>
      `${Math.round(longitude / step)} ${Math.round(latitude / step)}`;
    const simplifiedLine = line.filter(
      (position, index) =>
        index === 0 || index === line.length - 1 || cellOf(position) !== cellOf(line[index - 1] ?? position),
    );
    return simplifiedLine.length > 1 ? [simplifiedLine] : [];
  });
