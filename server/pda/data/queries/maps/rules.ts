import { z } from 'zod';
import type { MapClusters } from '../../../../wire/maps.ts';
import { projectPosition } from '../../../core/mercator.ts';
import type { LinePointRow } from './store.ts';

/** Merges the clusters of a map and builds its lines. */

/** Longitude and latitude of each point. */
type Line = [number, number][];

const FULL_CIRCLE = 360;

/** Continues a line across the antimeridian: each step takes the shorter way around the world. */
export const unwrapLongitudes = (line: Line): Line => {
  let previous: number | undefined;
  return line.map(([longitude, latitude]) => {
    const continued =
      previous === undefined ? longitude : longitude + FULL_CIRCLE * Math.round((previous - longitude) / FULL_CIRCLE);
    previous = continued;
    return [continued, latitude];
  });
};

/** Connects points with consecutive numbers. @param points in descending order of their numbers */
export const connectPoints = (points: readonly LinePointRow[]): Line[] => {
  const lines: Line[] = [];
  let last: number | undefined;
  for (const { longitude, latitude, number } of points) {
    const line = lines.at(-1);
    if (line === undefined || last !== number + 1) lines.push([[longitude, latitude]]);
    else line.push([longitude, latitude]);
    last = number;
  }
  return lines.filter((line) => line.length > 1).map((line) => unwrapLongitudes(line.toReversed()));
};

type Cluster = MapClusters['clusters'][number];

/** Clusters closer than this are merged. Between two whole zoom levels, a map is up to twice as large. */
const MIN_DISTANCE_PX = 28;

/** Returns the position of a cluster on the map (Web Mercator) in units of the minimum distance. */
const gridPosition = ({ longitude, latitude }: Cluster, zoom: number): { x: number; y: number } => {
  const { x, y } = projectPosition(longitude, latitude, { zoom, left: 0, top: 0 });
  return { x: x / MIN_DISTANCE_PX, y: y / MIN_DISTANCE_PX };
};

const mergeClusters = (a: Cluster, b: Cluster): Cluster => {
  const records = a.records + b.records;
  const mean = (first: number, second: number): number => (first * a.records + second * b.records) / records;
  return {
    longitude: mean(a.longitude, b.longitude),
    latitude: mean(a.latitude, b.latitude),
    records,
    recordId: null,
    title: null,
    bounds: {
      west: Math.min(a.bounds.west, b.bounds.west),
      south: Math.min(a.bounds.south, b.bounds.south),
      east: Math.max(a.bounds.east, b.bounds.east),
      north: Math.max(a.bounds.north, b.bounds.north),
    },
  };
};

/**
 * Merges clusters that would overlap, because their positions lie at the edges of neighbouring cells. A cluster joins a
 * larger one.
 * @param clusters the largest first
 */
export const mergeOverlapping = (clusters: readonly Cluster[], zoom: number): Cluster[] => {
  const merged: Cluster[] = [];
  /** Index of each merged cluster and position of its largest cluster, by cell. */
  const anchors = new Map<string, { index: number; x: number; y: number }>();
  for (const cluster of clusters) {
    const { x, y } = gridPosition(cluster, zoom);
    const [column, row] = [Math.floor(x), Math.floor(y)];
    const anchor = [-1, 0, 1]
      .flatMap((right) => [-1, 0, 1].map((down) => anchors.get(`${column + right} ${row + down}`)))
      .find((candidate) => candidate !== undefined && Math.hypot(candidate.x - x, candidate.y - y) < 1);
    const larger = anchor === undefined ? undefined : merged[anchor.index];
    if (anchor !== undefined && larger !== undefined) merged[anchor.index] = mergeClusters(larger, cluster);
    else {
      anchors.set(`${column} ${row}`, { index: merged.length, x, y });
      merged.push(cluster);
    }
  }
  return merged;
};

const geometryLinesSchema = z.array(z.array(z.tuple([z.number(), z.number()])));

/** Parses the lines of geometries. `isComplete` is false if lines were omitted because of a limit. */
export const parseGeometryLines = (
  geometries: readonly { lines: string }[],
  maxLines: number,
  maxPoints: number,
): { lines: Line[]; isComplete: boolean } => {
  const lines: Line[] = [];
  let points = 0;
  for (const geometry of geometries) {
    for (const line of geometryLinesSchema.parse(JSON.parse(geometry.lines))) {
      points += line.length;
      if (lines.length >= maxLines || points > maxPoints) return { lines, isComplete: false };
      lines.push(unwrapLongitudes(line));
    }
  }
  return { lines, isComplete: true };
};
