import { setImmediate as turn } from 'node:timers/promises';
import type { EndpointStore } from '../../../core/endpoint-store.ts';
import { recordSlices } from './record-slices.ts';
import { PAGE_BYTES_MAX, recordHead, recordsPerPage } from '../rules.ts';
import type { RecordStore } from '../store.ts';

export type ExactRead = {
  path: string;
  endpoint: number;
  order: 'ascending' | 'descending';
  meta: boolean;
  perPiece: number;
  /** Places in that order. */
  seqs: readonly number[];
};

const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
const COMMA = Buffer.from(',');

const sameList = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index]);

/**
 * Records by their places as a JSON array, piece by piece: what came since they were listed is not among them, and what went is left out. A
 * piece to which nothing has happened, as good as each, is read as a page.
 */
export async function* exactPieces(
  parts: { store: RecordStore; endpoints: EndpointStore },
  read: ExactRead,
): AsyncGenerator<string | Buffer> {
  const { store, endpoints } = parts;
  const { path, endpoint, order, meta, perPiece, seqs } = read;
  const head = recordHead(path);
  /** Where a page starts whose first record can be this one. */
  const before = (seq: number): number => (order === 'ascending' ? seq - 1 : seq);

  const inside = (from: number, take: number): { text: Buffer; last: number | null } => {
    const page = store.page({ order, meta, head, endpoint, from: before(from), take, skip: 0 });
    return { text: page.text?.subarray(1, -1) ?? Buffer.alloc(0), last: page.last };
  };

  /** Records that are still there, one by one. */
  const remaining = (some: readonly number[]): Buffer => {
    const left: Buffer[] = [];
    for (const seq of some) {
      const { text, last } = inside(seq, 1);
      if (last !== seq) continue;
      if (left.length > 0) left.push(COMMA);
      left.push(text);
    }
    return Buffer.concat(left);
  };

  /** The text of the first of these records, and how many it covers. */
  const pieceOf = (some: readonly number[]): { count: number; text: Buffer | AsyncGenerator<string> | undefined } => {
    const [first = 0] = some;
    // Taken away with all it holds.
    if (endpoints.pathOf(endpoint) !== path) return { count: some.length, text: undefined };
    const page = { endpoint, from: before(first), take: some.length, skip: 0 };
    const isUnchanged = sameList(store.places(order, page), some);
    const sizes = isUnchanged ? store.sizes(order, page) : some.map((seq) => store.sized(seq, 0)?.bytes ?? 0);
    const count = recordsPerPage(sizes);
    if ((sizes[0] ?? 0) > PAGE_BYTES_MAX)
      return { count, text: recordSlices(store, { head, endpoint, seq: first, meta }) };
    return { count, text: isUnchanged ? inside(first, count).text : remaining(some.slice(0, count)) };
  };

  yield OPEN;
  let started = false;
  for (let at = 0; at < seqs.length;) {
    const { count, text } = pieceOf(seqs.slice(at, at + perPiece));
    at += count;
    if (text !== undefined && !(Buffer.isBuffer(text) && text.length === 0)) {
      if (started) yield COMMA;
      if (Buffer.isBuffer(text)) yield text;
      else yield* text;
      started = true;
    }
    await turn();
  }
  yield CLOSE;
}
