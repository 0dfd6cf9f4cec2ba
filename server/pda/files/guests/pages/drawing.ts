import type { ChartBucket } from '../../../../wire/charts.ts';
import { escapeHtml } from '../../../../wire/html.ts';
import { svgNumber } from '../../../../wire/map-paths.ts';

// Drawings of charts. Labels are outside the SVG, which is stretched to the page width.

export type DrawnValue = { from: number; to: number; value: number };

const WIDTH = 1000;
const HEIGHT = 240;
/** Share of the width of each value that stays empty, as a gap between the bars. */
const GAP_SHARE = 0.12;

const DURATION_MS: Readonly<Record<ChartBucket, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
  year: 31_536_000_000,
};

/**
 * Returns the start of a bucket in Unix milliseconds, as if it were in UTC; NaN if it is invalid.
 * @param start such as `2026`, `2026-03`, `2026-03-01` or `2026-03-01 14`
 */
export const timeOfStart = (start: string): number => {
  const [date = '', hour = '00'] = start.split(' ');
  const day = `${date}-01-01`.slice(0, 10);
  return Date.parse(`${date.length >= 10 ? date : day}T${hour}:00:00Z`);
};

/** Returns the approximate end of a bucket, like `timeOfStart`: a month counts as 30 days, and a year as 365. */
export const timeOfEnd = (start: string, per: ChartBucket): number => timeOfStart(start) + DURATION_MS[per];

const scaleOf =
  ([low, high]: readonly [number, number], [start, end]: readonly [number, number]) =>
  (value: number): number =>
    high === low ? (start + end) / 2 : start + ((value - low) / (high - low)) * (end - start);

export const boundsOf = (values: readonly number[]): [number, number] => {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
};

const horizontalScale = (values: readonly DrawnValue[]) =>
  scaleOf(boundsOf(values.flatMap(({ from, to }) => [from, to])), [0, WIDTH]);

/** Returns bars that start at zero, as SVG. */
export const barsOf = (values: readonly DrawnValue[]): string => {
  const x = horizontalScale(values);
  const y = scaleOf(boundsOf([0, ...values.map(({ value }) => value)]), [HEIGHT, 0]);
  return values
    .map(({ from, to, value }) => {
      const left = x(from) + ((x(to) - x(from)) * GAP_SHARE) / 2;
      const width = Math.max(1, (x(to) - x(from)) * (1 - GAP_SHARE));
      const top = Math.min(y(value), y(0));
      return `<rect x="${svgNumber(left)}" y="${svgNumber(top)}" width="${svgNumber(width)}" height="${svgNumber(Math.abs(y(value) - y(0)))}"/>`;
    })
    .join('');
};

/** Returns a line through the values as SVG. A single value becomes a horizontal line. */
export const lineOf = (values: readonly DrawnValue[]): string => {
  const x = horizontalScale(values);
  const y = scaleOf(boundsOf(values.map(({ value }) => value)), [HEIGHT - 4, 4]);
  const [firstValue] = values;
  const points =
    values.length === 1 && firstValue !== undefined
      ? [`0,${svgNumber(y(firstValue.value))}`, `${WIDTH},${svgNumber(y(firstValue.value))}`]
      : values.map(({ from, to, value }) => `${svgNumber(x((from + to) / 2))},${svgNumber(y(value))}`);
  return `<polyline points="${points.join(' ')}" vector-effect="non-scaling-stroke"/>`;
};

const POINT_MARGIN = 6;

/** Returns points as SVG. They are lines without a length, so that they stay round when the drawing is stretched. */
export const pointsOf = (pairs: readonly { x: number; y: number }[]): string => {
  const x = scaleOf(boundsOf(pairs.map((pair) => pair.x)), [POINT_MARGIN, WIDTH - POINT_MARGIN]);
  const y = scaleOf(boundsOf(pairs.map((pair) => pair.y)), [HEIGHT - POINT_MARGIN, POINT_MARGIN]);
  const points = pairs.map((pair) => `M${svgNumber(x(pair.x))} ${svgNumber(y(pair.y))}h0`).join('');
  return `<path class="points" d="${points}" vector-effect="non-scaling-stroke"/>`;
};

/** Returns a drawing with its caption and labels as HTML. @param parts.marks SVG */
export const drawing = (parts: { label: string; caption: string; marks: string; ends: readonly string[] }): string => {
  const ends = parts.ends.map((end) => `<span>${escapeHtml(end)}</span>`).join('');
  return `<figure><figcaption class="secondary">${escapeHtml(parts.caption)}</figcaption><svg class="chart" role="img" aria-label="${escapeHtml(parts.label)}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none">${parts.marks}</svg><p class="secondary axis-ends">${ends}</p></figure>`;
};

/** Returns a bar for a share from 0 to 1. Hides it from screen readers, because it repeats a number. */
export const shareBar = (share: number): string =>
  `<svg class="chart" aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none"><rect width="${svgNumber(100 * share)}" height="8"/></svg>`;
