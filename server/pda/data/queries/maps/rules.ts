import { z } from 'zod';
import type { LinePointRow } from './store.ts';

/** Longitude and latitude of each point. */
type Line = [number, number][];

const FULL_CIRCLE = 360;

/** Continues a line across the antimeridian: each step takes the shorter way around the world. */
export const unwrapLongitudes = (line: Line): Line => {
  let previous: number | undefined;
  return line.map(([longitude, latitude]) => {
    const unwrappedLongitude =
      previous === undefined ? longitude : longitude + FULL_CIRCLE * Math.round((previous - longitude) / FULL_CIRCLE);
    previous = unwrappedLongitude;
    return [unwrappedLongitude, latitude];
  });
};

/** Connects points with consecutive numbers. @param points in descending order of their numbers */
export const connectPoints = (points: readonly LinePointRow[]): Line[] => {
  const lines: Line[] = [];
  let lastNumber: number | undefined;
  for (const { longitude, latitude, number } of points) {
    const line = lines.at(-1);
    if (line === undefined || lastNumber !== number + 1) lines.push([[longitude, latitude]]);
    else line.push([longitude, latitude]);
    lastNumber = number;
  }
  return lines.filter((line) => line.length > 1).map((line) => unwrapLongitudes(line.toReversed()));
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
