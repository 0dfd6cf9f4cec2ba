import type { Database, DatabaseThread, SqlValue } from '../../../storage/index.ts';

export type Amount = { count: number; bytes: number; since: number | null };
export type Spot = { seq: number; id: string };
export type HiddenSpot = { seq: number; endpoint: number; bytes: number };
export type ReceiverRow = {
  kind: string;
  name: string;
  person: string | null;
  reads: number;
  records: number;
  last: number;
};
export type FileTarget = {
  seq: number;
  id: string;
  file_id: string;
  name: string;
  size: number | null;
  sha256: string | null;
  added: number;
};

/** Whose records: those of a namespace by their paths, or what an application stored, wherever. */
export type Whose = { from: string; below: string } | { application: string };

const isApplication = (whose: Whose): whose is { application: string } => 'application' in whose;

/** Who stored what is looked for. */
export type StoredBy = { application: string } | { functions: readonly string[] };

/** By origin there is no index: such reads go through all records, in a thread. */
const OF_APPLICATION = `origin IN (SELECT id FROM origins WHERE kind = 'application' AND name = ? COLLATE NOCASE)`;
const OF_FUNCTION = `origin IN (SELECT id FROM origins WHERE kind = 'function' AND name IN (SELECT value FROM json_each(?)))`;

const storedBy = (of: StoredBy): [where: string, value: string] =>
  'application' in of ? [OF_APPLICATION, of.application] : [OF_FUNCTION, JSON.stringify(of.functions)];

export type SearchStore = ReturnType<typeof createSearchStore>;

