import type { Ordering } from '../../../../wire/query.ts';
import { sqlInteger } from './fields.ts';
import { compileEquality } from './field-equality.ts';
import { compileFilter, type SqlFragment, type SqlParameter } from './filters.ts';
import { textPrefilter } from './text-indexes.ts';
import { defineQueryIndex, orderColumns, type SelectEntry } from './index-definitions.ts';

export interface SelectQuery {
  readonly entries: readonly SelectEntry[];
  /** Output name of the entry's mapping, or path in the stored data. Default: order of creation. */
  readonly orderBy?: string | null | undefined;
  readonly ordering: Ordering;
  readonly skip: number;
  readonly take: number | null;
  /**
   * `records`: rows {entry, seq, id, data}. `keys`: rows {entry, seq}. `count`: one row {n} with the number of all
   * matches, regardless of skip and take.
   */
  readonly columns: 'records' | 'keys' | 'count';
  /** Only these sequence numbers. They are looked up without scanning the endpoints. */
  readonly within?: readonly number[] | undefined;
  /** Names of existing indexes. The SQL names the index to use, because the planner has no statistics. */
  readonly indexes?: ReadonlySet<string> | undefined;
}

export interface CompiledQuery {
  readonly sql: string;
  readonly parameters: SqlParameter[];
}

/** Maximum SELECTs in one statement. SQLite accepts at most 500. */
const MAX_SELECTS = 400;

/** One SELECT of the query, for an entry or for a branch of the filter whose index it uses. */
interface SubSelect {
  readonly entry: number;
  /** `FROM records … WHERE …` */
  readonly from: string;
  readonly parameters: readonly SqlParameter[];
  readonly order: SortColumns | undefined;
  readonly isIndexed: boolean;
}

type SortColumns = readonly [rank: string, value: string];

/**
 * Compiles a read of the records of several endpoints, interleaved: sorted together, ties by `seq` in the same
 * direction, then by entry; a missing sort value comes last in both directions. A record that two entries match is
 * returned twice.
 */
export function compileSelect(query: SelectQuery): CompiledQuery {
  const maxBranches = Math.floor(MAX_SELECTS / Math.max(query.entries.length, 1));
  const selects = query.entries.flatMap((definition, entry) => compileEntry(query, definition, entry, maxBranches));
  if (query.columns === 'count') return compileCount(selects);
  const columns = query.columns === 'records' ? ', id, data' : '';
  if (selects.length === 0) return { sql: `SELECT 0 AS entry, seq${columns} FROM records WHERE 0`, parameters: [] };
  if (isOrdered(query) || (query.columns === 'records' && selects.some(({ isIndexed }) => isIndexed)))
    return compileKeysFirst(query, selects);
  const statements = selects.map(({ entry, from }) => `SELECT ${entry} AS entry, seq${columns} ${from}`);
  return addPage(
    query,
    selects,
    (page) => `${statements.join(' UNION ALL ')} ORDER BY ${sortTerms(query).join(', ')}${page}`,
  );
}

function isOrdered({ orderBy }: SelectQuery): boolean {
  return orderBy !== undefined && orderBy !== null;
}

