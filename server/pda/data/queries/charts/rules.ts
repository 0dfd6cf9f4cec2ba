import type { ChartSeries } from '../../../../wire/charts.ts';

type Bucket = ChartSeries['buckets'][number];

const sumOf = (a: number | null, b: number | null): number | null => (a === null || b === null ? (a ?? b) : a + b);
const minOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
const maxOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

/** Merges buckets with the same start. Returns buckets in chronological order. */
export const mergeBuckets = (buckets: readonly Bucket[]): Bucket[] => {
  const mergedBuckets = new Map<string, Bucket>();
  for (const bucket of buckets) {
    const { start, count, sum, min, max } = bucket;
    const mergedBucket = mergedBuckets.get(start);
    mergedBuckets.set(
      start,
      mergedBucket === undefined
        ? bucket
        : {
            start,
            count: mergedBucket.count + count,
            sum: sumOf(mergedBucket.sum, sum),
            min: minOf(mergedBucket.min, min),
            max: maxOf(mergedBucket.max, max),
          },
    );
  }
  return [...mergedBuckets.values()].toSorted((a, b) => (a.start < b.start ? -1 : 1));
};
