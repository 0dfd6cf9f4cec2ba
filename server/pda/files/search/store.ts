import type { FileFilters, FileKind, FileTemplate, OwnerFilesQuery } from '../../../wire/files.ts';
import { COUNTED_MATCHES_MAX } from '../../../wire/limits.ts';
import { seqOfId } from '../../core/sequence.ts';
import type { Database } from '../../storage/index.ts';
import { GRANTED_COLLECTIONS_SQL, POSITION_SQL } from '../collections/store.ts';
import { GRANTED_FILES_SQL } from '../folder-grants/store.ts';
import { FILE_COLUMNS, type FileRow, type FileStore } from '../store.ts';
import {
  criteriaOfQuery,
  criteriaOfTemplate,
  joinConditions,
  MATCHES_NOTHING,
  prefixesOf,
  reachConditions,
  tagCondition,
  type SearchCondition,
  type SearchCriteria,
  type SearchReach,
  type SearchValues,
} from './criteria.ts';

/** Below this number of matches, sorting them is faster than reading all files in the requested order. */
const SMALL_RESULT_ROWS = 5000;

const SORT_KEYS: Record<OwnerFilesQuery['sort'], string> = {
  name: 'f.name COLLATE NOCASE',
  size: 'f.size',
  added: 'f.seq',
  changed: 'f.updated',
  taken: 'f.taken_local',
};

/** In a collection, `added` is the order in which the files were added to the collection. */
const sortKeyOf = ({ sort, collection }: OwnerFilesQuery): string =>
  sort === 'added' && collection !== undefined ? POSITION_SQL : SORT_KEYS[sort];

/** FROM clauses: SQLite reads the first table, and looks up the rows of the others. */
const FROM_FILES = 'files f';
const FROM_WORDS = 'files_text w CROSS JOIN files f ON f.seq = w.rowid';
// The covering index contains the columns for counting, and for sorting by anything but the date taken. Without INDEXED
// BY, SQLite would read the large rows.
const FROM_AMOUNTS = 'files f INDEXED BY files_amounts';
const FROM_SEQS = `json_each(:seqs) s CROSS JOIN ${FROM_AMOUNTS} ON f.seq = s.value`;

/**
 * Returns true if grants, the public files or a collection select the files. Source and kind are less selective,
 * because nearly all files can have the same source or kind.
 */
const hasSelectiveSet = ({ show, visibleTo, collection }: FileFilters): boolean =>
  show === 'shared' || show === 'public' || visibleTo !== undefined || collection !== undefined;
const defaultFromOf = (query: FileFilters): string => (hasSelectiveSet(query) ? FROM_AMOUNTS : FROM_FILES);

const idCondition = (id: string): SearchCondition => ({
  sql: 'f.seq = :idSeq AND f.id = :id',
  values: { idSeq: seqOfId(id) ?? -1, id: id.toLowerCase() },
});

const pageCriteria = (query: FileFilters & Pick<OwnerFilesQuery, 'ledgerId'>): SearchCriteria => {
  const criteria = criteriaOfQuery(query, hasSelectiveSet(query) ? '+f' : 'f');
  if (query.ledgerId === undefined) return criteria;
  return { ...criteria, conditions: [...criteria.conditions, idCondition(query.ledgerId)] };
};

export type Amount = { files: number; bytes: number };

const sumByKey = <Row extends Amount, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): [Key, Amount][] => {
  const sums = new Map<Key, Amount>();
  for (const row of rows) {
    const sum = sums.get(keyOf(row)) ?? { files: 0, bytes: 0 };
    sums.set(keyOf(row), { files: sum.files + row.files, bytes: sum.bytes + row.bytes });
  }
  return [...sums].toSorted(([, a], [, b]) => b.bytes - a.bytes || b.files - a.files);
};

const NAME_MATCHES_MAX = 20;

export type FileSearchStore = ReturnType<typeof createFileSearchStore>;

