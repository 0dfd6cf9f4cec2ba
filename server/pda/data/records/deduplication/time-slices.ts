import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work on the main thread, which yields the units of each step and can run in slices or at once up to a limit. */
export type SteppedWork<Result> = Generator<number, Result, undefined>;

/** Characters of JSON text whose processing takes about as long as looking up one record. */
const CHARS_PER_UNIT = 500;
/** Units of work in one turn of the event loop, chosen so that a slice takes a few milliseconds of CPU time. */
const SLICE_MAX_UNITS = 300;

export const workOfChars = (chars: number): number => 1 + Math.floor(chars / CHARS_PER_UNIT);

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

/** Returns undefined if the work takes more than `maxUnits`. */
export const runWithin = <Result>(maxUnits: number, work: SteppedWork<Result>): { result: Result } | undefined => {
  let units = 0;
  for (;;) {
    const step = work.next();
    if (step.done === true) return { result: step.value };
    units += step.value;
    if (units > maxUnits) return undefined;
  }
};
