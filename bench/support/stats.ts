const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** Returns NaN for an empty list. */
export const median = (values: readonly number[]): number => {
  const ordered = sorted(values);
  const middle = ordered.length >> 1;
  const upper = ordered[middle] ?? Number.NaN;
  return ordered.length % 2 === 1 ? upper : ((ordered[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** Returns NaN for an empty list. @param share for example 0.99 for the 99th percentile */
export const percentile = (values: readonly number[], share: number): number => {
  const ordered = sorted(values);
  return ordered[Math.min(ordered.length - 1, Math.floor(share * ordered.length))] ?? Number.NaN;
};

export const formatRounded = (value: number): string => Math.round(value).toLocaleString('en');
export const toFixed2 = (value: number): string => value.toFixed(2);
export const formatMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(0)} MB`;
