import { randomInt } from 'node:crypto';
import { v7 } from 'uuid';

/** Upper bound of the counter's random start: half of its 32 bits, so that counting up does not overflow. */
const COUNTER_START_BOUND = 2 ** 31;

let lastTime = -1;
let seq = 0;

/**
 * Creates a UUID version 7 (RFC 9562, 5.7), which begins with its time: new rows go to the end of an index, and any
 * process can create keys without asking the database. Keys of one millisecond and process are ordered by creation.
 */
export const uuidV7 = (now: number): string => {
  seq = now === lastTime ? seq + 1 : randomInt(COUNTER_START_BOUND);
  lastTime = now;
  return v7({ msecs: now, seq });
};
