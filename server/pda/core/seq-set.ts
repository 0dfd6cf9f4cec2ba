/**
 * Places of records, each once and in order. A long answer has hundreds of thousands of them: as plain numbers side by side they cost eight
 * bytes each, and those that are here already cost a look and no memory.
 */
export type Places = Float64Array<ArrayBuffer>;

export const NO_PLACES: Places = new Float64Array();

const isAscending = (places: Float64Array): boolean => {
  for (let at = 1; at < places.length; at += 1) if ((places[at] ?? 0) <= (places[at - 1] ?? 0)) return false;
  return true;
};

/** Gives memory back at once. The collector sees how small the object is, not how much hangs on it. */
export const release = (numbers: Float64Array<ArrayBuffer>): void => {
  if (numbers.buffer.byteLength > 0) numbers.buffer.transfer(0);
};

/** Both, each place once. Gives back the first where the second adds nothing. */
export const unite = (known: Places, more: readonly number[] | Float64Array): Places => {
  const inOrder = more instanceof Float64Array && isAscending(more);
  const added = inOrder ? more : Float64Array.from(more).toSorted();
  const goThrough = (take: (place: number) => void): void => {
    let at = 0;
    let last = Number.NaN;
    for (const place of added) {
      if (place === last) continue;
      last = place;
      while (at < known.length && (known[at] ?? 0) < place) at += 1;
      if (known[at] !== place) take(place);
    }
  };
  let count = 0;
  goThrough(() => (count += 1));
  if (count === 0) return known;
  const all = new Float64Array(known.length + count);
  all.set(known);
  count = known.length;
  goThrough((place) => (all[count++] = place));
  if (known.length === 0) return all;
  const sorted = all.toSorted();
  release(all);
  return sorted;
};

export const holdsPlace = (places: Places, place: number): boolean => {
  let low = 0;
  let high = places.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = places[middle] ?? 0;
    if (found === place) return true;
    if (found < place) low = middle + 1;
    else high = middle - 1;
  }
  return false;
};
