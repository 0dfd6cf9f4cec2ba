import { setImmediate as nextTurn } from 'node:timers/promises';
import { recordSlices } from './record-slices.ts';
import { PAGE_BYTES_MAX, recordsPerPage } from '../rules.ts';
import type { RecordStore } from '../store.ts';

/** Start of a page: after (ascending) or at (descending) the sequence number `from`, with `skip` records omitted. */
export type PageStart = { from: number; skip: number };

export type PageRead = {
  /** Start of each record's JSON (`recordHead`). */
  head: string;
  endpoint: number;
  order: 'ascending' | 'descending';
  meta: boolean;
  take: number;
  recordsPerChunk: number;
};

/**
 * Yields a page of records as a JSON array, in chunks.
 * @param startOf called when the first chunk is requested, because an earlier result could be outdated by a deletion
 */
export async function* pageChunks(
  store: RecordStore,
  { take, recordsPerChunk, ...read }: PageRead,
  startOf: () => PageStart,
): AsyncGenerator<string | Buffer> {
  const { endpoint, order } = read;

  const readChunk = (
    start: PageStart,
    count: number,
    isLarge: boolean,
  ): { text: Buffer | AsyncGenerator<string>; last: number } | undefined => {
    if (!isLarge) {
      const { text, last } = store.page({ ...read, ...start, take: count });
      return text === null || last === null ? undefined : { text: text.subarray(1, -1), last };
    }
    const [seq = 0] = store.seqs(order, { endpoint, ...start, take: 1 });
    const text = recordSlices(store, { ...read, seq });
    return text === undefined ? undefined : { text, last: seq };
  };

  let start = startOf();
  yield '[';
  for (let remaining = take; remaining > 0;) {
    const sizes = store.sizes(order, { endpoint, ...start, take: Math.min(remaining, recordsPerChunk) });
    const count = recordsPerPage(sizes);
    if (count === 0) break;
    const chunk = readChunk(start, count, (sizes[0] ?? 0) > PAGE_BYTES_MAX);
    if (chunk === undefined) break;
    if (remaining < take) yield ',';
    if (Buffer.isBuffer(chunk.text)) yield chunk.text;
    else yield* chunk.text;
    remaining -= count;
    start = { from: order === 'ascending' ? chunk.last : chunk.last - 1, skip: 0 };
    await nextTurn();
  }
  yield ']';
}
