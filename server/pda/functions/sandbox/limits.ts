export const MEBIBYTE = 1024 * 1024;

/**
 * Memory limit of the process as a multiple of the function's cap. On Linux, the watchdog does not count pages of
 * mapped files; the data limit (`ulimit -d`) is lower by `NODE_FILE_BYTES` to allow for them.
 */
export const PROCESS_LIMIT_FACTOR = 1.25;
/**
 * Memory used by Node itself. Includes pages of its executable that are loaded only when a function uses them, such as
 * the ICU locale data.
 */
const NODE_BASE_BYTES = 70 * MEBIBYTE;
/**
 * Estimated size of the mapped pages of Node's executable (measured: 38 to 75 MB). `ulimit -d` does not count them, so
 * they are subtracted from the data limit.
 */
export const NODE_FILE_BYTES = 52 * MEBIBYTE;

export const MAX_LOG_LINE_CHARS = 4000;
export const MAX_FAILURE_MESSAGE_CHARS = 1000;
export const SCRATCH_CHUNK_BYTES = 1_048_576;
export const MAX_STDERR_BYTES = 16_000;

/** Returns the isolate's limit: the cap, reduced if the isolate and Node together would exceed the process limit. */
export const isolateMemoryMb = (memoryMb: number): number =>
  Math.floor(Math.min(memoryMb, memoryMb * PROCESS_LIMIT_FACTOR - NODE_BASE_BYTES / MEBIBYTE));
