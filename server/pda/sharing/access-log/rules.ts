// Encodings of the access log: packed sets of record numbers, and row ids that contain the time.

/**
 * Packed set of record numbers: runs in ascending order. A single number is stored as a varint with twice the gap to
 * the previous run. A longer run is stored as two varints: twice the gap plus one, and the length minus two.
 */
export type PackedNumbers = Uint8Array;

/** Runs of consecutive numbers: pairs of first and last in ascending order, neither adjacent nor overlapping. */
export type Runs = readonly number[];

/** Sorts numbers in ascending order and removes duplicates. Fast for sorted input, which is the common case. */
export const sortUnique = (numbers: readonly number[]): readonly number[] => {
  let isAscending = true;
  let isDescending = true;
  for (let index = 1; index < numbers.length && (isAscending || isDescending); index += 1) {
    const step = (numbers[index] ?? 0) - (numbers[index - 1] ?? 0);
    if (step <= 0) isAscending = false;
    if (step >= 0) isDescending = false;
  }
  if (isAscending) return numbers;
  if (isDescending) return numbers.toReversed();
  const sortedNumbers = Float64Array.from(numbers).toSorted();
  const unique: number[] = [];
  for (const number of sortedNumbers) if (number !== unique.at(-1)) unique.push(number);
  return unique;
};

export const toRuns = (numbers: readonly number[]): number[] => {
  const runs: number[] = [];
  for (const number of sortUnique(numbers)) {
    const last = runs.at(-1);
    if (number - 1 === last) runs[runs.length - 1] = number;
    else runs.push(number, number);
  }
  return runs;
};

export const countNumbers = (runs: Runs): number => {
  let count = 0;
  for (let index = 0; index < runs.length; index += 2) count += (runs[index + 1] ?? 0) - (runs[index] ?? 0) + 1;
  return count;
};

export const pack = (runs: Runs): PackedNumbers => {
  const bytes: number[] = [];
  const appendVarint = (value: number): void => {
    let remaining = value;
    while (remaining >= 128) {
      bytes.push((remaining % 128) + 128);
      remaining = Math.floor(remaining / 128);
    }
    bytes.push(remaining);
  };
  let previousLast = -1;
  for (let index = 0; index < runs.length; index += 2) {
    const first = runs[index] ?? 0;
    const last = runs[index + 1] ?? 0;
    const gap = first - previousLast - 1;
    if (last === first) appendVarint(gap * 2);
    else {
      appendVarint(gap * 2 + 1);
      appendVarint(last - first - 1);
    }
    previousLast = last;
  }
  return Uint8Array.from(bytes);
};

/** Calls `onRun` for each run in ascending order, until it returns false. */
const forEachRun = (packed: PackedNumbers, onRun: (first: number, last: number) => boolean): void => {
  let offset = 0;
  const readVarint = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = packed[offset++] ?? 0;
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
      scale *= 128;
    }
  };
  let previousLast = -1;
  while (offset < packed.length) {
    const head = readVarint();
    const first = previousLast + 1 + Math.floor(head / 2);
    const last = head % 2 === 0 ? first : first + 1 + readVarint();
    if (!onRun(first, last)) return;
    previousLast = last;
  }
};

export const unpack = (packed: PackedNumbers): number[] => {
  const runs: number[] = [];
  forEachRun(packed, (first, last) => {
    runs.push(first, last);
    return true;
  });
  return runs;
};

/** Decodes inline, without a call per run, because a search scans megabytes. */
export const containsNumber = (packed: PackedNumbers, number: number): boolean => {
  let offset = 0;
  let next = 0;
  while (offset < packed.length) {
    let byte = packed[offset++] ?? 0;
    let head = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = packed[offset++] ?? 0;
      head += (byte & 127) * scale;
    }
    const first = next + Math.floor(head / 2);
    if (first >= number) return first === number;
    next = first + 1;
    if (head % 2 === 0) continue;
    byte = packed[offset++] ?? 0;
    let extra = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = packed[offset++] ?? 0;
      extra += (byte & 127) * scale;
    }
    next = first + extra + 2;
    if (number < next) return true;
  }
  return false;
};

