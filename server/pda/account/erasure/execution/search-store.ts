import type { ErasureReceiver } from '../../../../wire/erasure.ts';
import type { Database, DatabaseThread, SqlValue } from '../../../storage/index.ts';

/**
 * Number and bytes of records or files. `since`: time at which the oldest was stored, in Unix milliseconds; null if
 * there are none, or if they are deleted.
 */
type DataAmount = { count: number; bytes: number; since: number | null };
/** Record whose endpoint is not deleted. */
type RecordRef = { seq: number; id: string };
/** Record whose endpoint is deleted. */
export type HiddenRecordRef = { seq: number; endpoint: number; bytes: number };
/** Original version of a record that an import changed. `seq`: sequence number of the record. */
export type ImportOriginalRef = { seq: number; import: string };
/** Principal that read records. `last`: id of its newest access log row. */
type ReceiverRow = Omit<ErasureReceiver, 'last'> & { last: number };
type FileTarget = {
  seq: number;
  id: string;
  file_id: string;
  name: string;
  size: number | null;
  sha256: string | null;
  added: number;
};

/** Namespace as a range of paths, or an application that stored the records. */
export type RecordScope = { from: string; below: string } | { application: string };

const isApplication = (scope: RecordScope): scope is { application: string } => 'application' in scope;

export type RecordOrigin = { application: string } | { functions: readonly string[] };

const RECEIVERS_MAX = 100;

const IS_FROM_APPLICATION = `origin IN (SELECT id FROM origins WHERE kind = 'application' AND name = ? COLLATE NOCASE)`;
const IS_FROM_FUNCTION = `origin IN (SELECT id FROM origins WHERE kind = 'function' AND name IN (SELECT value FROM json_each(?)))`;

const originCondition = (origin: RecordOrigin): [where: string, value: string] =>
  'application' in origin
    ? [IS_FROM_APPLICATION, origin.application]
    : [IS_FROM_FUNCTION, JSON.stringify(origin.functions)];

export type ErasureSearchStore = ReturnType<typeof createErasureSearchStore>;

