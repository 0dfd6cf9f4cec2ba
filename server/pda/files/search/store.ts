import type { FileFilters, FileKind, FileTemplate, OwnerFilesQuery } from '../../../wire/files.ts';
import type { Database } from '../../storage/index.ts';
import { GRANTED_COLLECTIONS_SQL, IN_COLLECTION_SQL, POSITION_SQL } from '../collections/store.ts';
import { GRANTED_FILES_SQL, IN_GRANTED_FOLDER_SQL } from '../folder-grants/store.ts';
import { pathBounds } from '../rules.ts';
import { FILE_COLUMNS, type FileRow, type FileStore } from '../store.ts';

/** The files that a principal may find. */
export type SearchReach =
  | { kind: 'all' }
  | { kind: 'user'; userId: string }
  /** Files that were uploaded under these sources, and public files. */
  | { kind: 'sources'; sources: readonly string[] };

type Values = Record<string, string | number>;
type Condition = { sql: string; values: Values };

/** Up to this many matches, sorting all of them is faster than reading all files in the requested order. */
const SMALL_RESULT_ROWS = 5000;
/** Maximum number of matches that a search by words or tag counts. */
export const COUNTED_MATCHES_MAX = 10_000;

/**
 * Splits a text into words as the full-text index does. The words are quoted, so that FTS5 reads none of them as an
 * operator.
 */
const wordsOf = (text: string): string[] =>
  text
    .split(/[^\p{L}\p{M}\p{N}\p{Co}]+/u)
    .filter((word) => word !== '')
    .map((word) => `"${word}"`);

const wordsIn = (column: 'title' | 'description', text: string): string[] =>
  wordsOf(text).map((word) => `${column} : ${word}`);

/** Returns prefix queries, because the owner searches while typing. */
const prefixesOf = (text: string): string[] => wordsOf(text).map((word) => `${word} *`);

/** @param alias `+f` prevents the use of an index */
const equals = (column: string, value: string, alias: 'f' | '+f' = 'f'): Condition => ({
  sql: `${alias}.${column} = :${column}`,
  values: { [column]: value },
});
const hasTag = (tag: string, number: number): Condition => ({
  sql: `EXISTS (SELECT 1 FROM file_tags o WHERE o.tag = :tag${number} AND o.seq = f.seq)`,
  values: { [`tag${number}`]: tag },
});
const MATCHES_NOTHING: Condition = { sql: '0', values: {} };

/**
 * Returns the conditions of a reach.
 * @param isSmall true if the sources, or shared folders and collections, have few files, which are then found by index.
 *   Otherwise each file is checked; the `+` prevents the use of an index.
 */
