/** Randomises the upper half of a delay, so that many waiting clients do not retry at the same moment. */
export const withJitter = (ms: number, random: number): number => Math.round(ms / 2 + (random * ms) / 2);

export const backoffMsOf = (
  failures: number,
  { firstMs, longestMs, random }: { firstMs: number; longestMs: number; random: number },
): number => {
  // Limit the exponent, because 2 ** 1024 is Infinity.
  const delay = Math.min(longestMs, firstMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
  return withJitter(delay, random);
};

/**
 * Returns true if a scheduled time has come. A time beyond the longest delay counts, too, because it was computed before
 * the clock was set back.
 * @param dueAt Unix milliseconds, like `now`
 */
export const isTimeDue = (dueAt: number, now: number, longestDelayMs: number): boolean =>
  dueAt <= now || dueAt - now > longestDelayMs;

/** Parses a Retry-After header (RFC 9110, section 10.2.3). Returns undefined if it is missing or invalid. */
export const retryAfterMs = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? '';
  if (text === '') return undefined;
  const ms = /^\d{1,9}$/u.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
};
