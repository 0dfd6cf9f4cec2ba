// Read budget of the running statement. SQLite cannot be interrupted from JavaScript, so compiled queries call
// `pda_spend` for each row that they scan, and a row beyond the budget ends the statement with an error.

export class ReadLimitError extends Error {
  /** Error code, which survives the transfer between threads. */
  readonly code: string;
  /** @param limit `memory`: a fixed limit; `bytes` and `time`: the budget of the read */
  constructor(limit: 'bytes' | 'time' | 'memory') {
    super(`the read needs more ${limit} than allowed`);
    this.code = `READ_LIMIT_${limit.toUpperCase()}`;
  }
}

type ReadBudget = {
  /** Bytes of records that may be scanned. A record counts once, and once more for each condition. */
  bytes: number;
  ms: number;
};

/**
 * Maximum sum of the bytes of the largest record that each SELECT of a statement has read. SQLite keeps the last record
 * of each SELECT, and values extracted from it, until the statement ends.
 */
const HELD_RECORDS_BYTES_MAX = 40_000_000;

type RemainingBudget = {
  bytes: number;
  deadline: number;
  heldBytes: number;
  /** Bytes of the largest record of each SELECT. */
  largestBySelect: Map<number, number>;
};

let remainingBudget: RemainingBudget | undefined;

/** Runs statements within a budget. @throws ReadLimitError */
export const withReadBudget = <T>({ bytes, ms }: ReadBudget, run: () => T): T => {
  const outerBudget = remainingBudget;
  remainingBudget = { bytes, deadline: performance.now() + ms, heldBytes: 0, largestBySelect: new Map() };
  try {
    return run();
  } finally {
    remainingBudget = outerBudget;
  }
};

/** Cost of a row in bytes, in addition to that of its record. */
const ROW_BYTES = 64;

/**
 * Charges a row to the read budget.
 * @param bytes size of the record, which is read `times` times
 * @param select number of the SELECT within the statement
 * @throws ReadLimitError
 */
export const spend = (bytes: number, times = 1, select = 0): void => {
  if (remainingBudget === undefined) return;
  remainingBudget.bytes -= bytes * times + ROW_BYTES;
  if (remainingBudget.bytes < 0) throw new ReadLimitError('bytes');
  const largestBytes = remainingBudget.largestBySelect.get(select) ?? 0;
  if (bytes > largestBytes) {
    remainingBudget.largestBySelect.set(select, bytes);
    remainingBudget.heldBytes += bytes - largestBytes;
    if (remainingBudget.heldBytes > HELD_RECORDS_BYTES_MAX) throw new ReadLimitError('memory');
  }
  if (performance.now() > remainingBudget.deadline) throw new ReadLimitError('time');
};

/** JSON text up to this length is parsed without a check. */
const SMALL_JSON_CHARS = 1_000_000;
/** Maximum estimated memory of one parsed value. */
const PARSED_BYTES_MAX = 80_000_000;
/** Estimated memory of an array or object, of a member's name, and of any other value, as measured with V8 14. */
const CONTAINER_BYTES = 64;
const NAME_BYTES = 40;
const VALUE_BYTES = 16;
/** Memory factor of a parse with exact numbers, for which V8 keeps the source text of each value. */
const EXACT_FACTOR = 4;

/**
 * Rejects JSON text whose parsed value would take too much memory. V8's heap limit for a thread is not sufficient: one
 * large allocation beyond it ends the whole process.
 * @throws ReadLimitError
 */
export const refuseLargeParse = (json: string, isExact = false): void => {
  if (json.length <= SMALL_JSON_CHARS) return;
  let bytes = json.length;
  for (let index = 0; index < json.length; index += 1) {
    switch (json.charCodeAt(index)) {
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
  if (bytes * (isExact ? EXACT_FACTOR : 1) > PARSED_BYTES_MAX) throw new ReadLimitError('memory');
};
