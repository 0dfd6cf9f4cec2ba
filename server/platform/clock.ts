/** Source of the current time. Tests pass a test clock. */
export type Clock = {
  /** Unix time in milliseconds. */
  now(): number;
};

export const systemClock: Clock = { now: () => Date.now() };

export const isoTime = (ms: number): string => new Date(ms).toISOString();

export const isoTimeOrNull = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : isoTime(ms);
