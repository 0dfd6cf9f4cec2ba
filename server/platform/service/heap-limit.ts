import v8 from 'node:v8';

/** Size at which the young generation stops growing: enough for a few hundred requests between two collections. */
const YOUNG_GENERATION_BYTES = 16_000_000;

const readYoungGenerationBytes = (): number =>
  v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;

/** Percentage by which the old generation may grow before V8 collects its garbage. */
const OLD_GENERATION_GROWTH_PERCENT = 100;

/**
 * Limits the garbage in the old generation. By default, the old generation grows to several times the size of its live
 * objects. V8 reads the flag at each collection, including in threads.
 */
export const boundOldGenerationGrowth = (): void =>
  v8.setFlagsFromString(`--heap-growing-percent=${OLD_GENERATION_GROWTH_PERCENT}`);

/**
 * Limits the young generation. By default, it grows to 134 MB under load, and does not shrink. The limit cannot be set
 * in a running program, but the growth factor can: it is set to 1 once the young generation is large enough.
 */
export const boundYoungGeneration = (): void => {
  v8.setFlagsFromString('--semi-space-growth-factor=2');
  const observer = new PerformanceObserver(() => {
    if (readYoungGenerationBytes() < YOUNG_GENERATION_BYTES) return;
    v8.setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
};
