/** The time as everything of ours reads it, so that a test can set it. */
export type Clock = {
  /** Unix time in milliseconds. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };

/** ISO 8601, UTC, with milliseconds: the one form in which we write times. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();
