import { randomBytes } from 'node:crypto';

const COUNTER_END = 0x1000;

let latest = -1;
let counter = 0;

/**
 * A key that begins with its time (RFC 9562, version 7): new rows go to the end of an index and not all over it, and any process may make one without
 * asking the database. Keys of the same millisecond and process are in the order in which they were made, so that a list by key is a list by time.
 */
export const uuidV7 = (now: number): string => {
  const bytes = randomBytes(16);
  // Half of the room is left for counting up.
  const start = bytes.readUInt16BE(6) % (COUNTER_END / 2);
  counter = now === latest ? (counter + 1) % COUNTER_END : start;
  latest = now;
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};
