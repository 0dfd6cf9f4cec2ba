import { randomFillSync } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';

// Sequence numbers and ids of records. A sequence number gives the order of creation, and the id is derived from it:
//
// - seq: (Unix milliseconds - 2020-01-01) * 4096 + counter
// - id: UUIDv7 of the same milliseconds, with the counter in the twelve bits after the version, and 62 random bits
//
// The row of an id is therefore found without an index, ids sort like rows, and an id cannot be guessed. Beyond 4096
// ids per millisecond, or if the clock goes back, the sequence continues from its last value.

const EPOCH_MS = Date.UTC(2020, 0, 1);
const SEQS_PER_MS = 4096;
/** The variant replaces two of the random bits. */
const RANDOM_BYTES = 8;
/** UTF-8 bytes of an id. */
export const ID_BYTES = 36;
const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const VARIANT = Array.from({ length: 64 }, (_, bits) => (0x80 | bits).toString(16));

/** Random bytes for many ids: one call of the random generator per record would cost more than creating the id. */
const pool = Buffer.alloc(8192);
let usedBytes = pool.length;

const randomTail = (): string => {
  if (usedBytes + RANDOM_BYTES > pool.length) {
    randomFillSync(pool);
    usedBytes = 0;
  }
  const start = usedBytes;
  usedBytes += RANDOM_BYTES;
  const hex = (offset: number): string => HEX[pool[start + offset] ?? 0] ?? '00';
  const variant = VARIANT[(pool[start] ?? 0) & 0x3f] ?? '80';
  return `${variant}${hex(1)}-${hex(2)}${hex(3)}${hex(4)}${hex(5)}${hex(6)}${hex(7)}`;
};

const COUNTER_HEX = Array.from({ length: SEQS_PER_MS }, (_, counter) => counter.toString(16).padStart(3, '0'));
// Ids of one batch often belong to the same millisecond, so the prefix is cached.
let lastMs = -1;
let lastPrefix = '';

/** Returns the part of an id that precedes the random bits. */
export const idPrefixOf = (seq: number): string => {
  const ms = Math.floor(seq / SEQS_PER_MS);
  if (ms !== lastMs) {
    const hex = (ms + EPOCH_MS).toString(16).padStart(12, '0');
    lastMs = ms;
    lastPrefix = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
  }
  return `${lastPrefix}${COUNTER_HEX[seq - ms * SEQS_PER_MS] ?? '000'}-`;
};

/** Returns an id with random bits, different for each call. */
export const newId = (seq: number): string => idPrefixOf(seq) + randomTail();

/**
 * Returns the sequence number of an id, which is negative if the time of the id is before 2020. Returns undefined if
 * the id is not a UUIDv7, or if its time is too far in the future.
 */
export const seqOfId = (id: string): number | undefined => {
  const match = UUID_V7.exec(id.toLowerCase());
  if (match === null) return undefined;
  const ms = Number.parseInt(`${match[1] ?? ''}${match[2] ?? ''}`, 16) - EPOCH_MS;
  const seq = ms * SEQS_PER_MS + Number.parseInt(match[3] ?? '0', 16);
  return Number.isSafeInteger(seq) ? seq : undefined;
};

export type Sequence = ReturnType<typeof createSequence>;

/** @param last the largest sequence number in use */
export const createSequence = (last: number, clock: Clock) => {
  let current = last;
  return {
    /** @param now Unix milliseconds */
    next(now: number = clock.now()): number {
      current = Math.max(current + 1, (now - EPOCH_MS) * SEQS_PER_MS);
      return current;
    },
    /** Marks sequence numbers up to this one as used, even if their records were deleted. Later numbers are larger. */
    reserveThrough(seq: number): void {
      current = Math.max(current, seq);
    },
  };
};
