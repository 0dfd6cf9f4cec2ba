import type { FileKind, FileTemplate, OwnerFilesQuery } from '../../../wire/files.ts';
import type { Database } from '../../storage/index.ts';
import { FILE_COLUMNS, type FileRow, type FileStore } from '../store.ts';

/** Whose files a search is about. */
export type Reach =
  | { kind: 'all' }
  | { kind: 'user'; userId: string }
  /** What was uploaded under these sources. */
  | { kind: 'sources'; sources: readonly string[] };

type Values = Record<string, string | number>;
type Part = { sql: string; values: Values };

/** Up to here it is quicker to take all that match and to sort them than to go through all files in the order that is wanted. */
const FEW = 5000;
/** Matches that are counted of a search by words or by tag. */
export const MAX_COUNTED = 10_000;

/** Words as the index has them: letters and digits, everything else stands between them. Quoted, so that nothing is read as its language. */
const wordsOf = (text: string): string[] =>
  text
    .split(/[^\p{L}\p{M}\p{N}\p{Co}]+/u)
    .filter((word) => word !== '')
    .map((word) => `"${word}"`);

const wordsIn = (column: 'title' | 'description', text: string): string[] =>
  wordsOf(text).map((word) => `${column} : ${word}`);

/** Beginnings count: who types sees more with each letter. */
const beginnings = (text: string): string[] => wordsOf(text).map((word) => `${word} *`);

/** @param by `+f` where no index is to be used for it */
const equal = (column: string, value: string, by: 'f' | '+f' = 'f'): Part => ({
  sql: `${by}.${column} = :${column}`,
  values: { [column]: value },
});
const hasTag = (tag: string, number: number): Part => ({
  sql: `EXISTS (SELECT 1 FROM file_tags o WHERE o.tag = :tag${number} AND o.seq = f.seq)`,
  values: { [`tag${number}`]: tag },
});
const NOTHING: Part = { sql: '0', values: {} };

/**
 * What a reach lets through. @param few whether an application's sources have few files: then these are the ones to look at, otherwise
 * each file is looked at for its source (with the `+`, which keeps an index from being used).
 */
const within = (reach: Reach, few: boolean): Part[] => {
  switch (reach.kind) {
    case 'all':
      return [];
    case 'user':
      return [
        {
          sql: `f.status <> 'Deleted' AND f.seq IN (SELECT seq FROM file_grants WHERE user_id = :reader
                UNION SELECT seq FROM files WHERE public = 1 AND status = 'Completed')`,
          values: { reader: reach.userId },
        },
      ];
    case 'sources':
      return [
        {
          sql: few
            ? `f.seq IN (SELECT seq FROM files WHERE source IN (SELECT value FROM json_each(:sources)) AND uploader <> 'folder'
                UNION SELECT seq FROM files WHERE public = 1 AND status = 'Completed')`
            : `(f.uploader <> 'folder' AND +f.source IN (SELECT value FROM json_each(:sources)) OR (+f.public = 1 AND f.status = 'Completed'))`,
          values: { sources: JSON.stringify(reach.sources) },
        },
      ];
  }
};

type Wanted = {
  /** Conditions on the row. */
  parts: Part[];
  /** Terms of the index of words, all of which it must have; undefined: it is not asked. */
  words: string[] | undefined;
  tags: string[];
};

const ofTemplate = (template: FileTemplate, reach: readonly Part[]): Wanted => {
  const parts: Part[] = [];
  const status = template.status?.status ?? '';
  const size = template.status?.size ?? 0;
  for (const column of ['fileId', 'name', 'source'] as const) {
    const value = template[column] ?? '';
    if (value !== '') parts.push(equal(column === 'fileId' ? 'file_id' : column, value));
  }
  if (status === '') parts.push({ sql: "f.status <> 'Deleted'", values: {} });
  else parts.push(equal('status', status));
  if (size > 0) parts.push({ sql: 'f.size = :size', values: { size } });
  const words = [...wordsIn('title', template.title ?? ''), ...wordsIn('description', template.description ?? '')];
  const asked = (template.title ?? '') !== '' || (template.description ?? '') !== '';
  return {
    parts: [...parts, ...reach],
    words: asked ? words : undefined,
    tags: (template.tags ?? []).filter((tag) => tag !== ''),
  };
};