const reachConditions = (reach: SearchReach, isSmall: boolean): Condition[] => {
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

type Criteria = {
  /** Conditions on the row. */
  parts: Condition[];
  /** Terms of the full-text index, all of which must match; undefined if the index is not used. */
  words: string[] | undefined;
  tags: string[];
};

const criteriaOfTemplate = (template: FileTemplate, reach: readonly Condition[]): Criteria => {
  const parts: Condition[] = [];
  const status = template.status?.status ?? '';
  const size = template.status?.size ?? 0;
  for (const column of ['fileId', 'name', 'source'] as const) {
    const value = template[column] ?? '';
    if (value !== '') parts.push(equals(column === 'fileId' ? 'file_id' : column, value));
  }
  if (status === '') parts.push({ sql: "f.status <> 'Deleted'", values: {} });
  else parts.push(equals('status', status));
  if (size > 0) parts.push({ sql: 'f.size = :size', values: { size } });
  const words = [...wordsIn('title', template.title ?? ''), ...wordsIn('description', template.description ?? '')];
  const hasText = (template.title ?? '') !== '' || (template.description ?? '') !== '';
  return {
    parts: [...parts, ...reach],
    words: hasText ? words : undefined,
    tags: (template.tags ?? []).filter((tag) => tag !== ''),
  };
};

const SHOW_CONDITIONS: Record<OwnerFilesQuery['show'], string> = {
  here: "f.status = 'Completed'",
  shared: `f.status = 'Completed' AND f.seq IN (SELECT seq FROM file_grants UNION SELECT f.seq FROM ${GRANTED_FILES_SQL}
    UNION SELECT m.seq FROM ${GRANTED_COLLECTIONS_SQL})`,
  public: "f.status = 'Completed' AND f.seq IN (SELECT seq FROM files WHERE public = 1)",
  deleted: "f.status = 'Deleted'",
  unfinished: "f.status = 'New'",
};

const SORT_KEYS: Record<OwnerFilesQuery['sort'], string> = {
  name: 'f.name COLLATE NOCASE',
  size: 'f.size',
  added: 'f.seq',
  changed: 'f.updated',
  taken: 'f.taken_local',
};

/** Returns the sort key of a query. In a collection, files are sorted by when they were added to it. */
const sortKeyOf = ({ sort, collection }: OwnerFilesQuery): string =>
  sort === 'added' && collection !== undefined ? POSITION_SQL : SORT_KEYS[sort];

const criteriaOfQuery = (query: FileFilters, alias: 'f' | '+f' = 'f'): Criteria => {
  const parts: Condition[] = [{ sql: SHOW_CONDITIONS[query.show], values: {} }];
  if (query.folder !== '')
    parts.push({ sql: `${alias}.path >= :lower AND ${alias}.path < :upper`, values: pathBounds(query.folder) });
  if (query.collection !== undefined) parts.push({ sql: IN_COLLECTION_SQL, values: { collection: query.collection } });
  if (query.visibleTo !== undefined) parts.push(...reachConditions({ kind: 'user', userId: query.visibleTo }, true));
  if (query.source !== '') parts.push(equals('source', query.source, alias));
  if (query.kind !== undefined) parts.push(equals('kind', query.kind, alias));
  return {
    parts,
    words: query.search.trim() === '' ? undefined : prefixesOf(query.search),
    tags: query.tag === '' ? [] : [query.tag],
  };
};

/** FROM clauses. The first table drives the query. */
const FILES_LEAD = 'files f';
const WORDS_LEAD = 'files_text w CROSS JOIN files f ON f.seq = w.rowid';
// The covering index contains the columns for counting and sorting. Without INDEXED BY, SQLite would read the large
// rows.
const AMOUNTS_LEAD = 'files f INDEXED BY files_amounts';
const SEQS_LEAD = `json_each(:seqs) s CROSS JOIN ${AMOUNTS_LEAD} ON f.seq = s.value`;

/**
 * Returns true if the files are found by their grants or collection. Source or kind is less selective, because nearly
 * all files can share it.
 */
const isBySet = ({ show, visibleTo, collection }: FileFilters): boolean =>
  show === 'shared' || show === 'public' || visibleTo !== undefined || collection !== undefined;
const leadOf = (query: FileFilters): string => (isBySet(query) ? AMOUNTS_LEAD : FILES_LEAD);
const pageCriteria = (query: FileFilters): Criteria => criteriaOfQuery(query, isBySet(query) ? '+f' : 'f');

const joinConditions = (parts: readonly Condition[]): { where: string; values: Values } => ({
  where: parts.length === 0 ? '1' : parts.map(({ sql }) => sql).join(' AND '),
  values: Object.assign({}, ...parts.map(({ values }) => values)) as Values,
});

/** Number and total size of files. */
export type Amount = { files: number; bytes: number };

/** Sums amounts by key and sorts them by bytes, then by files, in descending order. */
const sumByKey = <Row extends Amount, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): [Key, Amount][] => {
  const sums = new Map<Key, Amount>();
  for (const row of rows) {
    const sum = sums.get(keyOf(row)) ?? { files: 0, bytes: 0 };
    sums.set(keyOf(row), { files: sum.files + row.files, bytes: sum.bytes + row.bytes });
  }
  return [...sums].toSorted(([, a], [, b]) => b.bytes - a.bytes || b.files - a.files);
};

