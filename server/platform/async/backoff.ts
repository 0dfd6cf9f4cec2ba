/** Half of a delay is certain, half is chance: many that wait for the same thing do not come back together. @param random from 0 to 1 */
export const withJitter = (ms: number, random: number): number => Math.round(ms / 2 + (random * ms) / 2);

/** Milliseconds until something that failed so many times is tried again: exponential, with jitter. */
export const backoff = (
  failures: number,
  { firstMs, longestMs, random }: { firstMs: number; longestMs: number; random: number },
): number => {
  // The exponent is bounded before the power is taken: after a thousand tries it would be no number any more.
  const delay = Math.min(longestMs, firstMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return withJitter(delay, random);
};

/** Milliseconds that a Retry-After header asks for, in seconds or by a date; undefined if there is none that can be understood. */
export const retryAfterMs = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? '';
  if (text === '') return undefined;
  const ms = /^\d{1,9}$/u.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
};