/** Statements with the conditions of a search are prepared for each search. This is fast. */
export const createFileSearchStore = (db: Database, store: Pick<FileStore, 'searchIndexVersion'>) => {
  // Grouped in the order of the covering index `files_by_kind`.
  const amounts = db.prepare<[], Amount & { source: string; kind: FileKind }>(
    `SELECT kind, source, count(*) AS files, coalesce(sum(size), 0) AS bytes FROM files WHERE status = 'Completed'
     GROUP BY kind, source`,
  );
  const tags = db.prepare<[], { tag: string; files: number }>(
    `SELECT tag, count(*) AS files FROM file_tags WHERE seq NOT IN (SELECT seq FROM files WHERE status IN ('New', 'Deleted'))
     GROUP BY tag ORDER BY files DESC, tag LIMIT 100`,
  );
  const prepareNumber = (sql: string) => db.prepare<[], number>(sql).pluck();
  const countPublicFiles = prepareNumber("SELECT count(*) FROM files WHERE public = 1 AND status = 'Completed'");
  const readRestorableAmount = db.prepare<[], Amount>(
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

  const findNewestByName = db
    .prepare<[string], number>(
      `SELECT rowid FROM files_text WHERE files_text MATCH ? ORDER BY rowid DESC LIMIT ${NAME_MATCHES_MAX}`,
    )
    .pluck();

  // The matches of the last search by frequent words are cached until the search index changes, because a search counts
  // and lists them and is repeated for each page.
  db.exec('CREATE TEMP TABLE IF NOT EXISTS file_matches (seq INTEGER PRIMARY KEY)');
  const clearMatches = db.prepare('DELETE FROM temp.file_matches');
  const insertMatches = db.prepare(
    'INSERT INTO temp.file_matches SELECT rowid FROM files_text WHERE files_text MATCH ?',
  );
  let cachedMatches = { words: '', version: -1 };
  const wordsCondition = (words: string): SearchCondition => {
    const version = store.searchIndexVersion();
    if (cachedMatches.words !== words || cachedMatches.version !== version) {
      cachedMatches = { words: '', version: -1 };
      clearMatches.run();
      insertMatches.run(words);
      cachedMatches = { words, version };
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
   * few matches; all other conditions are checked per row. SQLite has no statistics to decide this.
   */
  const planQuery = (
    { conditions, words, tags: requiredTags }: SearchCriteria,
    defaultFrom: string = FROM_FILES,
  ): { from: string; conditions: SearchCondition[] } => {
    const allConditions = [...conditions];
    if (words?.length === 0) return { from: defaultFrom, conditions: [MATCHES_NOTHING] };
    const query = words?.join(' AND ');
    const counts = requiredTags.map((tag) => countWithTag.get(tag) ?? 0);
    const lowestCount = counts.length === 0 ? SMALL_RESULT_ROWS : Math.min(...counts);
    const matches = query === undefined ? SMALL_RESULT_ROWS : (countWithWords.get(query) ?? 0);
    let from = defaultFrom;
    const isTagLeading = lowestCount < SMALL_RESULT_ROWS && lowestCount <= matches;
    for (const [number, tag] of requiredTags.entries()) {
      if (isTagLeading && counts[number] === lowestCount && from === defaultFrom) {
        from = 'file_tags t CROSS JOIN files f ON f.seq = t.seq';
        allConditions.push({ sql: `t.tag = :tag${number}`, values: { [`tag${number}`]: tag } });
      } else {
        allConditions.push(tagCondition(tag, number));
      }
    }
    if (query !== undefined) {
      if (!isTagLeading && matches < SMALL_RESULT_ROWS) {
        from = FROM_WORDS;
        allConditions.push({ sql: 'w.files_text MATCH :words', values: { words: query } });
      } else {
        allConditions.push(wordsCondition(query));
      }
    }
    return { from, conditions: allConditions };
  };

  /** `seqs`: JSON array of sequence numbers, for a search by words or tag. */
  const countMatches = (query: OwnerFilesQuery): Amount & { seqs: string | undefined } => {
    const criteria = pageCriteria(query);
    const isSearch = criteria.words !== undefined || criteria.tags.length > 0;
    const { from, conditions } = planQuery(criteria, defaultFromOf(query));
    const { where, values } = joinConditions(conditions);
    // Without words and tags, all files can match, which would make the list too long.
    const [seqs, limit] = isSearch ? ['json_group_array(seq)', `LIMIT ${COUNTED_MATCHES_MAX}`] : ['NULL', ''];
    const row = db
      .prepare<[SearchValues], Amount & { seqs: string | null }>(
        `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes, ${seqs} AS seqs
         FROM (SELECT f.seq, f.size FROM ${from} WHERE ${where} ${limit})`,
      )
      .get(values);
    return { files: row?.files ?? 0, bytes: row?.bytes ?? 0, seqs: row?.seqs ?? undefined };
  };

  const pageOf = (
    query: OwnerFilesQuery,
    from: string,
    conditions: readonly SearchCondition[],
    sort: string,
  ): FileRow[] => {
    const { where, values } = joinConditions(conditions);
    const direction = query.order === 'ascending' ? 'ASC' : 'DESC';
    // Sequence numbers have no ties. A second key would prevent reading the full-text index in its own order.
    const order = (key: string): string =>
      `ORDER BY ${key} ${direction}${query.sort === 'added' ? '' : `, f.seq ${direction}`}`;
    // Only sequence numbers are sorted, and the rows are read for one page. Sorting whole rows takes twice as long.
    return db
      .prepare<[SearchValues], FileRow>(
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
     * Returns the sequence numbers of the newest files whose names contain, for each word of the text, a word that
     * begins with it.
     */
    findNewestByName(text: string): number[] {
      const words = prefixesOf(text).map((word) => `name : ${word}`);
      return words.length === 0 ? [] : findNewestByName.all(words.join(' '));
    },

    listByTemplate(
      template: FileTemplate,
      reach: SearchReach,
      page: { after: number; skip: number; take: number },
    ): FileRow[] {
      const { from, conditions } = planQuery(criteriaOfTemplate(template, reachConditions(reach, isSmall(reach))));
      const { where, values } = joinConditions(conditions);
      // The full-text index has the same order, but SQLite does not know this.
      const order = from.startsWith('files_text') ? 'w.rowid' : from.startsWith('file_tags') ? 't.seq' : 'f.seq';
      return db
        .prepare<[SearchValues], FileRow>(
          `SELECT ${FILE_COLUMNS} FROM ${from} WHERE ${where} AND ${order} > :after ORDER BY ${order} LIMIT :take OFFSET :skip`,
        )
        .all({ ...values, ...page });
    },

    clausesOf(query: FileFilters): { from: string; where: string; values: SearchValues } {
      const { from, conditions } = planQuery(pageCriteria(query), defaultFromOf(query));
      return { from, ...joinConditions(conditions) };
    },

    /**
     * Returns a page of files and the total of all matches. A search by words or tag counts at most
     * `COUNTED_MATCHES_MAX` matches.
     */
    findOwnerFiles(query: OwnerFilesQuery): { total: Amount; rows: FileRow[] } {
      const { seqs, ...total } = countMatches(query);
      const sort = sortKeyOf(query);
      // A small result is collected and then sorted. For a large one, all files are read in the requested order.
      if (total.files < SMALL_RESULT_ROWS) {
        const { from, conditions } =
          seqs === undefined
            ? planQuery(pageCriteria(query), defaultFromOf(query))
            : { from: FROM_SEQS, conditions: [{ sql: '1', values: { seqs } }] };
        return { total, rows: pageOf(query, from, conditions, `+${sort}`) };
      }
      const { conditions, words, tags: requiredTags } = criteriaOfQuery(query, '+f');
      const checks = [...conditions, ...requiredTags.map(tagCondition)];
      if (words === undefined) return { total, rows: pageOf(query, FROM_FILES, checks, sort) };
      const wordsQuery = words.join(' AND ');
      // The full-text index is in the order of creation.
      if (query.sort === 'added' && query.collection === undefined) {
        const allConditions = [...checks, { sql: 'w.files_text MATCH :words', values: { words: wordsQuery } }];
        return { total, rows: pageOf(query, FROM_WORDS, allConditions, 'w.rowid') };
      }
      return { total, rows: pageOf(query, FROM_FILES, [...checks, wordsCondition(wordsQuery)], sort) };
    },

    amounts(): { sources: (Amount & { source: string })[]; kinds: (Amount & { kind: FileKind })[] } {
      const rows = amounts.all();
      return {
        sources: sumByKey(rows, ({ source }) => source).map(([source, amount]) => ({ source, ...amount })),
        kinds: sumByKey(rows, ({ kind }) => kind).map(([kind, amount]) => ({ kind, ...amount })),
      };
    },
    tags: () => tags.all(),
    countPublicFiles: () => countPublicFiles.get() ?? 0,
    restorableAmount: () => readRestorableAmount.get() ?? { files: 0, bytes: 0 },
  };
};
