import type { Clock } from '../clock.ts';

const FRESH_MS = 1000;
/** What takes long to read is read less often: it takes a twentieth of the time at most. */
const PAUSE_PER_READING = 20;

/**
 * Something that many ask for and that is read once a second. Whoever asks while it is read waits for that reading; one that failed is not kept.
 */
export const createKept = <Value>(clock: Clock, read: () => Promise<Value>) => {
  let reading: Promise<Value> | undefined;
  let freshUntil = 0;
  return {
    get(): Promise<Value> {
      const now = clock.now();
      // A clock that was set back would make it stand still.
      if (reading !== undefined && now < freshUntil && freshUntil - now < 60_000) return reading;
      const begun = performance.now();
      freshUntil = now + 59_000;
      const mine = read();
      reading = mine;
      const done = (fresh: number): void => {
        if (reading === mine) freshUntil = fresh;
      };
      mine.then(
        () => done(now + Math.min(59_000, Math.max(FRESH_MS, (performance.now() - begun) * PAUSE_PER_READING))),
        () => done(0),
      );
      return mine;
    },
    forget(): void {
      freshUntil = 0;
    },
  };
};
