/** How fast uploads go, how long the rest will take, and how much to send at once. Pure: the time is an argument. */

/** Bytes sent in one piece: large enough to be quick, small enough that a break loses little. */
export const PIECE = 8_000_000;
const SMALLEST_PIECE = 512_000;
/** Milliseconds that one piece should take at most: on a slow line smaller pieces show progress and lose less. */
const PIECE_MS = 5000;

/** Milliseconds of the past that speak for the future. */
const WINDOW = 20_000;
/** Milliseconds. Before that a guess would jump about. */
const GUESS_AFTER = 2000;
/** From so little of what is left nothing can be guessed: a few small files say nothing about the large one after them. */
const GUESS_FROM_SHARE = 0.02;
const GUESS_FROM_BYTES = 500_000;

export interface Mark {
  at: number;
  bytes: number;
  files: number;
}

/** Bytes of the next piece, for a line of this many bytes per second; 0 while that is not known. */
export function pieceSize(speed: number): number {
  if (speed <= 0) return PIECE;
  return Math.max(SMALLEST_PIECE, Math.min(PIECE, Math.round((speed * PIECE_MS) / 1000)));
}

/** With one more mark, and without those that are too old; the last of the old ones stays, to measure from. */
export function withMark(marks: readonly Mark[], mark: Mark): Mark[] {
  const next = [...marks, mark];
  const from = next.findIndex(({ at }) => at >= mark.at - WINDOW);
  return next.slice(Math.max(0, from - 1));
}

/**
 * Milliseconds until all is there. A thousand small files take the time of a thousand calls, a large one that of its bytes:
 * whichever is longer counts.
 */
export function remaining(marks: readonly Mark[], left: { bytes: number; files: number }): number | undefined {
  const first = marks[0];
  const last = marks.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < GUESS_AFTER) return undefined;
  const took = last.at - first.at;
  const bytes = last.bytes - first.bytes;
  const files = last.files - first.files;
  if (bytes < Math.min(GUESS_FROM_BYTES, left.bytes * GUESS_FROM_SHARE) || (bytes <= 0 && files <= 0)) return undefined;
  return Math.max(bytes > 0 ? (left.bytes / bytes) * took : 0, files > 0 ? (left.files / files) * took : 0);
}