/** Maximum number of files that a search in the access history finds by their names. */
const MAX_NAMED_FILES = 20;

export type FileSearchStore = ReturnType<typeof createFileSearchStore>;

/** Creates the search. Prepares statements per search, because their conditions differ. Preparing them is fast. */
export const createFileSearchStore = (db: Database, store: Pick<FileStore, 'searchIndexVersion'>) => {
  // Grouped in the order of a covering index.
  const amounts = db.prepare<[], Amount & { source: string; kind: FileKind }>(
    `SELECT kind, source, count(*) AS files, coalesce(sum(size), 0) AS bytes FROM files WHERE status = 'Completed'
     GROUP BY kind, source`,
  );
  const tags = db.prepare<[], { tag: string; files: number }>(
    'SELECT tag, count(*) AS files FROM file_tags GROUP BY tag ORDER BY files DESC, tag LIMIT 100',
  );
  const prepareNumber = (sql: string) => db.prepare<[], number>(sql).pluck();
  const publicFiles = prepareNumber("SELECT count(*) FROM files WHERE public = 1 AND status = 'Completed'");
  const undoable = db.prepare<[], Amount>(
    'SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM files WHERE deleted IS NOT NULL AND undo_path IS NOT NULL',
  );
  const countWithTag = db
    .prepare<[string], number>(
      `SELECT count(*) FROM (SELECT 1 FROM file_tags WHERE tag = ? LIMIT ${SMALL_RESULT_ROWS})`,
    )
    .pluck();
  const countWithWords = db
    .prepare<[string], number>(
      `SELECT count(*) FROM (SELECT 1 FROM files_text WHERE files_text MATCH ? LIMIT ${SMALL_RESULT_ROWS})`,
    )
    .pluck();

  const newestNamed = db
    .prepare<[string], number>(
      `SELECT rowid FROM files_text WHERE files_text MATCH ? ORDER BY rowid DESC LIMIT ${MAX_NAMED_FILES}`,
    )
    .pluck();

  // Matches of frequent words are cached until files change, because a search counts and lists them and is repeated for
  // each page.
  db.exec('CREATE TEMP TABLE IF NOT EXISTS file_matches (seq INTEGER PRIMARY KEY)');
  const clearMatches = db.prepare('DELETE FROM temp.file_matches');
  const insertMatches = db.prepare(
    'INSERT INTO temp.file_matches SELECT rowid FROM files_text WHERE files_text MATCH ?',
  );
  let cached = { words: '', version: -1 };
  const hasWords = (words: string): Condition => {
    const version = store.searchIndexVersion();
    if (cached.words !== words || cached.version !== version) {
      cached = { words: '', version: -1 };
      clearMatches.run();
      insertMatches.run(words);
      cached = { words, version };
    }
    return { sql: 'EXISTS (SELECT 1 FROM temp.file_matches m WHERE m.seq = f.seq)', values: {} };
  };

  const countOfSource = db
    .prepare<[string], number>(`SELECT count(*) FROM (SELECT 1 FROM files WHERE source = ? LIMIT ${SMALL_RESULT_ROWS})`)
    .pluck();
  const countInSets = db
    .prepare<{ reader: string }, number>(
      `SELECT count(*) FROM (SELECT 1 FROM ${GRANTED_FILES_SQL} AND g.user_id = :reader
         UNION ALL SELECT 1 FROM ${GRANTED_COLLECTIONS_SQL} WHERE g.user_id = :reader LIMIT ${SMALL_RESULT_ROWS})`,
    )
    .pluck();
  const isSmall = (reach: SearchReach): boolean => {
    if (reach.kind === 'user') return (countInSets.get({ reader: reach.userId }) ?? 0) < SMALL_RESULT_ROWS;
    let files = 0;
    for (const source of reach.kind === 'sources' ? reach.sources : []) {
      files += countOfSource.get(source) ?? 0;
      if (files >= SMALL_RESULT_ROWS) return false;
    }
    return true;
  };

  /**
   * Returns the FROM clause and the conditions of a search. The rarest tag or the words drive the query if they have
   * few matches; all others are checked per row. SQLite has no statistics to decide this.
   */
  const conditions = (
    { parts, words, tags: requiredTags }: Criteria,
    lead: string = FILES_LEAD,
  ): { from: string; parts: Condition[] } => {
    const combined = [...parts];
    if (words?.length === 0) return { from: lead, parts: [MATCHES_NOTHING] };
    const query = words?.join(' AND ');
    const counts = requiredTags.map((tag) => countWithTag.get(tag) ?? 0);
    const rarest = counts.length === 0 ? SMALL_RESULT_ROWS : Math.min(...counts);
    const matches = query === undefined ? SMALL_RESULT_ROWS : (countWithWords.get(query) ?? 0);
    let from = lead;
    const isTagLeading = rarest < SMALL_RESULT_ROWS && rarest <= matches;
    for (const [number, tag] of requiredTags.entries()) {
      if (isTagLeading && counts[number] === rarest && from === lead) {
        from = 'file_tags t CROSS JOIN files f ON f.seq = t.seq';
        combined.push({ sql: `t.tag = :tag${number}`, values: { [`tag${number}`]: tag } });
      } else {
        combined.push(hasTag(tag, number));
      }
    }
    if (query !== undefined) {
      if (!isTagLeading && matches < SMALL_RESULT_ROWS) {
        from = WORDS_LEAD;
        combined.push({ sql: 'w.files_text MATCH :words', values: { words: query } });
      } else {
        combined.push(hasWords(query));
      }
    }
    return { from, parts: combined };
  };

  /** Counts the matches and, for a search by words or tag, returns their sequence numbers as a JSON array. */
  const countMatches = (query: OwnerFilesQuery): Amount & { seqs: string | undefined } => {
    const criteria = pageCriteria(query);
    const isSearch = criteria.words !== undefined || criteria.tags.length > 0;
    const { from, parts } = conditions(criteria, leadOf(query));
    const { where, values } = joinConditions(parts);
    // Without words and tags, counting needs an index only, whereas the sequence numbers would need the rows.
    const [seqs, limit] = isSearch ? ['json_group_array(seq)', `LIMIT ${COUNTED_MATCHES_MAX}`] : ['NULL', ''];
    const row = db
      .prepare<[Values], Amount & { seqs: string | null }>(
        `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes, ${seqs} AS seqs
         FROM (SELECT f.seq, f.size FROM ${from} WHERE ${where} ${limit})`,
      )
      .get(values);
    return { files: row?.files ?? 0, bytes: row?.bytes ?? 0, seqs: row?.seqs ?? undefined };
  };

  const pageOf = (query: OwnerFilesQuery, from: string, parts: readonly Condition[], sort: string): FileRow[] => {
    const { where, values } = joinConditions(parts);
    const direction = query.order === 'ascending' ? 'ASC' : 'DESC';
    // Sequence numbers have no ties. A second key would prevent reading the full-text index in its own order.
    const order = (key: string): string =>
      `ORDER BY ${key} ${direction}${query.sort === 'added' ? '' : `, f.seq ${direction}`}`;
    // Only sequence numbers are sorted, and the rows are read for one page. Sorting whole rows takes twice as long.
    return db
      .prepare<[Values], FileRow>(
        `SELECT ${FILE_COLUMNS} FROM files f
         JOIN (SELECT f.seq AS page_seq FROM ${from} WHERE ${where} ${order(sort)} LIMIT :take OFFSET :skip) p ON p.page_seq = f.seq
         ${order(sortKeyOf(query))}`,
      )
      .all({
        ...values,
        ...(query.collection === undefined ? {} : { collection: query.collection }),
        take: query.take,
        skip: query.skip,
      });
  };

  return {
    /**
     * Returns the newest files whose names contain, for each word of the text, a word that begins with it; newest
     * first.
     */
    newestNamed(text: string): number[] {
      const words = prefixesOf(text).map((word) => `name : ${word}`);
      return words.length === 0 ? [] : newestNamed.all(words.join(' '));
    },

    /** Returns a page of the files that match a template, in the order of creation. */
    byTemplate(
      template: FileTemplate,
      reach: SearchReach,
      page: { after: number; skip: number; take: number },
    ): FileRow[] {
      const { from, parts } = conditions(criteriaOfTemplate(template, reachConditions(reach, isSmall(reach))));
      const { where, values } = joinConditions(parts);
      // The full-text index has the same order, but SQLite does not know this.
      const order = from.startsWith('files_text') ? 'w.rowid' : from.startsWith('file_tags') ? 't.seq' : 'f.seq';
      return db
        .prepare<[Values], FileRow>(
          `SELECT ${FILE_COLUMNS} FROM ${from} WHERE ${where} AND ${order} > :after ORDER BY ${order} LIMIT :take OFFSET :skip`,
        )
        .all({ ...values, ...page });
    },

    /** Returns the FROM clause and the condition of the files that match, for statements of other stores. */
    matching(query: FileFilters): { from: string; where: string; values: Values } {
      const { from, parts } = conditions(pageCriteria(query), leadOf(query));
      return { from, ...joinConditions(parts) };
    },

    /** Returns a page and the total amount. A search by words or tag counts at most `COUNTED_MATCHES_MAX` matches. */
    findOwnerFiles(query: OwnerFilesQuery): { total: Amount; rows: FileRow[] } {
      const { seqs, ...total } = countMatches(query);
      const sort = sortKeyOf(query);
      // A small result is collected and then sorted. For a large one, all files are read in the requested order.
      if (total.files < SMALL_RESULT_ROWS) {
        const { from, parts } =
          seqs === undefined
            ? conditions(pageCriteria(query), leadOf(query))
            : { from: SEQS_LEAD, parts: [{ sql: '1', values: { seqs } }] };
        return { total, rows: pageOf(query, from, parts, `+${sort}`) };
      }
      const { parts, words, tags: requiredTags } = criteriaOfQuery(query, '+f');
      const checks = [...parts, ...requiredTags.map(hasTag)];
      if (words === undefined) return { total, rows: pageOf(query, FILES_LEAD, checks, sort) };
      const wordsQuery = words.join(' AND ');
      // The full-text index is in the order of creation.
      if (query.sort === 'added' && query.collection === undefined) {
        const allParts = [...checks, { sql: 'w.files_text MATCH :words', values: { words: wordsQuery } }];
        return { total, rows: pageOf(query, WORDS_LEAD, allParts, 'w.rowid') };
      }
      return { total, rows: pageOf(query, FILES_LEAD, [...checks, hasWords(wordsQuery)], sort) };
    },

    /** Returns the amounts per source and per kind, largest first. */
    amounts(): { sources: (Amount & { source: string })[]; kinds: (Amount & { kind: FileKind })[] } {
      const rows = amounts.all();
      return {
        sources: sumByKey(rows, ({ source }) => source).map(([source, amount]) => ({ source, ...amount })),
        kinds: sumByKey(rows, ({ kind }) => kind).map(([kind, amount]) => ({ kind, ...amount })),
      };
    },
    tags: () => tags.all(),
    publicFiles: () => publicFiles.get() ?? 0,
    restorableAmount: () => undoable.get() ?? { files: 0, bytes: 0 },
  };
};
