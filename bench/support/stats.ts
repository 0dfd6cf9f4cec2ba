const sortNumbers = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** Returns NaN for an empty list. */
export const median = (values: readonly number[]): number => {
  const sortedValues = sortNumbers(values);
  const middle = sortedValues.length >> 1;
  const upper = sortedValues[middle] ?? Number.NaN;
  return sortedValues.length % 2 === 1 ? upper : ((sortedValues[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** Returns NaN for an empty list. @param share for example 0.99 for the 99th percentile */
export const percentile = (values: readonly number[], share: number): number => {
  const sortedValues = sortNumbers(values);
  return sortedValues[Math.min(sortedValues.length - 1, Math.floor(share * sortedValues.length))] ?? Number.NaN;
};

export const formatRounded = (value: number): string => Math.round(value).toLocaleString('en');
export const toFixed2 = (value: number): string => value.toFixed(2);
export const formatMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(0)} MB`;

/** Runs `work` several times, one after the other. @returns the durations in milliseconds */
export const measureDurations = async (rounds: number, work: () => Promise<unknown>): Promise<number[]> => {
  const durations: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await work();
    durations.push(performance.now() - startedAt);
  }
  return durations;
};
