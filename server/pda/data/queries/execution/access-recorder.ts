import type { ReadRecorder } from '../../../../platform/auth/access-trace.ts';
import type { CombinatorEntry } from '../../../../wire/query.ts';
import { releaseBuffer } from '../../../core/seq-set.ts';
import type { QueryRow } from '../store.ts';

export const logRowReads = (
  entries: readonly CombinatorEntry[],
  rows: readonly QueryRow[],
  recordReads: ReadRecorder | undefined,
): void => {
  if (recordReads === undefined) return;
  const rowsByEndpoint = Map.groupBy(rows, ({ entry }) => entries[entry]?.endpoint ?? '');
  for (const [endpoint, endpointRows] of rowsByEndpoint) {
    recordReads(
      endpoint,
      endpointRows.map(({ seq }) => seq),
    );
  }
};

/** @param keys pairs of the index of an entry and a sequence number */
export const logKeyReads = (
  entries: readonly CombinatorEntry[],
  keys: Float64Array,
  recordReads: ReadRecorder | undefined,
): void => {
  if (recordReads === undefined) return;
  // One pass over all keys per entry: there are few entries, but there may be hundreds of thousands of keys.
  for (const [entry, { endpoint }] of entries.entries()) {
    const seqs = new Float64Array(keys.length / 2);
    let length = 0;
    for (let index = 0; index < keys.length; index += 2)
      if (keys[index] === entry) seqs[length++] = keys[index + 1] ?? 0;
    if (length > 0) recordReads(endpoint, seqs.subarray(0, length));
    releaseBuffer(seqs);
  }
};
