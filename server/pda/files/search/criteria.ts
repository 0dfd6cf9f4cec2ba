import type { FileFilters, FileTemplate, OwnerFilesQuery } from '../../../wire/files.ts';
import { GRANTED_COLLECTIONS_SQL, IN_COLLECTION_SQL } from '../collections/store.ts';
import { GRANTED_FILES_SQL, IN_GRANTED_FOLDER_SQL } from '../folder-grants/store.ts';
import { pathBounds } from '../rules.ts';

/** The files that a principal may find. */
export type SearchReach =
  | { kind: 'all' }
  | { kind: 'user'; userId: string }
  /** Uploaded files with these sources, and public files. */
  | { kind: 'sources'; sources: readonly string[] };

export type SearchValues = Record<string, string | number>;
export type SearchCondition = { sql: string; values: SearchValues };

/** Splits a text as the full-text index does. Quotes the words, so that FTS5 reads none of them as an operator. */
const wordsOf = (text: string): string[] =>
  text
    .split(/[^\p{L}\p{M}\p{N}\p{Co}]+/u)
    .filter((word) => word !== '')
    .map((word) => `"${word}"`);

const wordsIn = (column: 'title' | 'description', text: string): string[] =>
  wordsOf(text).map((word) => `${column} : ${word}`);

/** Returns prefix queries, because the owner searches while typing. */
export const prefixesOf = (text: string): string[] => wordsOf(text).map((word) => `${word} *`);

/** @param alias `+f` prevents the use of an index */
const equalityCondition = (column: string, value: string, alias: 'f' | '+f' = 'f'): SearchCondition => ({
  sql: `${alias}.${column} = :${column}`,
  values: { [column]: value },
});
export const tagCondition = (tag: string, number: number): SearchCondition => ({
  sql: `EXISTS (SELECT 1 FROM file_tags o WHERE o.tag = :tag${number} AND o.seq = f.seq)`,
  values: { [`tag${number}`]: tag },
});
export const MATCHES_NOTHING: SearchCondition = { sql: '0', values: {} };

/**
 * @param isSmall true if the sources, or the shared folders and collections, have few files. These are then found by
 *   index. Otherwise each file is checked; the `+` prevents the use of an index.
 */
export const reachConditions = (reach: SearchReach, isSmall: boolean): SearchCondition[] => {
  switch (reach.kind) {
    case 'all':
      return [];
    case 'user':
      return [
        {
          sql: isSmall
            ? `f.status <> 'Deleted' AND f.seq IN (SELECT seq FROM file_grants WHERE user_id = :reader
                UNION SELECT seq FROM files WHERE public = 1 AND status = 'Completed'
                UNION SELECT f.seq FROM ${GRANTED_FILES_SQL} AND g.user_id = :reader
                UNION SELECT m.seq FROM ${GRANTED_COLLECTIONS_SQL} WHERE g.user_id = :reader)`
            : `f.status <> 'Deleted' AND (+f.public = 1 AND f.status = 'Completed'
                OR EXISTS (SELECT 1 FROM file_grants p WHERE p.seq = f.seq AND p.user_id = :reader)
                OR EXISTS (SELECT 1 FROM folder_grants g WHERE g.user_id = :reader AND ${IN_GRANTED_FOLDER_SQL})
                OR EXISTS (SELECT 1 FROM ${GRANTED_COLLECTIONS_SQL} WHERE g.user_id = :reader AND m.seq = f.seq))`,
          values: { reader: reach.userId },
        },
      ];
    case 'sources':
      return [
        {
          sql: isSmall
            ? `f.seq IN (SELECT seq FROM files WHERE source IN (SELECT value FROM json_each(:sources)) AND uploader <> 'folder'
                UNION SELECT seq FROM files WHERE public = 1 AND status = 'Completed')`
            : `(f.uploader <> 'folder' AND +f.source IN (SELECT value FROM json_each(:sources)) OR (+f.public = 1 AND f.status = 'Completed'))`,
          values: { sources: JSON.stringify(reach.sources) },
        },
      ];
  }
};

const sharedWithCondition = (userId: string): SearchCondition => ({
  sql: `f.status = 'Completed' AND f.seq IN (SELECT seq FROM file_grants WHERE user_id = :reader
      UNION SELECT f.seq FROM ${GRANTED_FILES_SQL} AND g.user_id = :reader
      UNION SELECT m.seq FROM ${GRANTED_COLLECTIONS_SQL} WHERE g.user_id = :reader)`,
  values: { reader: userId },
});

