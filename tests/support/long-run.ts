/** True in long test runs (`npm run test:long`), which try more cases than `npm test`. */
export const IS_LONG_RUN = process.env['PDA_LONG_RUN'] !== undefined;

/**
 * True if `PDA_THOROUGH` is set, as in many runs of `npm run test:long`. Tests then include variants that `npm test`
 * skips.
 */
export const IS_THOROUGH_RUN = process.env['PDA_THOROUGH'] !== undefined;

/** Default of vitest.config.ts. Only hanging tests reach it, even on a slow machine. */
const MIN_TEST_TIMEOUT_MS = 240_000;

/** Returns the timeout of a test in milliseconds, at least the default; 0 (no timeout) in long test runs. */
export const testTimeout = (ms: number): number => (IS_LONG_RUN ? 0 : Math.max(ms, MIN_TEST_TIMEOUT_MS));
