import type { CompiledQuery } from '../sql/compiler.ts';
import { sqlInteger } from '../sql/fields.ts';
import { compilePage, type TableQuery } from './statements.ts';

/**
 * Selects the last sequence number of the next `count` records of an endpoint in the order of creation; -1 if there are
 * none.
 * @param start the records after this sequence number, or before it if `oldestFirst` is false
 */
const compileEndOfPart = ({ endpoint, oldestFirst }: TableQuery, start: number, count: number): CompiledQuery => {
  const next = `SELECT seq FROM records WHERE endpoint = ${sqlInteger(endpoint)}`;
  return {
    sql: oldestFirst
      ? `SELECT coalesce(max(seq), -1) FROM (${next} AND seq > ? ORDER BY seq LIMIT ?)`
      : `SELECT coalesce(min(seq), -1) FROM (${next} AND seq < ? ORDER BY seq DESC LIMIT ?)`,
    parameters: [start, count],
  };
};

/**
 * Yields the sequence numbers of the matching records in the order of creation, in parts. Each read covers the next
 * records of the endpoint and uses no index, so that together they read each record once.
 * @param query without sorts
 * @param count records per read
 */
export async function* readSeqParts(
  query: TableQuery,
  count: number,
  read: (query: CompiledQuery) => Promise<Float64Array>,
): AsyncGenerator<Float64Array> {
  const { oldestFirst } = query;
  for (let start = oldestFirst ? -1 : Number.MAX_SAFE_INTEGER; ;) {
    const [end = -1] = await read(compileEndOfPart(query, start, count));
    if (end === -1) return;
    const subset = oldestFirst ? { after: start, upTo: end } : { after: end - 1, upTo: start - 1 };
    yield await read(compilePage({ ...query, subset }, { skip: 0, take: null }, []));
    start = end;
  }
}
