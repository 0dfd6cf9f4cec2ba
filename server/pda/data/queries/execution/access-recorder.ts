import type { RecordReads } from '../../../../platform/auth/access-trace.ts';
import type { CombinatorEntry } from '../../../../wire/query.ts';
import { release } from '../../../core/seq-set.ts';
import type { FoundRow } from '../store.ts';

/** Tells which records these rows are. */
export const tellRows = (
  entries: readonly CombinatorEntry[],
  rows: readonly FoundRow[],
  seen: RecordReads | undefined,
): void => {
  if (seen === undefined) return;
  const places = new Map<string, number[]>();
  for (const { entry, seq } of rows) {
    const endpoint = entries[entry]?.endpoint ?? '';
    const known = places.get(endpoint);
    if (known === undefined) places.set(endpoint, [seq]);
    else known.push(seq);
  }
  for (const [endpoint, seqs] of places) seen(endpoint, seqs);
};

/** Tells which records these pairs of entry and place are. */
export const tellKeys = (
  entries: readonly CombinatorEntry[],
  found: Float64Array,
  seen: RecordReads | undefined,
): void => {
  if (seen === undefined) return;
  // One entry after the other: there are few of them, and perhaps hundreds of thousands of places.
  for (const [entry, { endpoint }] of entries.entries()) {
    const seqs = new Float64Array(found.length / 2);
    let length = 0;
    for (let at = 0; at < found.length; at += 2) if (found[at] === entry) seqs[length++] = found[at + 1] ?? 0;
    if (length > 0) seen(endpoint, seqs.subarray(0, length));
    release(seqs);
  }
};
