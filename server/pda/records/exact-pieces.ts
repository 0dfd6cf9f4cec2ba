import { setImmediate as turn } from 'node:timers/promises';
import type { EndpointStore } from './endpoints.ts';
import { recordHead } from './rules.ts';
import type { RecordStore } from './store.ts';

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
): AsyncGenerator<Buffer> {
  const { store, endpoints } = parts;
  const { path, endpoint, order, meta, perPiece, seqs } = read;
  const head = recordHead(path);
  /** Where a page starts whose first record can be this one. */
  const before = (seq: number): number => (order === 'ascending' ? seq - 1 : seq);

  const inside = (from: number, take: number): { text: Buffer; last: number | null } => {
    const page = store.page({ order, meta, head, endpoint, from: before(from), take, skip: 0 });
    return { text: page.text?.subarray(1, -1) ?? Buffer.alloc(0), last: page.last };
  };

  const pieceOf = (some: readonly number[]): Buffer => {
    const first = some[0];
    // Taken away with all it holds.
    if (first === undefined || endpoints.pathOf(endpoint) !== path) return Buffer.alloc(0);
    const here = store.places(order, { endpoint, from: before(first), take: some.length, skip: 0 });
    if (sameList(here, some)) return inside(first, some.length).text;
    const left: Buffer[] = [];
    for (const seq of some) {
      const { text, last } = inside(seq, 1);
      if (last !== seq) continue;
      if (left.length > 0) left.push(COMMA);
      left.push(text);
    }
    return Buffer.concat(left);
  };

  yield OPEN;
  let started = false;
  for (let at = 0; at < seqs.length; at += perPiece) {
    const piece = pieceOf(seqs.slice(at, at + perPiece));
    if (piece.length > 0) {
      if (started) yield COMMA;
      yield piece;
      started = true;
    }
    await turn();
  }
  yield CLOSE;
}
