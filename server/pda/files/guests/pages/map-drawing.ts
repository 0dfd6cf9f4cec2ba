import { escapeHtml } from '../../../../wire/html.ts';
import type { MapOutlines } from '../../../../wire/map-outlines.ts';
import type { MapClusters, MapLines } from '../../../../wire/maps.ts';
import { projectPosition } from '../../../core/mercator.ts';
import type { MapView } from '../../../sharing/shared-views/index.ts';
import { rounded } from './drawing.ts';

/** Draws positions and lines over the outlines of the world as SVG. */

type Point = { x: number; y: number };

/** Corners of outlines that are closer to the previous one are left out, in units of the drawing. */
const MIN_STEP = 2;
/** A ring has at least three corners, and its first one again. Smaller islands are left out. */
const MIN_RING_POINTS = 4;
/** Size of the names of cities on a narrow screen, in units of the drawing. Wider screens show them smaller. */
const LABEL_HEIGHT = 34;
const LABEL_CHARACTER_WIDTH = 17;
/** Space between a name and the position of its city, where a place may be. */
const LABEL_DISTANCE = 14;
const MAX_LABELS = 10;
/** Numbers of records from which a place has the next larger size. */
const SIZES = [1, 2, 10, 100] as const;

const ALL_SIDES = 15;

/** Returns the sides of the view beyond which a point lies, as bits. */
const sidesBeyond = ({ x, y }: Point, { width, height }: MapView): number =>
  (x < 0 ? 1 : 0) | (x > width ? 2 : 0) | (y < 0 ? 4 : 0) | (y > height ? 8 : 0);

/**
 * Returns the points of an outline without those that make no visible difference in the view. Points beyond one side of
 * the view can be left out between others beyond the same side, because the straight line between those is beyond it,
 * too.
 */
export const simplifyOutline = (points: readonly Point[], view: MapView): Point[] => {
  const simplified: Point[] = [];
  points.forEach((point, at) => {
    const [previous, next] = [simplified.at(-1), points[at + 1]];
    if (previous !== undefined && next !== undefined) {
      if (Math.hypot(point.x - previous.x, point.y - previous.y) < MIN_STEP) return;
      if ((sidesBeyond(previous, view) & sidesBeyond(point, view) & sidesBeyond(next, view)) !== 0) return;
    }
    simplified.push(point);
  });
  return simplified;
};

const pathOf = (points: readonly Point[]): string =>
  points.length < 2 ? '' : `M${points.map(({ x, y }) => `${rounded(x)} ${rounded(y)}`).join('L')}`;

/** Projects a line of longitudes and latitudes in turn. */
const projectOutline = (line: readonly number[], view: MapView): Point[] => {
  const points: Point[] = [];
  for (let at = 0; at + 1 < line.length; at += 2) points.push(projectPosition(line[at] ?? 0, line[at + 1] ?? 0, view));
  return points;
};

/** @param minPoints lines with fewer points are left out */
const outlinePath = (lines: readonly (readonly number[])[], view: MapView, minPoints: number): string =>
  lines
    .map((line) => {
      const points = simplifyOutline(projectOutline(line, view), view);
      const common = points.reduce((sides, point) => sides & sidesBeyond(point, view), ALL_SIDES);
      return common === 0 && points.length >= minPoints ? pathOf(points) : '';
    })
    .join('');

/** Returns the largest cities of the view whose names do not overlap. */
export const namedCities = ({ cities }: MapOutlines, view: MapView): (Point & { name: string })[] => {
  const named: (Point & { name: string; halfWidth: number; fits: boolean })[] = [];
  for (const { name, position } of cities) {
    if (named.length === MAX_LABELS) break;
    const point = projectPosition(position[0] ?? 0, position[1] ?? 0, view);
    const halfWidth = (name.length * LABEL_CHARACTER_WIDTH) / 2;
    const isInView = sidesBeyond(point, view) === 0;
    const fits =
      point.x > halfWidth &&
      point.x < view.width - halfWidth &&
      point.y > LABEL_HEIGHT &&
      point.y < view.height - LABEL_HEIGHT;
    const isFree = named.every(
      (other) =>
        Math.abs(other.y - point.y) > LABEL_HEIGHT || Math.abs(other.x - point.x) > other.halfWidth + halfWidth,
    );
    // A name that does not fit still occupies its space, so that no suburb is named in place of its city.
    if (isInView && isFree) named.push({ name, ...point, halfWidth, fits });
  }
  return named.flatMap(({ name, x, y, fits }) => (fits ? { name, x, y } : []));
};

const placesOf = (clusters: MapClusters['clusters'], view: MapView): string =>
  SIZES.map((from, at) => {
    const places = clusters
      .filter(({ records }) => records >= from && records < (SIZES[at + 1] ?? Number.POSITIVE_INFINITY))
      .map(({ longitude, latitude }) => projectPosition(longitude, latitude, view))
      .map(({ x, y }) => `M${rounded(x)} ${rounded(y)}h0`)
      .join('');
    if (places === '') return '';
    // Lines without a length stay round and have the same size on all screens.
    const path = (kind: string): string =>
      `<path class="${kind}" data-size="${at + 1}" d="${places}" vector-effect="non-scaling-stroke"/>`;
    return path('edge') + path('place');
  }).join('');

/** Renders a map. @param parts.outlines undefined if the dashboard was not built, so that there are none */
export const mapDrawing = (parts: {
  label: string;
  view: MapView;
  clusters: MapClusters['clusters'];
  lines: MapLines['lines'];
  outlines: MapOutlines | undefined;
}): string => {
  const { label, view, clusters, lines, outlines } = parts;
  const background =
    outlines === undefined
      ? []
      : [
          `<path class="land" d="${outlinePath(outlines.land, view, MIN_RING_POINTS)}"/>`,
          `<path class="border" d="${outlinePath(outlines.borders, view, 2)}" vector-effect="non-scaling-stroke"/>`,
        ];
  const names =
    outlines === undefined
      ? []
      : namedCities(outlines, view).map(
          ({ name, x, y }) => `<text x="${rounded(x)}" y="${rounded(y - LABEL_DISTANCE)}">${escapeHtml(name)}</text>`,
        );
  const track = lines
    .map((line) => pathOf(line.map(([longitude = 0, latitude = 0]) => projectPosition(longitude, latitude, view))))
    .join('');
  return [
    `<svg class="map" role="img" aria-label="${escapeHtml(label)}" viewBox="0 0 ${view.width} ${view.height}">`,
    ...background,
    ...names,
    track === '' ? '' : `<path class="track" d="${track}" vector-effect="non-scaling-stroke"/>`,
    placesOf(clusters, view),
    '</svg>',
  ].join('');
};
