import { randomInt } from 'node:crypto';
import { v7 } from 'uuid';

/** Half of the 32 bits of a sequence, so that counting up from any start stays within them. */
const START_END = 2 ** 31;

let latest = -1;
let seq = 0;

/**
 * A key that begins with its time (RFC 9562, version 7): new rows go to the end of an index and not all over it, and any process may make one without
 * asking the database. Keys of the same millisecond and process are in the order in which they were made, so that a list by key is a list by time.
 */
export const uuidV7 = (now: number): string => {
  seq = now === latest ? seq + 1 : randomInt(START_END);
  latest = now;
  return v7({ msecs: now, seq });
};
