/** Internal limits of the sandbox; those of the interface are in wire/limits.ts. */

export const MEGABYTE = 1024 * 1024;

/** Limit of the whole process as a multiple of the function's memory cap. Pages of mapped files do not count on Linux. */
export const PROCESS_SHARE_OF_CAP = 1.25;
/**
 * Bytes used by Node itself, including the pages of its executable that a guest can load (formats of dates and numbers are
 * data in that file). With small memory caps they reduce what the guest can use.
 */
export const NODE_OWN_BYTES = 70 * MEGABYTE;
/** Bytes reserved for mapped pages of Node's executable; measured 38 to 75 MB, depending on the guest and the page cache. */
export const NODE_FILE_BYTES = 52 * MEGABYTE;

/** Characters of one line of the log. */
export const MAX_LOG_LINE_CHARS = 4000;
/** Characters of the message with which a run failed. */
export const MAX_MESSAGE_CHARS = 1000;
/** Bytes of one piece of a scratch file on its way over the wall. */
export const SCRATCH_PIECE_BYTES = 1_048_576;
/** Bytes kept of what a dying sandbox says on stderr: enough to tell how it died. */
export const MAX_LAST_WORDS_BYTES = 16_000;

/** What the isolate may have: the cap, unless Node's own part then takes the process over its share. */
export const isolateMemoryMb = (memoryMb: number): number =>
  Math.floor(Math.min(memoryMb, memoryMb * PROCESS_SHARE_OF_CAP - NODE_OWN_BYTES / MEGABYTE));