/** Queries that may scan all records run in a reader thread. */
export const createErasureSearchStore = (db: Database, thread: Pick<DatabaseThread, 'all'>) => {
  const readFirstRow = async <Row>(sql: string, parameters: readonly SqlValue[]): Promise<Row | undefined> =>
    (await thread.all<Row>(sql, parameters))[0];
  const count = async (fromClause: string, parameters: readonly SqlValue[] = []): Promise<number> =>
    (await readFirstRow<{ n: number }>(`SELECT count(*) AS n ${fromClause}`, parameters))?.n ?? 0;
  const NO_DATA: DataAmount = { count: 0, bytes: 0, since: null };
  const measure = async (fromClause: string, parameters: readonly SqlValue[]): Promise<DataAmount> =>
    (await readFirstRow<DataAmount>(
      `SELECT count(*) AS count, coalesce(sum(octet_length(data)), 0) AS bytes, min(created) AS since ${fromClause}`,
      parameters,
    )) ?? NO_DATA;

  const selectFile = db.prepare<[string], FileTarget>(
    'SELECT seq, id, file_id, name, size, sha256, added FROM files WHERE file_id = ?',
  );
  const selectFunctions = db.prepare<[], { id: string; writes: string; reads: string | null }>(
    `SELECT id, endpoint AS writes, (SELECT json_group_array(value) FROM (
         SELECT value FROM json_tree(functions.approved) WHERE key = 'endpoint' AND type = 'text'
         UNION SELECT value FROM json_tree(functions.configuration) WHERE key = 'endpoint' AND type = 'text')) AS reads
     FROM functions`,
  );

  return {
    measureRecords: (scope: RecordScope): Promise<DataAmount> =>
      isApplication(scope)
        ? measure(
            `FROM records WHERE ${IS_FROM_APPLICATION} AND endpoint IN (SELECT id FROM endpoints WHERE path IS NOT NULL)`,
            [scope.application],
          )
        : measure('FROM records WHERE endpoint IN (SELECT id FROM endpoints WHERE path >= ? AND path < ?)', [
            scope.from,
            scope.below,
          ]),

    /** Returns the amount of deleted records that are still stored. */
    async measureDeletedRecords(scope: RecordScope): Promise<DataAmount> {
      const [deletedRecords, hiddenRecords] = isApplication(scope)
        ? await Promise.all([
            measure(`FROM deleted_records WHERE ${IS_FROM_APPLICATION}`, [scope.application]),
            measure(
              `FROM records WHERE ${IS_FROM_APPLICATION} AND endpoint IN (SELECT id FROM endpoints WHERE path IS NULL)`,
              [scope.application],
            ),
          ])
        : await Promise.all([
            measure('FROM deleted_records WHERE path >= ? AND path < ?', [scope.from, scope.below]),
            measure('FROM records WHERE endpoint IN (SELECT endpoint FROM deletions WHERE path >= ? AND path < ?)', [
              scope.from,
              scope.below,
            ]),
          ]);
      return {
        count: deletedRecords.count + hiddenRecords.count,
        bytes: deletedRecords.bytes + hiddenRecords.bytes,
        since: null,
      };
    },

    /** Returns the paths of the endpoints in the scope, including deleted endpoints and those of deleted records. */
    async listEndpoints(scope: RecordScope): Promise<string[]> {
      const rows = isApplication(scope)
        ? await thread.all<{ path: string }>(
            `WITH stored AS (SELECT DISTINCT endpoint FROM records WHERE ${IS_FROM_APPLICATION})
             SELECT path FROM endpoints WHERE path IS NOT NULL AND id IN (SELECT endpoint FROM stored)
             UNION SELECT path FROM deletions WHERE endpoint IN (SELECT endpoint FROM stored)
             UNION SELECT path FROM deleted_records WHERE ${IS_FROM_APPLICATION} ORDER BY path`,
            [scope.application, scope.application],
          )
        : await thread.all<{ path: string }>(
            `SELECT path FROM endpoints WHERE path >= ? AND path < ?
             UNION SELECT path FROM deletions WHERE path >= ? AND path < ?
             UNION SELECT path FROM deleted_records WHERE path >= ? AND path < ? ORDER BY path`,
            [scope.from, scope.below, scope.from, scope.below, scope.from, scope.below],
          );
      return rows.map(({ path }) => path);
    },

    listFunctions: (): { id: string; writes: string; reads: string[] }[] =>
      selectFunctions
        .all()
        .map(({ id, writes, reads }) => ({ id, writes, reads: JSON.parse(reads ?? '[]') as string[] })),

    async countDerived(functions: readonly string[]): Promise<{ function: string; records: number }[]> {
      if (functions.length === 0) return [];
      return thread.all(
        `SELECT name AS function, count(*) AS records FROM (
           SELECT origin FROM records WHERE ${IS_FROM_FUNCTION} UNION ALL SELECT origin FROM deleted_records WHERE ${IS_FROM_FUNCTION})
         JOIN origins ON origins.id = origin GROUP BY name ORDER BY name`,
        [JSON.stringify(functions), JSON.stringify(functions)],
      );
    },

    listRecordRefs: (origin: RecordOrigin, after: number, maxRows: number): Promise<RecordRef[]> => {
      const [where, value] = originCondition(origin);
      return thread.all(
        `SELECT seq, id FROM records WHERE seq > ? AND ${where} AND endpoint IN (SELECT id FROM endpoints WHERE path IS NOT NULL)
         ORDER BY seq LIMIT ?`,
        [after, value, maxRows],
      );
    },
    listHiddenRecordRefs: (origin: RecordOrigin, maxRows: number): Promise<HiddenRecordRef[]> => {
      const [where, value] = originCondition(origin);
      return thread.all(
        `SELECT seq, endpoint, octet_length(data) AS bytes FROM records
         WHERE ${where} AND endpoint IN (SELECT id FROM endpoints WHERE path IS NULL) LIMIT ?`,
        [value, maxRows],
      );
    },

    async listVersionsBy(author: RecordOrigin, maxRows: number): Promise<number[]> {
      const [where, value] = originCondition(author);
      const rows = await thread.all<{ version: number }>(
        `SELECT version FROM (SELECT version, author AS origin FROM record_versions) WHERE ${where} LIMIT ?`,
        [value, maxRows],
      );
      return rows.map(({ version }) => version);
    },

    /**
     * Returns the originals of records that imports changed, if the author stored them or if it is unknown who did.
     */
    listOriginalsBy: (author: RecordOrigin, maxRows: number): Promise<ImportOriginalRef[]> => {
      const [where, value] = originCondition(author);
      return thread.all(
        `SELECT seq, import FROM (SELECT seq, import, author AS origin FROM import_changes)
         WHERE origin IS NULL OR ${where} LIMIT ?`,
        [value, maxRows],
      );
    },

    /** Returns the imports into endpoints of a range. `size` is in bytes. */
    listImports: (paths: { from: string; below: string }): Promise<{ id: string; size: number }[]> =>
      thread.all(
        `SELECT id, received AS size FROM imports WHERE (endpoint >= ? AND endpoint < ?)
           OR id IN (SELECT import FROM import_kinds WHERE endpoint >= ? AND endpoint < ?)`,
        [paths.from, paths.below, paths.from, paths.below],
      ),
    countUnassignedImports: (): Promise<number> =>
      count('FROM imports WHERE endpoint IS NULL AND id NOT IN (SELECT import FROM import_kinds)'),
    /** Returns the origins of imports that nothing refers to. Their names are file names, which may be personal. */
    listUnusedOrigins: async (): Promise<number[]> =>
      (
        await thread.all<{ id: number }>(
          `SELECT id FROM origins WHERE kind = 'import' AND id NOT IN (SELECT origin FROM records)
             AND id NOT IN (SELECT origin FROM deleted_records)
             AND id NOT IN (SELECT origin FROM record_versions UNION SELECT author FROM record_versions WHERE author IS NOT NULL)
             AND id NOT IN (SELECT author FROM import_changes WHERE author IS NOT NULL)
             AND reference NOT IN (SELECT id FROM imports)`,
        )
      ).map(({ id }) => id),

    findFile: (fileId: string): FileTarget | undefined => selectFile.get(fileId),
    listFilesOf: (application: string): Promise<FileTarget[]> =>
      thread.all(
        'SELECT seq, id, file_id, name, size, sha256, added FROM files WHERE application = ? COLLATE NOCASE ORDER BY seq',
        [application],
      ),
    hasDuplicate: async ({ seq, sha256 }: FileTarget): Promise<boolean> =>
      sha256 !== null &&
      (await readFirstRow('SELECT 1 FROM files WHERE sha256 = ? AND seq <> ? LIMIT 1', [sha256, seq])) !== undefined,

    countSessions: (application: string): Promise<number> =>
      count('FROM sessions WHERE application = ? COLLATE NOCASE', [application]),
    countConsents: (application: string): Promise<number> =>
      count(
        `FROM debits WHERE application = ? COLLATE NOCASE
           OR (requester_kind = 'application' AND requester_name = ? COLLATE NOCASE)`,
        [application, application],
      ),

    async readTotals() {
      const hiddenCondition = 'endpoint IN (SELECT id FROM endpoints WHERE path IS NULL)';
      return {
        records: await measure(`FROM records WHERE NOT ${hiddenCondition}`, []),
        deleted: (await count('FROM deleted_records')) + (await count(`FROM records WHERE ${hiddenCondition}`)),
        files:
          (await readFirstRow<DataAmount>(
            'SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes, min(added) AS since FROM files',
            [],
          )) ?? NO_DATA,
        imports: await count('FROM imports'),
        sessions: await count('FROM sessions'),
        consents: await count('FROM debits'),
      };
    },

    /** Returns the latest readers of endpoints, at most 100; of all endpoints if `endpoints` is null. */
    listReceivers: (endpoints: readonly string[] | null): Promise<ReceiverRow[]> =>
      thread.all(
        `SELECT json_extract(shape.shape, '$[0]') AS kind, json_extract(shape.shape, '$[1]') AS name,
           max(json_extract(shape.shape, '$[9]')) AS person, sum(row.count) AS reads, sum(row.records) AS records, max(row.id) AS last
         FROM ledger_shapes AS shape JOIN ledger AS row ON row.shape = shape.id
         WHERE json_extract(shape.shape, '$[4]') IS NULL AND json_extract(shape.shape, '$[0]') <> 'owner' AND row.records > 0
           AND (json_extract(shape.shape, '$[2]') LIKE 'GET %' OR json_extract(shape.shape, '$[2]') = 'function run'
             OR json_extract(shape.shape, '$[2]') LIKE 'POST /api/v2.6/contract-data/read/%')
           AND (? OR EXISTS (SELECT 1 FROM json_each(shape.shape, '$[6]') AS endpoint WHERE endpoint.value IN (SELECT value FROM json_each(?))))
         GROUP BY 1, 2 ORDER BY last DESC LIMIT ${RECEIVERS_MAX}`,
        [endpoints === null ? 1 : 0, JSON.stringify(endpoints ?? [])],
      ),

    measureDatabaseBytes: (): number =>
      Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true })),
  };
};