const SHOWN: Record<OwnerFilesQuery['show'], string> = {
  here: "f.status = 'Completed'",
  shared: "f.status = 'Completed' AND f.seq IN (SELECT seq FROM file_grants)",
  public: "f.status = 'Completed' AND f.seq IN (SELECT seq FROM files WHERE public = 1)",
  deleted: "f.status = 'Deleted'",
  unfinished: "f.status = 'New'",
};

const SORTED: Record<OwnerFilesQuery['sort'], string> = {
  name: 'f.name COLLATE NOCASE',
  size: 'f.size',
  added: 'f.seq',
  changed: 'f.updated',
};

const ofPage = (query: OwnerFilesQuery, by: 'f' | '+f' = 'f'): Wanted => {
  const parts: Part[] = [{ sql: SHOWN[query.show], values: {} }];
  if (query.source !== '') parts.push(equal('source', query.source, by));
  if (query.kind !== undefined) parts.push(equal('kind', query.kind, by));
  return {
    parts,
    words: query.search.trim() === '' ? undefined : beginnings(query.search),
    tags: query.tag === '' ? [] : [query.tag],
  };
};

const FILES_LEAD = 'files f';
const WORDS_LEAD = 'files_text w CROSS JOIN files f ON f.seq = w.rowid';
// The small index has what they are counted and sorted by. Left to itself SQLite would look up the large rows.
const AMOUNTS = 'files f INDEXED BY files_amounts';
const SEQS_LEAD = `json_each(:seqs) s CROSS JOIN ${AMOUNTS} ON f.seq = s.value`;

/** Who shared or published files says which to look at: of one source or kind there may be nearly all. */
const isNamed = ({ show }: OwnerFilesQuery): boolean => show === 'shared' || show === 'public';
const leadOf = (query: OwnerFilesQuery): string => (isNamed(query) ? AMOUNTS : FILES_LEAD);
const pageWanted = (query: OwnerFilesQuery): Wanted => ofPage(query, isNamed(query) ? '+f' : 'f');

const joined = (parts: readonly Part[]): { where: string; values: Values } => ({
  where: parts.length === 0 ? '1' : parts.map(({ sql }) => sql).join(' AND '),
  values: Object.assign({}, ...parts.map(({ values }) => values)) as Values,
});

export type Amount = { files: number; bytes: number };

/** Amounts put together by a key, the most bytes first, then the most files. */
const added = <Row extends Amount, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): [Key, Amount][] => {
  const sums = new Map<Key, Amount>();
  for (const row of rows) {
    const sum = sums.get(keyOf(row)) ?? { files: 0, bytes: 0 };
    sums.set(keyOf(row), { files: sum.files + row.files, bytes: sum.bytes + row.bytes });
  }
  return [...sums].toSorted(([, a], [, b]) => b.bytes - a.bytes || b.files - a.files);
};

export type FileSearchStore = ReturnType<typeof createFileSearchStore>;

