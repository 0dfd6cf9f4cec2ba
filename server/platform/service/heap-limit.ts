import v8 from 'node:v8';

/** Bytes of the young generation at which it stops growing: room for some hundred requests between two collections. */
const ENOUGH_BYTES = 8_000_000;

const youngBytes = (): number =>
  v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;

/**
 * Keeps the young generation of V8's heap small. By default it doubles up to 134 MB under load and stays there, which is more than all the rest
 * of a PDA needs, and buys little speed beyond the first few megabytes. The limit cannot be set from within a running program, but
 * how much it grows can: it is let grow until it is large enough, and then no more.
 */
export const boundYoungGeneration = (): void => {
  v8.setFlagsFromString('--semi-space-growth-factor=2');
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < ENOUGH_BYTES) return;
    v8.setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
};
