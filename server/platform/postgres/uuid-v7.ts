import { randomInt } from 'node:crypto';
import { v7 } from 'uuid';

/** Upper bound of the counter's random start: half of its 32-bit range, so that the counter does not overflow. */
const COUNTER_START_BOUND = 2 ** 31;

let lastTime = -1;
let counter = 0;

/**
 * Returns a UUID version 7 (RFC 9562, section 5.7). It begins with the time, so that new rows go to the end of an
 * index.
 * @param now Unix milliseconds
 */
export const uuidV7 = (now: number): string => {
  counter = now === lastTime ? counter + 1 : randomInt(COUNTER_START_BOUND);
  lastTime = now;
  return v7({ msecs: now, seq: counter });
};
