/**
 * What the statement that runs now may still read. SQLite cannot be interrupted from JavaScript: compiled queries therefore call
 * `pda_spend` for each row that they look at, and a row beyond the budget ends the statement with an error.
 */

/** Why a read was ended. `memory`: it needs more than allowed, however it is run; `bytes` and `time`: more than its budget. */
export type ReadLimit = 'bytes' | 'time' | 'memory';

export class ReadLimitError extends Error {
  readonly limit: ReadLimit;
  /** As errors of SQLite have one: it is handed over between threads. */
  readonly code: string;
  constructor(limit: ReadLimit) {
    super(`the read needs more ${limit} than allowed`);
    this.limit = limit;
    this.code = `READ_LIMIT_${limit.toUpperCase()}`;
  }
}

export type ReadBudget = {
  /** Bytes of records that may be looked at, each as often as a condition looks at it. */
  bytes: number;
  ms: number;
};

/**
 * Bytes of the largest records of all SELECTs of one statement together. SQLite keeps the last record of each SELECT, and what was taken out of
 * it, until the statement ends.
 */
const HELD_RECORDS_BYTES_MAX = 40_000_000;

let left: { bytes: number; until: number; held: number; largest: Map<number, number> } | undefined;

/** Runs statements within a budget. @throws ReadLimitError */
export const withReadBudget = <T>({ bytes, ms }: ReadBudget, run: () => T): T => {
  const outer = left;
  left = { bytes, until: performance.now() + ms, held: 0, largest: new Map() };
  try {
    return run();
  } finally {
    left = outer;
  }
};

/** Bytes that a row costs when nothing of its record is read. */
const ROW_BYTES = 64;

/**
 * Charges the cost of reading a row to the budget, if there is one.
 * @param bytes size of the record, which this SELECT of the statement reads `times` times
 * @throws ReadLimitError
 */
export const spend = (bytes: number, times = 1, select = 0): void => {
  if (left === undefined) return;
  left.bytes -= bytes * times + ROW_BYTES;
  if (left.bytes < 0) throw new ReadLimitError('bytes');
  const largest = left.largest.get(select) ?? 0;
  if (bytes > largest) {
    left.largest.set(select, bytes);
    left.held += bytes - largest;
    if (left.held > HELD_RECORDS_BYTES_MAX) throw new ReadLimitError('memory');
  }
  if (performance.now() > left.until) throw new ReadLimitError('time');
};

/** Characters of JSON text that cost little however they are made up. */
const SMALL_JSON_CHARS = 1_000_000;
/** Bytes of memory that one parsed value may take, by the estimate below. */
const PARSED_BYTES_MAX = 80_000_000;
/** Estimated bytes of an array or object, of a member's name, and of any other value; measured with V8 14. */
const CONTAINER_BYTES = 64;
const NAME_BYTES = 40;
const VALUE_BYTES = 16;
/** Reading numbers as they were written makes V8 keep a source text for each value. */
const EXACT_FACTOR = 4;

/**
 * Refuses JSON text that would take too much memory when it is parsed. V8's own limit for a thread does not do: one large allocation
 * beyond it ends the whole process.
 * @throws ReadLimitError
 */
export const refuseLargeParse = (json: string, exact = false): void => {
  if (json.length <= SMALL_JSON_CHARS) return;
  let bytes = json.length;
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charCodeAt(at)) {
      case 0x5b: // [
      case 0x7b: // {
        bytes += CONTAINER_BYTES;
        break;
      case 0x3a: // :
        bytes += NAME_BYTES;
        break;
      case 0x2c: // ,
        bytes += VALUE_BYTES;
        break;
    }
  }
  if (bytes * (exact ? EXACT_FACTOR : 1) > PARSED_BYTES_MAX) throw new ReadLimitError('memory');
};
