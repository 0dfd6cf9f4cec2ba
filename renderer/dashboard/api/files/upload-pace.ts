/** How fast uploads go, how long the rest will take, and how much to send at once. Pure: the time is an argument. */

/** Bytes sent in one piece: large enough to be quick, small enough that a break loses little. */
export const CHUNK_MAX_BYTES = 8_000_000;
const CHUNK_MIN_BYTES = 512_000;
/** Milliseconds that one piece should take at most: on a slow line smaller pieces show progress and lose less. */
const CHUNK_TARGET_MS = 5000;

/** Milliseconds of the past that speak for the future. */
const SAMPLE_WINDOW_MS = 20_000;
/** Milliseconds. Before that a guess would jump about. */
const ESTIMATE_AFTER_MS = 2000;
/** From so little of what is left nothing can be guessed: a few small files say nothing about the large one after them. */
const ESTIMATE_MIN_SHARE = 0.02;
const ESTIMATE_MIN_BYTES = 500_000;

export interface ProgressSample {
  at: number;
  bytes: number;
  files: number;
}

/** Bytes of the next piece, for a line of this many bytes per second; 0 while that is not known. */
export function chunkBytes(speed: number): number {
  if (speed <= 0) return CHUNK_MAX_BYTES;
  return Math.max(CHUNK_MIN_BYTES, Math.min(CHUNK_MAX_BYTES, Math.round((speed * CHUNK_TARGET_MS) / 1000)));
}

/** With one more mark, and without those that are too old; the last of the old ones stays, to measure from. */
export function addSample(marks: readonly ProgressSample[], mark: ProgressSample): ProgressSample[] {
  const next = [...marks, mark];
  const from = next.findIndex(({ at }) => at >= mark.at - SAMPLE_WINDOW_MS);
  return next.slice(Math.max(0, from - 1));
}

/**
 * Milliseconds until all is there. A thousand small files take the time of a thousand calls, a large one that of its bytes:
 * whichever is longer counts.
 */
export function estimateRemainingMs(
  marks: readonly ProgressSample[],
  left: { bytes: number; files: number },
): number | undefined {
  const first = marks[0];
  const last = marks.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < ESTIMATE_AFTER_MS) return undefined;
  const took = last.at - first.at;
  const bytes = last.bytes - first.bytes;
  const files = last.files - first.files;
  if (bytes < Math.min(ESTIMATE_MIN_BYTES, left.bytes * ESTIMATE_MIN_SHARE) || (bytes <= 0 && files <= 0))
    return undefined;
  return Math.max(bytes > 0 ? (left.bytes / bytes) * took : 0, files > 0 ? (left.files / files) * took : 0);
}
