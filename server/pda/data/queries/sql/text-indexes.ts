import type { Filter } from '../../../../wire/query.ts';
import { wordsOf } from '../../../core/words.ts';
import { fieldSql, sqlInteger, wordsSql } from './fields.ts';
import type { SqlFragment } from './filters.ts';
import { hashExpression } from './index-definitions.ts';

/**
 * Full-text index (FTS5) on one field of one endpoint, with the words of `wordsOf`. With the index, a `find` examines
 * only the records that contain all words, and the large records, whose words are not indexed. It still applies the
 * filter to each of them, so the index never changes the result.
 */
export interface TextIndex {
  /** Name derived from endpoint and field, so that equal requirements share one index. */
  readonly name: string;
  readonly endpoint: number;
  readonly expressionSql: string;
  readonly createSql: string;
  /**
   * Selects the sequence number of the last record of the next batch after `:after` and up to `:upTo`; NULL if no
   * record is left. A batch has at most `:count` records and `:bytes` bytes, but at least one record.
   */
  readonly nextSql: string;
  /** Adds the records after `:after` and up to `:upTo`, which were stored before the triggers existed. */
  readonly fillSql: string;
}

/** Words of larger records are not indexed, because each text index of the endpoint would parse the record. */
export const INDEXED_RECORD_MAX_BYTES = 500_000;
/** Indexed for a large record instead of its words. A private-use character, which is part of no word. */
const LARGE_RECORD_WORD = '\u{e000}';

const TEXT_INDEX_NAME = /^query_text_\d+_[0-9a-f]{16}$/;

export const isTextIndexName = (name: string): boolean => TEXT_INDEX_NAME.test(name);

export function defineTextIndex(endpoint: number, field: string): TextIndex {
  const expressionSql = `CASE WHEN octet_length(data) > ${INDEXED_RECORD_MAX_BYTES} THEN '${LARGE_RECORD_WORD}' ELSE ${wordsSql(fieldSql(field))} END`;
  const endpointSql = sqlInteger(endpoint);
  const name = `query_text_${endpointSql}_${hashExpression(expressionSql)}`;
  // The `ascii` tokeniser treats every non-ASCII character as part of a word. The words are already folded and
  // separated by spaces.
  const table = `CREATE VIRTUAL TABLE IF NOT EXISTS ${name} USING fts5(words, content='', contentless_delete=1, detail='none', tokenize='ascii')`;
  const insertSql = `INSERT OR REPLACE INTO ${name} (rowid, words)`;
  const newRowSql = `${insertSql} VALUES (new.seq, (SELECT ${expressionSql} FROM (SELECT new.data AS data)))`;
  const triggers = [
    `CREATE TRIGGER IF NOT EXISTS ${name}_created AFTER INSERT ON records WHEN new.endpoint = ${endpointSql} BEGIN ${newRowSql}; END`,
    `CREATE TRIGGER IF NOT EXISTS ${name}_deleted AFTER DELETE ON records WHEN old.endpoint = ${endpointSql} BEGIN DELETE FROM ${name} WHERE rowid = old.seq; END`,
    `CREATE TRIGGER IF NOT EXISTS ${name}_changed AFTER UPDATE OF data, endpoint ON records WHEN new.endpoint = ${endpointSql} BEGIN ${newRowSql}; END`,
    `CREATE TRIGGER IF NOT EXISTS ${name}_left AFTER UPDATE OF endpoint ON records WHEN old.endpoint = ${endpointSql} AND new.endpoint <> ${endpointSql} BEGIN DELETE FROM ${name} WHERE rowid = old.seq; END`,
  ];
  const nextRowsSql = `FROM (SELECT seq, octet_length(data) AS bytes FROM records WHERE endpoint = ${endpointSql} AND seq > :after AND seq <= :upTo ORDER BY seq LIMIT :count)`;
  return {
    name,
    endpoint,
    expressionSql,
    createSql: [table, ...triggers].join(';\n'),
    fillSql: `${insertSql} SELECT seq, ${expressionSql} FROM records WHERE endpoint = ${endpointSql} AND seq > :after AND seq <= :upTo`,
    nextSql: `SELECT max(seq) FROM (SELECT seq, row_number() OVER positions AS number, sum(bytes) OVER positions AS bytes ${nextRowsSql} WINDOW positions AS (ORDER BY seq)) WHERE number = 1 OR bytes <= :bytes`,
  };
}

/** @throws Error for a name that no text index can have */
export function dropTextIndexSql(name: string): string {
  if (!isTextIndexName(name)) throw new Error('this is not the name of a text index');
  const triggers = ['created', 'deleted', 'changed', 'left'].map((event) => `DROP TRIGGER IF EXISTS ${name}_${event}`);
  return [...triggers, `DROP TABLE IF EXISTS ${name}`].join(';\n');
}

export function textPrefilter(filter: Filter, endpoint: number): { name: string; condition: SqlFragment } | undefined {
  if (filter.operator.operator !== 'find') return undefined;
  const words = [...new Set(wordsOf(filter.operator.search))];
  if (words.length === 0) return undefined;
  const { name } = defineTextIndex(endpoint, filter.field);
  const match = `(${words.map((word) => `"${word}"`).join(' AND ')}) OR "${LARGE_RECORD_WORD}"`;
  return { name, condition: { sql: `seq IN (SELECT rowid FROM ${name} WHERE ${name} MATCH ?)`, parameters: [match] } };
}
