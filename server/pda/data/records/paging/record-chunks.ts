import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EndpointStore } from '../../../core/endpoint-store.ts';
import { recordSlices } from './record-slices.ts';
import { PAGE_BYTES_MAX, recordHead, recordsPerPage } from '../rules.ts';
import type { RecordStore } from '../store.ts';

export type RecordListRead = {
  path: string;
  endpoint: number;
  order: 'ascending' | 'descending';
  meta: boolean;
  perChunk: number;
  /** Sequence numbers in the order of the read. */
  seqs: readonly number[];
};

const COMMA = Buffer.from(',');

const isSameList = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index]);

/**
 * Yields the records with these sequence numbers as a JSON array, in chunks. Omits records that have been deleted or
 * moved. A chunk without such records, the usual case, is read as a page.
 */
export async function* recordChunks(
  { store, endpoints }: { store: RecordStore; endpoints: EndpointStore },
  { path, endpoint, order, meta, perChunk, seqs }: RecordListRead,
): AsyncGenerator<string | Buffer> {
  const head = recordHead(path);
  const startAt = (seq: number): number => (order === 'ascending' ? seq - 1 : seq);

  const pageText = (from: number, take: number): { text: Buffer; last: number | null } => {
    const page = store.page({ order, meta, head, endpoint, from: startAt(from), take, skip: 0 });
    return { text: page.text?.subarray(1, -1) ?? Buffer.alloc(0), last: page.last };
  };

  const readRemaining = (chunkSeqs: readonly number[]): Buffer => {
    const texts: Buffer[] = [];
    for (const seq of chunkSeqs) {
      const { text, last } = pageText(seq, 1);
      if (last !== seq) continue;
      if (texts.length > 0) texts.push(COMMA);
      texts.push(text);
    }
    return Buffer.concat(texts);
  };

  /** `count`: number of sequence numbers that the text covers. */
  const readChunk = (
    chunkSeqs: readonly number[],
  ): { count: number; text: Buffer | AsyncGenerator<string> | undefined } => {
    const [first = 0] = chunkSeqs;
    if (endpoints.pathOf(endpoint) !== path) return { count: chunkSeqs.length, text: undefined };
    const page = { endpoint, from: startAt(first), take: chunkSeqs.length, skip: 0 };
    const isUnchanged = isSameList(store.seqs(order, page), chunkSeqs);
    const sizes = isUnchanged ? store.sizes(order, page) : chunkSeqs.map((seq) => store.findSized(seq, 0)?.bytes ?? 0);
    const count = recordsPerPage(sizes);
    if ((sizes[0] ?? 0) > PAGE_BYTES_MAX)
      return { count, text: recordSlices(store, { head, endpoint, seq: first, meta }) };
    return { count, text: isUnchanged ? pageText(first, count).text : readRemaining(chunkSeqs.slice(0, count)) };
  };

  yield '[';
  let hasStarted = false;
  for (let index = 0; index < seqs.length;) {
    const { count, text } = readChunk(seqs.slice(index, index + perChunk));
    index += count;
    if (text !== undefined && !(Buffer.isBuffer(text) && text.length === 0)) {
      if (hasStarted) yield COMMA;
      if (Buffer.isBuffer(text)) yield text;
      else yield* text;
      hasStarted = true;
    }
    await nextTurn();
  }
  yield ']';
}
