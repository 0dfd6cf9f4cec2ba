export const MEGABYTE = 1024 * 1024;

/**
 * Memory limit of the whole process as a multiple of the function's cap. On Linux, the watchdog does not count pages of
 * mapped files.
 */
export const PROCESS_LIMIT_FACTOR = 1.25;
/**
 * Bytes used by Node itself, including pages of its executable that a function can load, because the executable
 * contains the ICU locale data. With a small cap, these bytes reduce the memory that is left for the function.
 */
const NODE_BASE_BYTES = 70 * MEGABYTE;
/**
 * Bytes of Node's executable that a sandbox maps into memory on Linux. The kernel's data limit does not count them, so
 * it is reduced by them. Measured 38 to 75 MB, depending on the function and the page cache.
 */
export const NODE_FILE_BYTES = 52 * MEGABYTE;

export const MAX_LOG_LINE_CHARS = 4000;
export const MAX_MESSAGE_CHARS = 1000;
/** Bytes per chunk of a scratch file that is copied into or out of the isolate. */
export const SCRATCH_CHUNK_BYTES = 1_048_576;
export const MAX_STDERR_BYTES = 16_000;

/** Reduces the cap if the isolate and Node together would exceed the limit of the process. */
export const isolateMemoryMb = (memoryMb: number): number =>
  Math.floor(Math.min(memoryMb, memoryMb * PROCESS_LIMIT_FACTOR - NODE_BASE_BYTES / MEGABYTE));
