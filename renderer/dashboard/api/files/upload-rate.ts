/** Maximum chunk size: large enough to be fast, small enough that an interruption loses little. */
export const CHUNK_MAX_BYTES = 8_000_000;
const CHUNK_MIN_BYTES = 512_000;
/** Target duration of one chunk. On slow connections, smaller chunks show progress, and an interruption loses less. */
const CHUNK_TARGET_MS = 5000;

/** Age up to which samples are used for estimates. One older sample is the baseline. */
const SAMPLE_WINDOW_MS = 20_000;
/** Duration sampled before the first estimate, which would otherwise fluctuate. */
const ESTIMATE_AFTER_MS = 2000;
/** Share of the remaining bytes that must be sampled, because a few small files do not predict a large file. */
const ESTIMATE_MIN_SHARE = 0.02;
/** Sampled bytes that suffice for an estimate, however many remain. */
const ESTIMATE_MIN_BYTES = 500_000;

export interface ProgressSample {
  /** Milliseconds of the monotonic clock. */
  timeMs: number;
  bytes: number;
  files: number;
}

/** Returns the size of the next chunk. @param speed bytes per second; 0 while unknown */
export function chooseChunkBytes(speed: number): number {
  if (speed <= 0) return CHUNK_MAX_BYTES;
  return Math.max(CHUNK_MIN_BYTES, Math.min(CHUNK_MAX_BYTES, Math.round((speed * CHUNK_TARGET_MS) / 1000)));
}

/** Adds a sample and drops the samples outside the window, except the newest of them, which is the baseline. */
export function addSample(samples: readonly ProgressSample[], sample: ProgressSample): ProgressSample[] {
  const next = [...samples, sample];
  const firstIndex = next.findIndex(({ timeMs }) => timeMs >= sample.timeMs - SAMPLE_WINDOW_MS);
  return next.slice(Math.max(0, firstIndex - 1));
}

/**
 * Returns the bytes and files that are still to be uploaded. Failed uploads wait for the owner, so they do not count.
 */
export function sumRemainingWork(uploads: Iterable<{ file: { size: number }; received: number; state: string }>): {
  bytes: number;
  files: number;
} {
  const remaining = { bytes: 0, files: 0 };
  for (const { file, received, state } of uploads) {
    if (state === 'failed' || state === 'done') continue;
    remaining.bytes += file.size - received;
    remaining.files += 1;
  }
  return remaining;
}

/**
 * Estimates the remaining time; undefined until the samples cover enough time and progress. Small files are limited by
 * the number of requests, large files by the number of bytes; the longer estimate applies.
 */
export function estimateRemainingMs(
  samples: readonly ProgressSample[],
  remaining: { bytes: number; files: number },
): number | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.timeMs - first.timeMs < ESTIMATE_AFTER_MS) return undefined;
  const elapsedMs = last.timeMs - first.timeMs;
  const bytes = last.bytes - first.bytes;
  const files = last.files - first.files;
  if (bytes < Math.min(ESTIMATE_MIN_BYTES, remaining.bytes * ESTIMATE_MIN_SHARE) || (bytes <= 0 && files <= 0))
    return undefined;
  return Math.max(
    bytes > 0 ? (remaining.bytes / bytes) * elapsedMs : 0,
    files > 0 ? (remaining.files / files) * elapsedMs : 0,
  );
}