export const numbersIn = (packed: PackedNumbers, skip: number, take: number): number[] => {
  const numbers: number[] = [];
  let toSkip = skip;
  forEachRun(packed, (first, last) => {
    const length = last - first + 1;
    if (toSkip >= length) {
      toSkip -= length;
      return true;
    }
    for (let number = first + toSkip; number <= last && numbers.length < take; number += 1) numbers.push(number);
    toSkip = 0;
    return numbers.length < take;
  });
  return numbers;
};

const merge = (left: Runs, right: Runs): number[] => {
  const runs: number[] = [];
  let leftIndex = 0;
  let rightIndex = 0;
  let mergedLast = Number.NEGATIVE_INFINITY;
  while (leftIndex < left.length || rightIndex < right.length) {
    const isLeftNext =
      rightIndex >= right.length || (leftIndex < left.length && (left[leftIndex] ?? 0) <= (right[rightIndex] ?? 0));
    const first = (isLeftNext ? left[leftIndex] : right[rightIndex]) ?? 0;
    const last = (isLeftNext ? left[leftIndex + 1] : right[rightIndex + 1]) ?? 0;
    if (isLeftNext) leftIndex += 2;
    else rightIndex += 2;
    if (first > mergedLast + 1) runs.push(first, last);
    else if (last > mergedLast) runs[runs.length - 1] = last;
    mergedLast = Math.max(mergedLast, last);
  }
  return runs;
};

export const unionOf = (sets: readonly PackedNumbers[]): PackedNumbers => {
  let lists: Runs[] = sets.map(unpack);
  // Merge n sets in pairs, so that each run is copied log2(n) times instead of n times.
  while (lists.length > 1) {
    const mergedLists: Runs[] = [];
    for (let index = 0; index < lists.length; index += 2)
      mergedLists.push(merge(lists[index] ?? [], lists[index + 1] ?? []));
    lists = mergedLists;
  }
  return pack(lists[0] ?? []);
};

/** Record numbers per block. A search for a number reads only the block of that number. */
const BLOCK_SIZE = 16_384;

export const blockOf = (number: number): number => Math.floor(number / BLOCK_SIZE);
export const offsetInBlock = (number: number): number => number % BLOCK_SIZE;

/** The offsets are relative to the block. */
export const splitIntoBlocks = (packed: PackedNumbers): { block: number; offsets: PackedNumbers }[] => {
  const blocks: { block: number; runs: number[] }[] = [];
  forEachRun(packed, (first, last) => {
    for (let from = first; from <= last;) {
      const block = blockOf(from);
      const to = Math.min(last, (block + 1) * BLOCK_SIZE - 1);
      let current = blocks.at(-1);
      if (current?.block !== block) blocks.push((current = { block, runs: [] }));
      current.runs.push(offsetInBlock(from), offsetInBlock(to));
      from = to + 1;
    }
    return true;
  });
  return blocks.map(({ block, runs }) => ({ block, offsets: pack(runs) }));
};

// A row id consists of the time and a counter within the millisecond, so that a time range is a range of ids. If the
// clock is set back, or if a millisecond has more rows than the counter can count, ids continue to increase. Each row
// stores the difference between the time in its id and the time of its first request, which can be earlier.

export const EPOCH_MS = Date.UTC(2020, 0, 1);
export const ROW_IDS_PER_MS = 256;

/** Returns the first row id of a millisecond. @param ms Unix milliseconds */
export const rowAt = (ms: number): number => (ms - EPOCH_MS) * ROW_IDS_PER_MS;
/** Returns the time in a row id, in Unix milliseconds. */
export const timeOf = (row: number): number => Math.floor(row / ROW_IDS_PER_MS) + EPOCH_MS;
