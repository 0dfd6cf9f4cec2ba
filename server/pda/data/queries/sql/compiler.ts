import type { Ordering } from '../../../../wire/query.ts';
import { sqlInteger } from './fields.ts';
import { compileEquality } from './field-equality.ts';
import { compileFilter, type SqlFragment, type SqlParameter } from './filters.ts';
import { textSieve } from './text-indexes.ts';
import { orderColumns, queryIndex, type SelectEntry } from './index-definitions.ts';

/** A row that was seen last: `entry` and `seq` as the query returned them. */
export interface Position {
  readonly entry: number;
  readonly seq: number;
}

export interface SelectQuery {
  readonly entries: readonly SelectEntry[];
  /** An output name of the entry's mapping, or a path in the stored data; without it, order of creation. */
  readonly orderBy?: string | null | undefined;
  readonly ordering: Ordering;
  readonly skip: number;
  /** null: all. */
  readonly take: number | null;
  /** `records`: rows {entry, seq, id, data}; `keys`: {entry, seq}; `count`: one row {n}, of all that match, whatever skip and take. */
  readonly columns: 'records' | 'keys' | 'count';
  /** Goes on after this row instead of skipping. Only without `orderBy`, and not for `count`. */
  readonly after?: Position | undefined;
  /** Only records at these places: rows are looked up by place, and whatever else is at their endpoints is not looked at. */
  readonly within?: readonly number[] | undefined;
  /** Names of the indexes of `indexesFor` that exist now. They are used by name: the planner has no statistics to choose by. */
  readonly indexes?: ReadonlySet<string> | undefined;
}

export interface CompiledQuery {
  readonly sql: string;
  readonly parameters: SqlParameter[];
}

/** SELECTs in one statement; SQLite takes at most 500. */
const MAX_ARMS = 400;

/** One SELECT of the query: an entry, or a branch of the filter whose index it uses. */
interface Arm {
  readonly entry: number;
  /** `FROM records … WHERE …` */
  readonly from: string;
  readonly parameters: readonly SqlParameter[];
  readonly order: SortColumns | undefined;
  readonly indexed: boolean;
}

type SortColumns = readonly [rank: string, value: string];

/**
 * Compiles a read of the records of several endpoints, interleaved: sorted together, ties by `seq` in the same direction, then by
 * entry; a missing sort value comes last in both directions. A record that two entries match comes twice.
 *
 * Without `orderBy` the endpoints are merged out of `records_by_endpoint` as they lie, nothing is sorted.
 * @throws Error for `after` together with `orderBy`, which has no meaning
 */
export function compileSelect(query: SelectQuery): CompiledQuery {
  if (isOrdered(query) && query.after !== undefined) throw new Error('after needs the order of creation');
  const room = Math.floor(MAX_ARMS / Math.max(query.entries.length, 1));
  const arms = query.entries.flatMap((definition, entry) => compileEntry(query, definition, entry, room));
  if (query.columns === 'count') return count(arms);
  if (arms.length === 0) return nothing(query.columns);
  if (isOrdered(query) || (query.columns === 'records' && arms.some(({ indexed }) => indexed)))
    return keysFirst(query, arms);
  const columns = query.columns === 'records' ? ', id, data' : '';
  const selects = arms.map(({ entry, from }) => `SELECT ${entry} AS entry, seq${columns} ${from}`);
  return withPage(
    query,
    arms,
    (page) => `${selects.join(' UNION ALL ')} ORDER BY ${sortTerms(query).join(', ')}${page}`,
  );
}

function isOrdered({ orderBy }: SelectQuery): boolean {
  return orderBy !== undefined && orderBy !== null;
}

/** The SELECTs of an entry: none when nothing can match, several when branches of a filter go through its index one by one. */
function compileEntry(query: SelectQuery, definition: SelectEntry, entry: number, room: number): Arm[] {
  const { endpoint, mapping } = definition;
  if (endpoint === null) return [];
  const filters = (definition.filters ?? []).map(compileFilter);
  if (filters.some(({ branches }) => branches.length === 0)) return [];
  const indexOn = (columns: readonly string[] | undefined): string | undefined => {
    const name = columns === undefined ? undefined : queryIndex(endpoint, columns).name;
    return name !== undefined && query.indexes?.has(name) === true ? name : undefined;
  };
  const order =
    typeof query.orderBy === 'string' && query.columns !== 'count' ? orderColumns(query.orderBy, mapping) : undefined;
  const driving = (query.within === undefined ? filters : [])
    .filter(({ indexColumns, branches }) => indexOn(indexColumns) !== undefined && branches.length <= room)
    .toSorted((left, right) => right.selectivity - left.selectivity)
    .at(0);
  const sieve =
    query.within !== undefined
      ? { condition: { sql: 'seq IN (SELECT value FROM json_each(?))', parameters: [JSON.stringify(query.within)] } }
      : driving === undefined
        ? (definition.filters ?? [])
            .map((filter) => textSieve(filter, endpoint))
            .find((found) => found !== undefined && query.indexes?.has(found.name) === true)
        : undefined;
  const index = sieve === undefined ? indexOn(driving === undefined ? order : driving.indexColumns) : undefined;
  const equalities = (definition.equal ?? []).map(compileEquality);
  const others = [
    ...filters.filter((filter) => filter !== driving).map(({ branches }) => anyOf(branches)),
    ...equalities,
  ];
  const bound = [
    ...(sieve === undefined ? [] : [sieve.condition]),
    { sql: `endpoint = ${sqlInteger(endpoint)}`, parameters: [] },
    ...afterCondition(query, entry),
  ];
  const isOrderedByIndex = driving === undefined && index !== undefined;
  const sorted = order === undefined || isOrderedByIndex ? '' : order.join(' ');
  return (driving === undefined ? [undefined] : driving.branches).map((branch) => {
    // What the index holds is not read from the record.
    const residue = (driving?.indexColumns ?? []).reduce(
      (sql, column) => sql.replaceAll(column, ''),
      branch?.sql ?? '',
    );
    const isRead =
      (query.columns === 'records' && !isOrdered(query)) ||
      isDataRead([residue, sorted, ...others.map(({ sql }) => sql)]);
    const spent = {
      sql: spendSql(isRead, 'data', { times: filters.length + equalities.length + 1, select: entry }),
      parameters: [],
    };
    const all = [...bound, spent, ...others, ...(branch === undefined ? [] : [branch])];
    // With a sieve rows are looked up by place; the planner would rather walk the whole endpoint.
    const way = sieve !== undefined ? ' NOT INDEXED' : index === undefined ? '' : ` INDEXED BY ${index}`;
    return {
      entry,
      from: `FROM records${way} WHERE ${all.map(({ sql }) => sql).join(' AND ')}`,
      parameters: all.flatMap(({ parameters }) => parameters),
      order,
      indexed: index !== undefined || sieve !== undefined,
    };
  });
}

