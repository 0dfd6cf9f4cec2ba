import { sqlInteger, valueSql } from '../sql/fields.ts';
import type { CompiledQuery } from '../sql/compiler.ts';
import { compileSearch } from './conditions.ts';
import { columnSql } from './keys.ts';
import { subsetSql, type TableQuery } from './statements.ts';

/**
 * Value of one field for a table that is shown to others. `list`: the first strings, numbers and booleans of a list,
 * joined by commas. The content of an object is never included, because its members are other fields. The text of a
 * number has all digits of a whole number beyond 2^53, such as an id.
 */
export type TableCell =
  | { is: 'text' | 'list' | 'number'; text: string }
  | { is: 'boolean'; value: boolean }
  | { is: 'empty' | 'object' };

export type TableCells = { seq: number; cells: TableCell[] };

/** Row of the statement: `seq`, and the type `t<index>` and value `v<index>` of each field. */
export type CellsRow = Readonly<Record<string, string | number | null>>;

const MAX_LIST_VALUES = 20;

const listSql = (raw: string, maxChars: number): string =>
  `(SELECT substr(group_concat(substr(value, 1, ${maxChars}), ', '), 1, ${maxChars}) FROM (SELECT CASE type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE atom END AS value FROM json_each(${raw}) WHERE atom IS NOT NULL LIMIT ${MAX_LIST_VALUES}))`;

/** Returns SQL for a whole number as text, unless SQLite has rounded it because it has more than 64 bits. */
const integerSql = (raw: string): string =>
  `CASE typeof(${raw}) WHEN 'integer' THEN CAST(${raw} AS TEXT) ELSE ${raw} END`;

/**
 * Selects fields of the records with these sequence numbers that still match the query, in any order. No other content
 * of the records leaves the reader thread.
 * @param maxChars strings and lists are truncated to one character more, so that the caller sees which are longer
 */
export const compileCells = (
  query: TableQuery,
  seqs: readonly number[],
  { paths, maxChars }: { paths: readonly string[]; maxChars: number },
): CompiledQuery => {
  const length = maxChars + 1;
  const columns = paths.flatMap((path, index) => {
    const { type, raw } = valueSql(path);
    const value = `CASE ${type} WHEN 'text' THEN substr(${raw}, 1, ${length}) WHEN 'array' THEN ${listSql(raw, length)} WHEN 'object' THEN NULL WHEN 'integer' THEN ${integerSql(raw)} ELSE ${raw} END`;
    return [`${type} AS t${index}`, `${value} AS v${index}`];
  });
  const search = compileSearch(query.search);
  const subset = subsetSql(query.subset);
  const conditions = query.conditions.map(({ sql }) => ` AND (${sql(columnSql)})`).join('');
  return {
    sql: `SELECT seq, ${columns.join(', ')} FROM records WHERE endpoint = ${sqlInteger(query.endpoint)}
      AND seq IN (SELECT value FROM json_each(?))${subset.sql} AND pda_spend(octet_length(data), ${paths.length + 1}, 0)${search.sql}${conditions}`,
    parameters: [
      JSON.stringify(seqs),
      ...subset.parameters,
      ...search.parameters,
      ...query.conditions.flatMap(({ parameters }) => parameters),
    ],
  };
};

const toCell = (type: string | number | null | undefined, value: string | number | null | undefined): TableCell => {
  switch (type) {
    case 'text':
      return { is: 'text', text: String(value ?? '') };
    case 'array':
      return { is: 'list', text: String(value ?? '') };
    case 'integer':
    case 'real':
      return { is: 'number', text: String(value) };
    case 'true':
    case 'false':
      return { is: 'boolean', value: type === 'true' };
    case 'object':
      return { is: 'object' };
    default:
      return { is: 'empty' };
  }
};

export const toTableCells = (rows: readonly CellsRow[], seqs: readonly number[], columnCount: number): TableCells[] => {
  const rowBySeq = new Map(rows.map((row) => [row['seq'], row]));
  return seqs.flatMap((seq) => {
    const row = rowBySeq.get(seq);
    if (row === undefined) return [];
    const cells = Array.from({ length: columnCount }, (_, index) => toCell(row[`t${index}`], row[`v${index}`]));
    return { seq, cells };
  });
};
