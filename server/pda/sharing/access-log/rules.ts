/** Pure decisions of the ledger: how sets of records are packed, how a row's number holds its time, whose address counts as one. */

/**
 * A set of places as bytes: for each run, in order, the gap to the run before it, doubled, plus one when the run's length follows.
 * A run of neighbours costs two or three numbers however long it is, a single place one.
 */
export type Packed = Uint8Array;

/** Runs of neighbours as pairs of first and last, in order, neither touching nor overlapping. */
export type Runs = readonly number[];

/** Numbers in order, each once. Mostly they are, or are the other way round. */
export const ascending = (numbers: readonly number[]): readonly number[] => {
  let up = true;
  let down = true;
  for (let index = 1; index < numbers.length && (up || down); index += 1) {
    const step = (numbers[index] ?? 0) - (numbers[index - 1] ?? 0);
    if (step <= 0) up = false;
    if (step >= 0) down = false;
  }
  if (up) return numbers;
  if (down) return numbers.toReversed();
  const sorted = Float64Array.from(numbers).toSorted();
  const once: number[] = [];
  for (const number of sorted) if (number !== once.at(-1)) once.push(number);
  return once;
};

/** Places in any order, repeated or not, as runs. */
export const runsOf = (places: readonly number[]): number[] => {
  const runs: number[] = [];
  for (const place of ascending(places)) {
    const last = runs.at(-1);
    if (place - 1 === last) runs[runs.length - 1] = place;
    else runs.push(place, place);
  }
  return runs;
};

/** How many places there are in the runs. */
export const countRuns = (runs: Runs): number => {
  let count = 0;
  for (let index = 0; index < runs.length; index += 2) count += (runs[index + 1] ?? 0) - (runs[index] ?? 0) + 1;
  return count;
};

export const pack = (runs: Runs): Packed => {
  const bytes: number[] = [];
  const put = (value: number): void => {
    let rest = value;
    while (rest >= 128) {
      bytes.push((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    bytes.push(rest);
  };
  let end = -1;
  for (let index = 0; index < runs.length; index += 2) {
    const first = runs[index] ?? 0;
    const last = runs[index + 1] ?? 0;
    const gap = first - end - 1;
    if (last === first) put(gap * 2);
    else {
      put(gap * 2 + 1);
      put(last - first - 1);
    }
    end = last;
  }
  return Uint8Array.from(bytes);
};

/** Goes through the runs until `visit` says false. */
const eachRun = (packed: Packed, visit: (first: number, last: number) => boolean): void => {
  let at = 0;
  const take = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = packed[at++] ?? 0;
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
      scale *= 128;
    }
  };
  let end = -1;
  while (at < packed.length) {
    const head = take();
    const first = end + 1 + Math.floor(head / 2);
    const last = head % 2 === 0 ? first : first + 1 + take();
    if (!visit(first, last)) return;
    end = last;
  }
};

export const unpack = (packed: Packed): number[] => {
  const runs: number[] = [];
  eachRun(packed, (first, last) => {
    runs.push(first, last);
    return true;
  });
  return runs;
};

/** Written out, without a call for each run: a search goes through megabytes of them. */
export const holdsPlace = (packed: Packed, place: number): boolean => {
  let at = 0;
  let next = 0;
  while (at < packed.length) {
    let byte = packed[at++] ?? 0;
    let head = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = packed[at++] ?? 0;
      head += (byte & 127) * scale;
    }
    const first = next + Math.floor(head / 2);
    if (first >= place) return first === place;
    next = first + 1;
    if (head % 2 === 0) continue;
    byte = packed[at++] ?? 0;
    let more = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = packed[at++] ?? 0;
      more += (byte & 127) * scale;
    }
    next = first + more + 2;
    if (place < next) return true;
  }
  return false;
};

/** Some of the places, in order. */
export const placesIn = (packed: Packed, skip: number, take: number): number[] => {
  const places: number[] = [];
  let left = skip;
  eachRun(packed, (first, last) => {
    const length = last - first + 1;
    if (left >= length) {
      left -= length;
      return true;
    }
    for (let place = first + left; place <= last && places.length < take; place += 1) places.push(place);
    left = 0;
    return places.length < take;
  });
  return places;
};

/** The runs of two lists as one list. */
const merge = (left: Runs, right: Runs): number[] => {
  const runs: number[] = [];
  let l = 0;
  let r = 0;
  let end = Number.NEGATIVE_INFINITY;
  while (l < left.length || r < right.length) {
    const fromLeft = r >= right.length || (l < left.length && (left[l] ?? 0) <= (right[r] ?? 0));
    const first = (fromLeft ? left[l] : right[r]) ?? 0;
    const last = (fromLeft ? left[l + 1] : right[r + 1]) ?? 0;
    if (fromLeft) l += 2;
    else r += 2;
    if (first > end + 1) runs.push(first, last);
    else if (last > end) runs[runs.length - 1] = last;
    end = Math.max(end, last);
  }
  return runs;
};

/** Every place that is in one of the sets. */
export const unite = (sets: readonly Packed[]): Packed => {
  let lists: Runs[] = sets.map(unpack);
  // Two and two, so that each run is copied a few times and not once for every set.
  while (lists.length > 1) {
    const halved: Runs[] = [];
    for (let index = 0; index < lists.length; index += 2)
      halved.push(merge(lists[index] ?? [], lists[index + 1] ?? []));
    lists = halved;
  }
  return pack(lists[0] ?? []);
};

/** Places in one block: a search for a place looks only into its block. */
const BLOCK = 16_384;

export const blockOf = (place: number): number => Math.floor(place / BLOCK);
/** A place within its block. */
export const withinBlock = (place: number): number => place % BLOCK;

/** The set by blocks, each with the places within it. */
export const splitInBlocks = (packed: Packed): { block: number; places: Packed }[] => {
  const blocks: { block: number; runs: number[] }[] = [];
  eachRun(packed, (first, last) => {
    for (let from = first; from <= last;) {
      const block = blockOf(from);
      const to = Math.min(last, (block + 1) * BLOCK - 1);
      let open = blocks.at(-1);
      if (open?.block !== block) blocks.push((open = { block, runs: [] }));
      open.runs.push(withinBlock(from), withinBlock(to));
      from = to + 1;
    }
    return true;
  });
  return blocks.map(({ block, runs }) => ({ block, places: pack(runs) }));
};

/**
 * A row's number is the time of the row and a count within the millisecond, so that a stretch of time is a stretch of rows. When the clock
 * goes back, or more rows come than a millisecond has numbers, the numbers run on, and the row keeps how far the clock was behind.
 */
const EPOCH_MS = Date.UTC(2020, 0, 1);
const PER_MS = 256;

/** The first number of a millisecond. */
export const rowAt = (ms: number): number => (ms - EPOCH_MS) * PER_MS;
/** The millisecond of a number. */
export const timeOf = (row: number): number => Math.floor(row / PER_MS) + EPOCH_MS;