export type SearchCriteria = {
  conditions: SearchCondition[];
  /** Terms of the full-text index, all of which must match; undefined if the index is not used. */
  words: string[] | undefined;
  tags: string[];
};

export const criteriaOfTemplate = (template: FileTemplate, reach: readonly SearchCondition[]): SearchCriteria => {
  const conditions: SearchCondition[] = [];
  const status = template.status?.status ?? '';
  const size = template.status?.size ?? 0;
  for (const column of ['fileId', 'name', 'source'] as const) {
    const value = template[column] ?? '';
    if (value !== '') conditions.push(equalityCondition(column === 'fileId' ? 'file_id' : column, value));
  }
  if (status === '') conditions.push({ sql: "f.status <> 'Deleted'", values: {} });
  else conditions.push(equalityCondition('status', status));
  if (size > 0) conditions.push({ sql: 'f.size = :size', values: { size } });
  const words = [...wordsIn('title', template.title ?? ''), ...wordsIn('description', template.description ?? '')];
  const hasText = (template.title ?? '') !== '' || (template.description ?? '') !== '';
  return {
    conditions: [...conditions, ...reach],
    words: hasText ? words : undefined,
    tags: (template.tags ?? []).filter((tag) => tag !== ''),
  };
};

const SHOW_CONDITIONS: Record<OwnerFilesQuery['show'], string> = {
  completed: "f.status = 'Completed'",
  shared: `f.status = 'Completed' AND f.seq IN (SELECT seq FROM file_grants UNION SELECT f.seq FROM ${GRANTED_FILES_SQL}
    UNION SELECT m.seq FROM ${GRANTED_COLLECTIONS_SQL})`,
  public: "f.status = 'Completed' AND f.seq IN (SELECT seq FROM files WHERE public = 1)",
  deleted: "f.status = 'Deleted'",
  unfinished: "f.status = 'New'",
};

export const criteriaOfQuery = (query: FileFilters, alias: 'f' | '+f' = 'f'): SearchCriteria => {
  const conditions: SearchCondition[] = [{ sql: SHOW_CONDITIONS[query.show], values: {} }];
  if (query.folder !== '')
    conditions.push({ sql: `${alias}.path >= :lower AND ${alias}.path < :upper`, values: pathBounds(query.folder) });
  if (query.collection !== undefined)
    conditions.push({ sql: IN_COLLECTION_SQL, values: { collection: query.collection } });
  if (query.visibleTo !== undefined) conditions.push(sharedWithCondition(query.visibleTo));
  if (query.source !== '') conditions.push(equalityCondition('source', query.source, alias));
  if (query.kind !== undefined) conditions.push(equalityCondition('kind', query.kind, alias));
  return {
    conditions,
    words: query.search.trim() === '' ? undefined : prefixesOf(query.search),
    tags: query.tag === '' ? [] : [query.tag],
  };
};

export const joinConditions = (conditions: readonly SearchCondition[]): { where: string; values: SearchValues } => ({
  where: conditions.length === 0 ? '1' : conditions.map(({ sql }) => sql).join(' AND '),
  values: Object.assign({}, ...conditions.map(({ values }) => values)) as SearchValues,
});

const PARAMETER = /:(\w+)/gu;

/**
 * Returns the condition for the file `f`. It has positional parameters, and needs no temporary table, which a reader
 * thread does not have.
 */
export const readerCondition = (query: FileFilters): { sql: string; parameters: (string | number)[] } => {
  const { conditions, words, tags } = criteriaOfQuery(query, '+f');
  // Never true. With the constant 0, SQLite could not use the partial index that the query names.
  if (words?.length === 0) return { sql: 'f.seq < 0', parameters: [] };
  const wordsCondition = (terms: readonly string[]): SearchCondition => ({
    sql: 'f.seq IN (SELECT rowid FROM files_text WHERE files_text MATCH :words)',
    values: { words: terms.join(' AND ') },
  });
  const { where, values } = joinConditions([
    ...conditions,
    ...(words === undefined ? [] : [wordsCondition(words)]),
    ...tags.map(tagCondition),
  ]);
  return {
    sql: where.replaceAll(PARAMETER, '?'),
    parameters: [...where.matchAll(PARAMETER)].flatMap(([, name = '']) => values[name] ?? []),
  };
};
