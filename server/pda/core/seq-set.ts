/**
 * Sequence numbers of records in ascending order. A long response lists hundreds of thousands of records: a typed array
 * takes eight bytes per number.
 */
export type SeqSet = Float64Array<ArrayBuffer>;

export const EMPTY_SEQ_SET: SeqSet = new Float64Array();

const isAscending = (seqs: Float64Array): boolean => {
  for (let index = 1; index < seqs.length; index += 1) if ((seqs[index] ?? 0) <= (seqs[index - 1] ?? 0)) return false;
  return true;
};

/** Frees the memory immediately, because the garbage collector may run much later. The array is then empty. */
export const releaseBuffer = (numbers: Float64Array<ArrayBuffer>): void => {
  if (numbers.buffer.byteLength > 0) numbers.buffer.transfer(0);
};

/** Returns the union of a set and further sequence numbers; the set itself if it already contains all of them. */
export const addSeqs = (set: SeqSet, seqs: readonly number[] | Float64Array): SeqSet => {
  const isOrdered = seqs instanceof Float64Array && isAscending(seqs);
  const orderedSeqs = isOrdered ? seqs : Float64Array.from(seqs).toSorted();
  const forEachNew = (visit: (seq: number) => void): void => {
    let index = 0;
    let last = Number.NaN;
    for (const seq of orderedSeqs) {
      if (seq === last) continue;
      last = seq;
      while (index < set.length && (set[index] ?? 0) < seq) index += 1;
      if (set[index] !== seq) visit(seq);
    }
  };
  let count = 0;
  forEachNew(() => (count += 1));
  if (count === 0) return set;
  const union = new Float64Array(set.length + count);
  union.set(set);
  let position = set.length;
  forEachNew((seq) => (union[position++] = seq));
  if (set.length === 0) return union;
  const sorted = union.toSorted();
  releaseBuffer(union);
  return sorted;
};

export const hasSeq = (set: SeqSet, seq: number): boolean => {
  let low = 0;
  let high = set.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const candidate = set[middle] ?? 0;
    if (candidate === seq) return true;
    if (candidate < seq) low = middle + 1;
    else high = middle - 1;
  }
  return false;
};