/** What is looked for before it goes: all of it in a thread, since it can mean to look at everything. */
export const createSearchStore = (db: Database, thread: Pick<DatabaseThread, 'all'>) => {
  const one = async <Row>(sql: string, parameters: readonly SqlValue[]): Promise<Row | undefined> =>
    (await thread.all<Row>(sql, parameters))[0];
  const count = async (sql: string, parameters: readonly SqlValue[] = []): Promise<number> =>
    (await one<{ n: number }>(`SELECT count(*) AS n ${sql}`, parameters))?.n ?? 0;
  const nothing: Amount = { count: 0, bytes: 0, since: null };
  const amountOf = async (sql: string, parameters: readonly SqlValue[]): Promise<Amount> =>
    (await one<Amount>(
      `SELECT count(*) AS count, coalesce(sum(octet_length(data)), 0) AS bytes, min(created) AS since ${sql}`,
      parameters,
    )) ?? nothing;

  const file = db.prepare<[string], FileTarget>(
    'SELECT seq, id, file_id, name, size, sha256, added FROM files WHERE file_id = ?',
  );
  const readers = db.prepare<[], { id: string; writes: string; reads: string | null }>(
    `SELECT id, endpoint AS writes, (SELECT json_group_array(value) FROM (
         SELECT value FROM json_tree(functions.approved) WHERE key = 'endpoint' AND type = 'text'
         UNION SELECT value FROM json_tree(functions.configuration) WHERE key = 'endpoint' AND type = 'text')) AS reads
     FROM functions`,
  );

  return {
    records: (whose: Whose): Promise<Amount> =>
      isApplication(whose)
        ? amountOf(
            `FROM records WHERE ${OF_APPLICATION} AND endpoint IN (SELECT id FROM endpoints WHERE path IS NOT NULL)`,
            [whose.application],
          )
        : amountOf('FROM records WHERE endpoint IN (SELECT id FROM endpoints WHERE path >= ? AND path < ?)', [
            whose.from,
            whose.below,
          ]),

    /** Deleted one by one, or with their endpoint. */
    async deletedRecords(whose: Whose): Promise<Amount> {
      const [kept, hidden] = isApplication(whose)
        ? await Promise.all([
            amountOf(`FROM deleted_records WHERE ${OF_APPLICATION}`, [whose.application]),
            amountOf(
              `FROM records WHERE ${OF_APPLICATION} AND endpoint IN (SELECT id FROM endpoints WHERE path IS NULL)`,
              [whose.application],
            ),
          ])
        : await Promise.all([
            amountOf('FROM deleted_records WHERE path >= ? AND path < ?', [whose.from, whose.below]),
            amountOf('FROM records WHERE endpoint IN (SELECT endpoint FROM deletions WHERE path >= ? AND path < ?)', [
              whose.from,
              whose.below,
            ]),
          ]);
      return { count: kept.count + hidden.count, bytes: kept.bytes + hidden.bytes, since: null };
    },

    async endpoints(whose: Whose): Promise<string[]> {
      const rows = isApplication(whose)
        ? await thread.all<{ path: string }>(
            `SELECT path FROM endpoints WHERE path IS NOT NULL AND id IN (SELECT DISTINCT endpoint FROM records WHERE ${OF_APPLICATION}) ORDER BY path`,
            [whose.application],
          )
        : await thread.all<{ path: string }>(
            `SELECT path FROM endpoints WHERE path >= ? AND path < ?
             UNION SELECT path FROM deletions WHERE path >= ? AND path < ? ORDER BY path`,
            [whose.from, whose.below, whose.from, whose.below],
          );
      return rows.map(({ path }) => path);
    },

    functions: (): { id: string; writes: string; reads: string[] }[] =>
      readers.all().map(({ id, writes, reads }) => ({ id, writes, reads: JSON.parse(reads ?? '[]') as string[] })),

    async derived(functions: readonly string[]): Promise<{ function: string; records: number }[]> {
      if (functions.length === 0) return [];
      return thread.all(
        `SELECT name AS function, count(*) AS records FROM (
           SELECT origin FROM records WHERE ${OF_FUNCTION} UNION ALL SELECT origin FROM deleted_records WHERE ${OF_FUNCTION})
         JOIN origins ON origins.id = origin GROUP BY name ORDER BY name`,
        [JSON.stringify(functions), JSON.stringify(functions)],
      );
    },

    /** Some of the records after a place that can be taken away one by one. */
    spots: (of: StoredBy, after: number, most: number): Promise<Spot[]> => {
      const [where, value] = storedBy(of);
      return thread.all(
        `SELECT seq, id FROM records WHERE seq > ? AND ${where} AND endpoint IN (SELECT id FROM endpoints WHERE path IS NOT NULL)
         ORDER BY seq LIMIT ?`,
        [after, value, most],
      );
    },
    /** The same of those that went with their endpoint and could come back with it. */
    hiddenSpots: (of: StoredBy, most: number): Promise<HiddenSpot[]> => {
      const [where, value] = storedBy(of);
      return thread.all(
        `SELECT seq, endpoint, octet_length(data) AS bytes FROM records
         WHERE ${where} AND endpoint IN (SELECT id FROM endpoints WHERE path IS NULL) LIMIT ?`,
        [value, most],
      );
    },

    imports: (paths: { from: string; below: string }): Promise<{ id: string; size: number }[]> =>
      thread.all(
        `SELECT id, received AS size FROM imports WHERE (endpoint >= ? AND endpoint < ?)
           OR id IN (SELECT import FROM import_kinds WHERE endpoint >= ? AND endpoint < ?)`,
        [paths.from, paths.below, paths.from, paths.below],
      ),
    unassignedImports: (): Promise<number> =>
      count('FROM imports WHERE endpoint IS NULL AND id NOT IN (SELECT import FROM import_kinds)'),
    /** Names of files in origins that nothing comes from any more. */
    lostOrigins: async (): Promise<number[]> =>
      (
        await thread.all<{ id: number }>(
          `SELECT id FROM origins WHERE kind = 'import' AND id NOT IN (SELECT origin FROM records)
             AND id NOT IN (SELECT origin FROM deleted_records) AND reference NOT IN (SELECT id FROM imports)`,
        )
      ).map(({ id }) => id),

    file: (fileId: string): FileTarget | undefined => file.get(fileId),
    filesOf: (application: string): Promise<FileTarget[]> =>
      thread.all(
        'SELECT seq, id, file_id, name, size, sha256, added FROM files WHERE application = ? COLLATE NOCASE ORDER BY seq',
        [application],
      ),
    hasSameContent: async ({ seq, sha256 }: FileTarget): Promise<boolean> =>
      sha256 !== null &&
      (await one('SELECT 1 FROM files WHERE sha256 = ? AND seq <> ? LIMIT 1', [sha256, seq])) !== undefined,

    sessions: (application: string): Promise<number> =>
      count('FROM sessions WHERE application = ? COLLATE NOCASE', [application]),
    consents: (application: string): Promise<number> =>
      count(
        `FROM debits WHERE application = ? COLLATE NOCASE
           OR (requester_kind = 'application' AND requester_name = ? COLLATE NOCASE)`,
        [application, application],
      ),

    /** Of the whole account. */
    async everything(): Promise<{
      records: Amount;
      deleted: number;
      files: { count: number; bytes: number };
      imports: number;
      sessions: number;
      consents: number;
    }> {
      const hidden = 'endpoint IN (SELECT id FROM endpoints WHERE path IS NULL)';
      return {
        records: await amountOf(`FROM records WHERE NOT ${hidden}`, []),
        deleted: (await count('FROM deleted_records')) + (await count(`FROM records WHERE ${hidden}`)),
        files: (await one('SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes FROM files', [])) ?? {
          count: 0,
          bytes: 0,
        },
        imports: await count('FROM imports'),
        sessions: await count('FROM sessions'),
        consents: await count('FROM debits'),
      };
    },

    /** Who read at these endpoints, by the ledger; null: anywhere. `last` is the number of a row. */
    receivers: (endpoints: readonly string[] | null): Promise<ReceiverRow[]> =>
      thread.all(
        `SELECT json_extract(shape.shape, '$[0]') AS kind, json_extract(shape.shape, '$[1]') AS name,
           max(json_extract(shape.shape, '$[9]')) AS person, sum(row.count) AS reads, sum(row.records) AS records, max(row.id) AS last
         FROM ledger_shapes AS shape JOIN ledger AS row ON row.shape = shape.id
         WHERE json_extract(shape.shape, '$[4]') IS NULL AND json_extract(shape.shape, '$[0]') <> 'owner' AND row.records > 0
           AND (json_extract(shape.shape, '$[2]') LIKE 'GET %' OR json_extract(shape.shape, '$[2]') = 'function run'
             OR json_extract(shape.shape, '$[2]') LIKE 'POST /api/v2.6/contract-data/read/%')
           AND (? OR EXISTS (SELECT 1 FROM json_each(shape.shape, '$[6]') AS asked WHERE asked.value IN (SELECT value FROM json_each(?))))
         GROUP BY 1, 2 ORDER BY last DESC LIMIT 100`,
        [endpoints === null ? 1 : 0, JSON.stringify(endpoints ?? [])],
      ),

    databaseBytes: (): number =>
      Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true })),
  };
};