/** Statements are made as they are asked for: what is searched by differs from call to call. SQLite itself is quick at that. */
export const createFileSearchStore = (db: Database, store: Pick<FileStore, 'indexed'>) => {
  // In the order of an index that has all of it.
  const amounts = db.prepare<[], Amount & { source: string; kind: FileKind }>(
    `SELECT kind, source, count(*) AS files, coalesce(sum(size), 0) AS bytes FROM files WHERE status = 'Completed'
     GROUP BY kind, source`,
  );
  const tags = db.prepare<[], { tag: string; files: number }>(
    'SELECT tag, count(*) AS files FROM file_tags GROUP BY tag ORDER BY files DESC, tag LIMIT 100',
  );
  const one = (sql: string) => db.prepare<[], number>(sql).pluck();
  const publicFiles = one("SELECT count(*) FROM files WHERE public = 1 AND status = 'Completed'");
  const sharedFiles = one(
    "SELECT count(*) FROM (SELECT DISTINCT seq FROM file_grants) g JOIN files f ON f.seq = g.seq WHERE f.status = 'Completed'",
  );
  const undoable = db.prepare<[], Amount>(
    'SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM files WHERE deleted IS NOT NULL AND undo_path IS NOT NULL',
  );
  const withTag = db
    .prepare<[string], number>(`SELECT count(*) FROM (SELECT 1 FROM file_tags WHERE tag = ? LIMIT ${FEW})`)
    .pluck();
  const withWords = db
    .prepare<[string], number>(`SELECT count(*) FROM (SELECT 1 FROM files_text WHERE files_text MATCH ? LIMIT ${FEW})`)
    .pluck();

  // What frequent words match, gathered once and kept until files are written: a search counts and lists, and is asked again for each page.
  db.exec('CREATE TEMP TABLE IF NOT EXISTS file_matches (seq INTEGER PRIMARY KEY)');
  const forget = db.prepare('DELETE FROM temp.file_matches');
  const gather = db.prepare('INSERT INTO temp.file_matches SELECT rowid FROM files_text WHERE files_text MATCH ?');
  let gathered = { words: '', indexed: -1 };
  const hasWords = (words: string): Part => {
    const indexed = store.indexed();
    if (gathered.words !== words || gathered.indexed !== indexed) {
      gathered = { words: '', indexed: -1 };
      forget.run();
      gather.run(words);
      gathered = { words, indexed };
    }
    return { sql: 'EXISTS (SELECT 1 FROM temp.file_matches m WHERE m.seq = f.seq)', values: {} };
  };

  const ofSource = db
    .prepare<[string], number>(`SELECT count(*) FROM (SELECT 1 FROM files WHERE source = ? LIMIT ${FEW})`)
    .pluck();
  const hasFew = (reach: Reach): boolean => {
    let files = 0;
    for (const source of reach.kind === 'sources' ? reach.sources : []) {
      files += ofSource.get(source) ?? 0;
      if (files >= FEW) return false;
    }
    return true;
  };

  /**
   * Conditions on words and tags, and which of them drives the query: rare ones lead, frequent ones are checked per row.
   * SQLite has no statistics to decide this.
   */
  const conditions = (
    { parts, words, tags: wanted }: Wanted,
    lead: string = FILES_LEAD,
  ): { from: string; parts: Part[] } => {
    const all = [...parts];
    if (words?.length === 0) return { from: lead, parts: [NOTHING] };
    const query = words?.join(' AND ');
    const counts = wanted.map((tag) => withTag.get(tag) ?? 0);
    const rarest = counts.length === 0 ? FEW : Math.min(...counts);
    const matches = query === undefined ? FEW : (withWords.get(query) ?? 0);
    let from = lead;
    const tagLeads = rarest < FEW && rarest <= matches;
    for (const [number, tag] of wanted.entries()) {
      if (tagLeads && counts[number] === rarest && from === lead) {
        from = 'file_tags t CROSS JOIN files f ON f.seq = t.seq';
        all.push({ sql: `t.tag = :tag${number}`, values: { [`tag${number}`]: tag } });
      } else {
        all.push(hasTag(tag, number));
      }
    }
    if (query !== undefined) {
      if (!tagLeads && matches < FEW) {
        from = WORDS_LEAD;
        all.push({ sql: 'w.files_text MATCH :words', values: { words: query } });
      } else {
        all.push(hasWords(query));
      }
    }
    return { from, parts: all };
  };

  /** How much matches, and which those are when it is few. */
  const found = (query: OwnerFilesQuery): Amount & { seqs: string | undefined } => {
    const wanted = pageWanted(query);
    const isSearch = wanted.words !== undefined || wanted.tags.length > 0;
    const { from, parts } = conditions(wanted, leadOf(query));
    const { where, values } = joined(parts);
    // Without a search an index alone answers how many there are; which those are would take the rows.
    const [seqs, limit] = isSearch ? ['json_group_array(seq)', `LIMIT ${MAX_COUNTED}`] : ['NULL', ''];
    const row = db
      .prepare<[Values], Amount & { seqs: string | null }>(
        `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes, ${seqs} AS seqs
         FROM (SELECT f.seq, f.size FROM ${from} WHERE ${where} ${limit})`,
      )
      .get(values);
    return { files: row?.files ?? 0, bytes: row?.bytes ?? 0, seqs: row?.seqs ?? undefined };
  };

  const pageOf = (query: OwnerFilesQuery, from: string, parts: readonly Part[], sort: string): FileRow[] => {
    const { where, values } = joined(parts);
    const direction = query.order === 'ascending' ? 'ASC' : 'DESC';
    // The order of arrival has no ties. A second key would keep the index of words from being read in its own order.
    const order = (key: string): string =>
      `ORDER BY ${key} ${direction}${query.sort === 'added' ? '' : `, f.seq ${direction}`}`;
    // Places are sorted, and only those of the page become rows: whole rows in the sorter take twice as long.
    return db
      .prepare<[Values], FileRow>(
        `SELECT ${FILE_COLUMNS} FROM files f
         JOIN (SELECT f.seq AS place FROM ${from} WHERE ${where} ${order(sort)} LIMIT :take OFFSET :skip) p ON p.place = f.seq
         ${order(SORTED[query.sort])}`,
      )
      .all({ ...values, take: query.take, skip: query.skip });
  };

  return {
    /** In the order in which they came. */
    byTemplate(template: FileTemplate, reach: Reach, page: { after: number; skip: number; take: number }): FileRow[] {
      const { from, parts } = conditions(ofTemplate(template, within(reach, hasFew(reach))));
      const { where, values } = joined(parts);
      // The words' own index is in the same order, but SQLite has to be told so.
      const order = from.startsWith('files_text') ? 'w.rowid' : from.startsWith('file_tags') ? 't.seq' : 'f.seq';
      return db
        .prepare<[Values], FileRow>(
          `SELECT ${FILE_COLUMNS} FROM ${from} WHERE ${where} AND ${order} > :after ORDER BY ${order} LIMIT :take OFFSET :skip`,
        )
        .all({ ...values, ...page });
    },

    /** A page, and how much there is in all; of a search, `MAX_COUNTED` at most. */
    ofOwner(query: OwnerFilesQuery): { total: Amount; rows: FileRow[] } {
      const { seqs, ...total } = found(query);
      const sort = SORTED[query.sort];
      // Few are found first and sorted then; many are met one after the other in the order that is wanted.
      if (total.files < FEW) {
        const { from, parts } =
          seqs === undefined
            ? conditions(pageWanted(query), leadOf(query))
            : { from: SEQS_LEAD, parts: [{ sql: '1', values: { seqs } }] };
        return { total, rows: pageOf(query, from, parts, `+${sort}`) };
      }
      const { parts, words, tags: wanted } = ofPage(query, '+f');
      const checks = [...parts, ...wanted.map(hasTag)];
      if (words === undefined) return { total, rows: pageOf(query, FILES_LEAD, checks, sort) };
      const matching = words.join(' AND ');
      // The index of words is in the order of arrival itself.
      if (query.sort === 'added') {
        const met = [...checks, { sql: 'w.files_text MATCH :words', values: { words: matching } }];
        return { total, rows: pageOf(query, WORDS_LEAD, met, 'w.rowid') };
      }
      return { total, rows: pageOf(query, FILES_LEAD, [...checks, hasWords(matching)], sort) };
    },

    /** What there is, the most bytes first. */
    amounts(): { sources: (Amount & { source: string })[]; kinds: (Amount & { kind: FileKind })[] } {
      const all = amounts.all();
      return {
        sources: added(all, ({ source }) => source).map(([source, amount]) => ({ source, ...amount })),
        kinds: added(all, ({ kind }) => kind).map(([kind, amount]) => ({ kind, ...amount })),
      };
    },
    tags: () => tags.all(),
    publicFiles: () => publicFiles.get() ?? 0,
    sharedFiles: () => sharedFiles.get() ?? 0,
    undoable: () => undoable.get() ?? { files: 0, bytes: 0 },
  };
};