/** Returns no SELECT if nothing can match, one per branch of the filter whose index is used, otherwise one. */
function compileEntry(query: SelectQuery, definition: SelectEntry, entry: number, maxBranches: number): SubSelect[] {
  const { endpoint, mapping } = definition;
  if (endpoint === null) return [];
  const filters = (definition.filters ?? []).map(compileFilter);
  if (filters.some(({ branches }) => branches.length === 0)) return [];
  const indexOn = (columns: readonly string[] | undefined): string | undefined => {
    const name = columns === undefined ? undefined : defineQueryIndex(endpoint, columns).name;
    return name !== undefined && query.indexes?.has(name) === true ? name : undefined;
  };
  const order =
    typeof query.orderBy === 'string' && query.columns !== 'count' ? orderColumns(query.orderBy, mapping) : undefined;
  const drivingFilter = (query.within === undefined ? filters : [])
    .filter(({ indexColumns, branches }) => indexOn(indexColumns) !== undefined && branches.length <= maxBranches)
    .toSorted((left, right) => right.selectivity - left.selectivity)
    .at(0);
  const prefilter =
    query.within !== undefined
      ? { condition: { sql: 'seq IN (SELECT value FROM json_each(?))', parameters: [JSON.stringify(query.within)] } }
      : drivingFilter === undefined
        ? (definition.filters ?? [])
            .map((filter) => textPrefilter(filter, endpoint))
            .find((candidate) => candidate !== undefined && query.indexes?.has(candidate.name) === true)
        : undefined;
  const index =
    prefilter === undefined ? indexOn(drivingFilter === undefined ? order : drivingFilter.indexColumns) : undefined;
  const equalities = (definition.equal ?? []).map(compileEquality);
  const otherConditions = [
    ...filters.filter((filter) => filter !== drivingFilter).map(({ branches }) => joinByOr(branches)),
    ...equalities,
  ];
  const rangeConditions = [
    ...(prefilter === undefined ? [] : [prefilter.condition]),
    { sql: `endpoint = ${sqlInteger(endpoint)}`, parameters: [] },
  ];
  const isOrderedByIndex = drivingFilter === undefined && index !== undefined;
  const sortColumns = order === undefined || isOrderedByIndex ? '' : order.join(' ');
  return (drivingFilter === undefined ? [undefined] : drivingFilter.branches).map((branch, branchIndex) => {
    // SQLite reads the columns of the index from the index and not from the record.
    const residue = (drivingFilter?.indexColumns ?? []).reduce(
      (sql, column) => sql.replaceAll(column, ''),
      branch?.sql ?? '',
    );
    const isRead =
      (query.columns === 'records' && !isOrdered(query)) ||
      isDataRead([residue, sortColumns, ...otherConditions.map(({ sql }) => sql)]);
    const budgetCheck = {
      sql: spendSql(isRead, 'data', {
        times: filters.length + equalities.length + 1,
        select: entry * MAX_SELECTS + branchIndex,
      }),
      parameters: [],
    };
    const conditions = [...rangeConditions, budgetCheck, ...otherConditions, ...(branch === undefined ? [] : [branch])];
    // A prefilter selects rows by sequence number. Without NOT INDEXED, the planner would scan the whole endpoint.
    const indexHint = prefilter !== undefined ? ' NOT INDEXED' : index === undefined ? '' : ` INDEXED BY ${index}`;
    return {
      entry,
      from: `FROM records${indexHint} WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
      parameters: conditions.flatMap(({ parameters }) => parameters),
      order,
      isIndexed: index !== undefined || prefilter !== undefined,
    };
  });
}

const isDataRead = (expressions: readonly string[]): boolean => expressions.some((sql) => sql.includes('(data,'));

/** Returns SQL that charges a row to the read budget. The SQL is true, or ends the statement with an error. */
function spendSql(isRead: boolean, data: string, { times, select }: { times: number; select: number }): string {
  return `pda_spend(${isRead ? `octet_length(${data})` : 0}, ${times}, ${select})`;
}

function joinByOr(branches: readonly SqlFragment[]): SqlFragment {
  const [branch] = branches;
  if (branch !== undefined && branches.length === 1) return branch;
  return {
    sql: `(${branches.map(({ sql }) => `(${sql})`).join(' OR ')})`,
    parameters: branches.flatMap(({ parameters }) => parameters),
  };
}

function sortTerms(query: SelectQuery): string[] {
  const direction = query.ordering === 'descending' ? 'DESC' : 'ASC';
  const byValue = isOrdered(query) ? [`sort_rank ${direction} NULLS LAST`, `sort_value ${direction}`] : [];
  return [...byValue, `seq ${direction}`, 'entry'];
}

/** Compiles a read that sorts keys and then fetches the page of records, because sorting records would copy them. */
function compileKeysFirst(query: SelectQuery, selects: readonly SubSelect[]): CompiledQuery {
  const terms = sortTerms(query);
  const statements = selects.map(({ entry, from, order }) => {
    const sort = order === undefined ? '' : `, ${order[0]} AS sort_rank, ${order[1]} AS sort_value`;
    return `SELECT ${entry} AS entry, seq${sort} ${from}`;
  });
  return addPage(query, selects, (page) => {
    const keys = `(${statements.join(' UNION ALL ')} ORDER BY ${terms.join(', ')}${page}) AS page`;
    // The outer ORDER BY guarantees the order. SQLite detects that the rows are already sorted.
    if (query.columns === 'keys') return `SELECT entry, seq FROM ${keys} ORDER BY ${terms.join(', ')}`;
    return `SELECT page.entry, page.seq, record.id, record.data FROM ${keys} CROSS JOIN records AS record ON record.seq = page.seq WHERE ${spendSql(true, 'record.data', { times: 1, select: query.entries.length * MAX_SELECTS })} ORDER BY ${terms.map((term) => `page.${term}`).join(', ')}`;
  });
}

function addPage(
  { skip, take }: SelectQuery,
  selects: readonly SubSelect[],
  sql: (page: string) => string,
): CompiledQuery {
  const parameters = selects.flatMap((select) => select.parameters);
  // An unlimited LIMIT would still make SQLite use the slower top-n sort.
  if (take === null && skip === 0) return { sql: sql(''), parameters };
  return { sql: sql(' LIMIT ? OFFSET ?'), parameters: [...parameters, take ?? -1, skip] };
}

function compileCount(selects: readonly SubSelect[]): CompiledQuery {
  const counts = selects.map(({ from }) => `(SELECT count(*) ${from})`);
  return {
    sql: `SELECT ${counts.length === 0 ? '0' : counts.join(' + ')} AS n`,
    parameters: selects.flatMap(({ parameters }) => parameters),
  };
}
