import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Long work on the main thread as a generator that yields how much work each step took. The same generator can run in slices between
 * which other requests are served, or in one go up to a limit.
 */
export type SteppedWork<Result> = Generator<number, Result, undefined>;

/** Bytes of JSON text whose processing takes about as long as looking up one record. */
const BYTES_PER_UNIT = 500;
/** Units of work in one turn of the event loop, chosen so that a slice takes a few milliseconds of processor time. */
const SLICE_MAX_UNITS = 300;

/** Units of work that it takes to look up and process one JSON text. A text is never divided. */
export const workOfBytes = (bytes: number): number => 1 + Math.floor(bytes / BYTES_PER_UNIT);

/** Runs work to its end, and lets the event loop turn between slices. */
export const runInSlices = async <Result>(work: SteppedWork<Result>): Promise<Result> => {
  let units = 0;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    units += step.value;
    if (units < SLICE_MAX_UNITS) continue;
    units = 0;
    await nextTurn();
  }
};

/** Runs work in one go. Returns undefined when it takes more than `maxUnits`. */
export const runWithin = <Result>(maxUnits: number, work: SteppedWork<Result>): { result: Result } | undefined => {
  let units = 0;
  for (;;) {
    const step = work.next();
    if (step.done === true) return { result: step.value };
    units += step.value;
    if (units > maxUnits) return undefined;
  }
};
