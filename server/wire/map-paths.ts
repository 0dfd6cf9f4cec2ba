import type { MapOutlines } from './map-outlines.ts';
import { projectPosition, type MapView } from './mercator.ts';

// SVG paths of the outlines in a view of a map, and the names of its cities.

type Point = { x: number; y: number };

/** Points of outlines that are closer than this to the previous point are omitted. In units of the drawing. */
const MIN_STEP = 2;
/** A ring has at least three corners, and ends at its first one. Smaller islands are omitted. */
const MIN_RING_POINTS = 4;
/** Size of city names on a narrow screen, in units of the drawing. Wider screens display them smaller. */
const LABEL_HEIGHT = 34;
const LABEL_CHARACTER_WIDTH = 17;
const MAX_LABELS = 10;

const ALL_SIDES = 15;

/** Returns the sides of the view beyond which a point lies, as bits. */
const sidesBeyond = ({ x, y }: Point, { width, height }: MapView): number =>
  (x < 0 ? 1 : 0) | (x > width ? 2 : 0) | (y < 0 ? 4 : 0) | (y > height ? 8 : 0);

/**
 * Omits points that make no visible difference: those that are close to the previous point, and those beyond a side of
 * the view if the points before and after them are beyond it, too.
 */
export const simplifyOutline = (points: readonly Point[], view: MapView): Point[] => {
  const simplified: Point[] = [];
  points.forEach((point, index) => {
    const [previous, next] = [simplified.at(-1), points[index + 1]];
    if (previous !== undefined && next !== undefined) {
      if (Math.hypot(point.x - previous.x, point.y - previous.y) < MIN_STEP) return;
      if ((sidesBeyond(previous, view) & sidesBeyond(point, view) & sidesBeyond(next, view)) !== 0) return;
    }
    simplified.push(point);
  });
  return simplified;
};

export const svgNumber = (value: number): string => String(Math.round(value * 100) / 100);

export const svgPathOf = (points: readonly Point[]): string =>
  points.length < 2 ? '' : `M${points.map(({ x, y }) => `${svgNumber(x)} ${svgNumber(y)}`).join('L')}`;

/**
 * Returns a line of zero length for each distinct point. With round caps, it is a dot of the same size on all screens.
 */
export const svgDotsOf = (points: readonly Point[]): string =>
  [...new Set(points.map(({ x, y }) => `M${svgNumber(x)} ${svgNumber(y)}h0`))].join('');

const projectOutline = (line: readonly number[], view: MapView): Point[] => {
  const points: Point[] = [];
  for (let index = 0; index + 1 < line.length; index += 2)
    points.push(projectPosition(line[index] ?? 0, line[index + 1] ?? 0, view));
  return points;
};

const outlinePath = (lines: readonly (readonly number[])[], view: MapView, minPoints: number): string =>
  lines
    .map((line) => {
      const points = simplifyOutline(projectOutline(line, view), view);
      const commonSides = points.reduce((sides, point) => sides & sidesBeyond(point, view), ALL_SIDES);
      return commonSides === 0 && points.length >= minPoints ? svgPathOf(points) : '';
    })
    .join('');

/** Returns the path of the land in the view, which must be filled with the rule `evenodd`. */
export const landPath = ({ land }: Pick<MapOutlines, 'land'>, view: MapView): string =>
  outlinePath(land, view, MIN_RING_POINTS);

export const borderPath = ({ borders }: Pick<MapOutlines, 'borders'>, view: MapView): string =>
  outlinePath(borders, view, 2);

/** Returns the most populous cities whose names fit into the view without overlapping, at most `MAX_LABELS`. */
export const namedCities = ({ cities }: Pick<MapOutlines, 'cities'>, view: MapView): (Point & { name: string })[] => {
  const labels: (Point & { name: string; halfWidth: number; fits: boolean })[] = [];
  for (const { name, position } of cities) {
    if (labels.length === MAX_LABELS) break;
    const point = projectPosition(position[0] ?? 0, position[1] ?? 0, view);
    const halfWidth = (name.length * LABEL_CHARACTER_WIDTH) / 2;
    const isInView = sidesBeyond(point, view) === 0;
    const fits =
      point.x > halfWidth &&
      point.x < view.width - halfWidth &&
      point.y > LABEL_HEIGHT &&
      point.y < view.height - LABEL_HEIGHT;
    const isFree = labels.every(
      (other) =>
        Math.abs(other.y - point.y) > LABEL_HEIGHT || Math.abs(other.x - point.x) > other.halfWidth + halfWidth,
    );
    // A name that does not fit still occupies its space, so that a suburb is not named instead of its city.
    if (isInView && isFree) labels.push({ name, ...point, halfWidth, fits });
  }
  return labels.flatMap(({ name, x, y, fits }) => (fits ? { name, x, y } : []));
};