const isDataRead = (expressions: readonly string[]): boolean => expressions.some((sql) => sql.includes('(data,'));

/**
 * Takes what looking at a row costs from the budget of the statement: true, or the end of the statement.
 * @param times how often its record is read
 * @param select number of the SELECT
 */
function spendSql(isRead: boolean, data: string, { times, select }: { times: number; select: number }): string {
  return `pda_spend(${isRead ? `octet_length(${data})` : 0}, ${times}, ${select})`;
}

function anyOf(branches: readonly SqlFragment[]): SqlFragment {
  const [only] = branches;
  if (only !== undefined && branches.length === 1) return only;
  return {
    sql: `(${branches.map(({ sql }) => `(${sql})`).join(' OR ')})`,
    parameters: branches.flatMap(({ parameters }) => parameters),
  };
}

/** The record seen last may come once more, for a later entry. */
function afterCondition({ after, columns, ordering }: SelectQuery, entry: number): SqlFragment[] {
  if (after === undefined || columns === 'count') return [];
  const comparison = ordering === 'descending' ? '<' : '>';
  return [{ sql: `seq ${comparison}${entry > after.entry ? '=' : ''} ?`, parameters: [after.seq] }];
}

function sortTerms(query: SelectQuery): string[] {
  const direction = query.ordering === 'descending' ? 'DESC' : 'ASC';
  const byValue = isOrdered(query) ? [`sort_rank ${direction} NULLS LAST`, `sort_value ${direction}`] : [];
  return [...byValue, `seq ${direction}`, 'entry'];
}

/** Finds and sorts the keys, and fetches records for the page alone: sorting would carry whole records along. */
function keysFirst(query: SelectQuery, arms: readonly Arm[]): CompiledQuery {
  const terms = sortTerms(query);
  const selects = arms.map(({ entry, from, order }) => {
    const sort = order === undefined ? '' : `, ${order[0]} AS sort_rank, ${order[1]} AS sort_value`;
    return `SELECT ${entry} AS entry, seq${sort} ${from}`;
  });
  return withPage(query, arms, (page) => {
    const keys = `(${selects.join(' UNION ALL ')} ORDER BY ${terms.join(', ')}${page}) AS page`;
    // The outer order is a promise to the reader; SQLite sees that the rows come in it and does not sort again.
    if (query.columns === 'keys') return `SELECT entry, seq FROM ${keys} ORDER BY ${terms.join(', ')}`;
    return `SELECT page.entry, page.seq, record.id, record.data FROM ${keys} CROSS JOIN records AS record ON record.seq = page.seq WHERE ${spendSql(true, 'record.data', { times: 1, select: query.entries.length })} ORDER BY ${terms.map((term) => `page.${term}`).join(', ')}`;
  });
}

function withPage({ skip, take }: SelectQuery, arms: readonly Arm[], sql: (page: string) => string): CompiledQuery {
  const parameters = arms.flatMap((arm) => arm.parameters);
  // A LIMIT that limits nothing would still make SQLite sort in the slower way that keeps only the first rows.
  if (take === null && skip === 0) return { sql: sql(''), parameters };
  return { sql: sql(' LIMIT ? OFFSET ?'), parameters: [...parameters, take ?? -1, skip] };
}

function count(arms: readonly Arm[]): CompiledQuery {
  const counts = arms.map(({ from }) => `(SELECT count(*) ${from})`);
  return {
    sql: `SELECT ${counts.length === 0 ? '0' : counts.join(' + ')} AS n`,
    parameters: arms.flatMap(({ parameters }) => parameters),
  };
}

function nothing(columns: 'records' | 'keys'): CompiledQuery {
  return {
    sql: `SELECT 0 AS entry, seq${columns === 'records' ? ', id, data' : ''} FROM records WHERE 0`,
    parameters: [],
  };
}
