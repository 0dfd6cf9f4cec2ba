import type { CompiledQuery } from '../sql/compiler.ts';
import { sqlInteger } from '../sql/fields.ts';
import { compilePage, type TableQuery } from './statements.ts';

/** Limits of one read. The record that reaches `bytes` is the last one. */
export type PartLimits = { records: number; bytes: number };

/**
 * Selects the last sequence number of the next part; -1 if there are no more records.
 * @param start the part begins after this sequence number, or before it if `oldestFirst` is false
 */
const compileEndOfPart = ({ endpoint, oldestFirst }: TableQuery, start: number, limits: PartLimits): CompiledQuery => {
  const [last, after, order] = oldestFirst ? ['max(seq)', 'seq > ?', 'seq'] : ['min(seq)', 'seq < ?', 'seq DESC'];
  const nextRecordsSql = `SELECT seq, octet_length(data) AS bytes FROM records
    WHERE endpoint = ${sqlInteger(endpoint)} AND ${after} ORDER BY ${order} LIMIT ?`;
  return {
    sql: `SELECT coalesce(${last}, -1) FROM (
      SELECT seq, sum(bytes) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - bytes AS preceding_bytes
      FROM (${nextRecordsSql}))
      WHERE preceding_bytes < ?`,
    parameters: [start, limits.records, limits.bytes],
  };
};

/**
 * Yields the sequence numbers of the matching records in parts, oldest or newest first. Each read covers the next
 * records of the endpoint and uses no table index, so that each record is read once.
 * @param query without sorts
 */
export async function* readSeqParts(
  query: TableQuery,
  limits: PartLimits,
  read: (query: CompiledQuery) => Promise<Float64Array>,
): AsyncGenerator<Float64Array> {
  const { oldestFirst } = query;
  for (let start = oldestFirst ? -1 : Number.MAX_SAFE_INTEGER; ;) {
    const [end = -1] = await read(compileEndOfPart(query, start, limits));
    if (end === -1) return;
    const subset = oldestFirst ? { after: start, upTo: end } : { after: end - 1, upTo: start - 1 };
    yield await read(compilePage({ ...query, subset }, { skip: 0, take: null }, []));
    start = end;
  }
}
