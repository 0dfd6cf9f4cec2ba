/**
 * Milliseconds until something that failed so many times is tried again. Half of the delay is certain, half is chance: many that failed
 * together do not come back together.
 */
export const backoff = (
  failures: number,
  { firstMs, longestMs, random }: { firstMs: number; longestMs: number; random: number },
): number => {
  // The exponent is bounded before the power is taken: after a thousand tries it would be no number any more.
  const delay = Math.min(longestMs, firstMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return Math.round(delay / 2 + (random * delay) / 2);
};
