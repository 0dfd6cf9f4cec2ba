import { randomInt } from 'node:crypto';
import { v7 } from 'uuid';

/** Upper bound of the start value: half of the 32-bit counter, so that counting up does not overflow. */
const START_END = 2 ** 31;

let latest = -1;
let seq = 0;

/**
 * Creates a UUID version 7 (RFC 9562, 5.7), which begins with its time: new rows go to the end of an index, and any
 * process can create keys without asking the database. Keys of one millisecond and process are ordered by creation.
 */
export const uuidV7 = (now: number): string => {
  seq = now === latest ? seq + 1 : randomInt(START_END);
  latest = now;
  return v7({ msecs: now, seq });
};
