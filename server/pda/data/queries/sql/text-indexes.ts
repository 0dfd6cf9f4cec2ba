import type { Filter } from '../../../../wire/query.ts';
import { fieldSql, sqlInteger, wordsSql } from './fields.ts';
import type { SqlFragment } from './filters.ts';
import { expressionHash } from './index-definitions.ts';
import { wordsOf } from '../language/tokenizer.ts';

/**
 * A full-text index over one field of one endpoint: the words of `words.ts`, as FTS5 keeps them. It narrows a `find` down to the
 * records that hold all words; the filter itself still decides, so an index can make an answer faster and never different.
 */
export interface TextIndex {
  /** Derived from endpoint and field, so that equal requirements share one index. */
  readonly name: string;
  readonly endpoint: number;
  readonly expressionSql: string;
  /** Makes the empty index and the triggers that keep it up. */
  readonly createSql: string;
  /**
   * The last record of the next step, of at most `:count` records and `:bytes` bytes (one record at least), of those after `:after` and
   * up to `:upTo`.
   */
  readonly nextSql: string;
  /** Takes in the records after `:after` and up to `:upTo`, which were there before the triggers. */
  readonly fillSql: string;
  readonly dropSql: string;
}

const NAME = /^query_text_\d+_[0-9a-f]{16}$/;

export const isTextIndexName = (name: string): boolean => NAME.test(name);

/** Words of `table.data`, where a trigger knows its row as `new`. */
function wordsOfRow(expressionSql: string, row: string): string {
  return `(SELECT ${expressionSql} FROM (SELECT ${row}.data AS data))`;
}

/** The full-text index with which `find` on this field of this endpoint is a look-up. */
export function textIndex(endpoint: number, field: string): TextIndex {
  const expressionSql = wordsSql(fieldSql(field));
  const number = sqlInteger(endpoint);
  const name = `query_text_${number}_${expressionHash(expressionSql)}`;
  // `ascii` takes every character beyond ASCII for part of a word and folds nothing else: the words arrive folded and parted by spaces.
  const table = `CREATE VIRTUAL TABLE IF NOT EXISTS ${name} USING fts5(words, content='', contentless_delete=1, detail='none', tokenize='ascii')`;
  const put = `INSERT OR REPLACE INTO ${name} (rowid, words)`;
  const triggers = [
    `CREATE TRIGGER IF NOT EXISTS ${name}_created AFTER INSERT ON records WHEN new.endpoint = ${number} BEGIN ${put} VALUES (new.seq, ${wordsOfRow(expressionSql, 'new')}); END`,
    `CREATE TRIGGER IF NOT EXISTS ${name}_deleted AFTER DELETE ON records WHEN old.endpoint = ${number} BEGIN DELETE FROM ${name} WHERE rowid = old.seq; END`,
    `CREATE TRIGGER IF NOT EXISTS ${name}_changed AFTER UPDATE OF data, endpoint ON records WHEN new.endpoint = ${number} BEGIN ${put} VALUES (new.seq, ${wordsOfRow(expressionSql, 'new')}); END`,
    `CREATE TRIGGER IF NOT EXISTS ${name}_left AFTER UPDATE OF endpoint ON records WHEN old.endpoint = ${number} AND new.endpoint <> ${number} BEGIN DELETE FROM ${name} WHERE rowid = old.seq; END`,
  ];
  const chunk = `FROM (SELECT seq, octet_length(data) AS bytes FROM records WHERE endpoint = ${number} AND seq > :after AND seq <= :upTo ORDER BY seq LIMIT :count)`;
  return {
    name,
    endpoint,
    expressionSql,
    createSql: [table, ...triggers].join(';\n'),
    fillSql: `${put} SELECT seq, ${expressionSql} FROM records WHERE endpoint = ${number} AND seq > :after AND seq <= :upTo`,
    nextSql: `SELECT max(seq) FROM (SELECT seq, row_number() OVER places AS number, sum(bytes) OVER places AS bytes ${chunk} WINDOW places AS (ORDER BY seq)) WHERE number = 1 OR bytes <= :bytes`,
    dropSql: dropTextIndexSql(name),
  };
}

/** @throws Error for a name that is not one of a text index */
export function dropTextIndexSql(name: string): string {
  if (!isTextIndexName(name)) throw new Error('not a text index');
  const triggers = ['created', 'deleted', 'changed', 'left'].map((event) => `DROP TRIGGER IF EXISTS ${name}_${event}`);
  return [...triggers, `DROP TABLE IF EXISTS ${name}`].join(';\n');
}

/** The condition by which a text index narrows a filter down; undefined when the filter is no `find` or has no word. */
export function textSieve(filter: Filter, endpoint: number): { name: string; condition: SqlFragment } | undefined {
  if (filter.operator.operator !== 'find') return undefined;
  const words = [...new Set(wordsOf(filter.operator.search))];
  if (words.length === 0) return undefined;
  const { name } = textIndex(endpoint, filter.field);
  const match = words.map((word) => `"${word}"`).join(' ');
  return { name, condition: { sql: `seq IN (SELECT rowid FROM ${name} WHERE ${name} MATCH ?)`, parameters: [match] } };
}
