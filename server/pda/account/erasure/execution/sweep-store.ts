import { MAINTENANCE_WAIT_MS } from '../../../storage/database.ts';
import type { Database, DatabaseThread, Transaction } from '../../../storage/index.ts';
import { PERMANENT_DELETION } from '../../../core/endpoint-store.ts';
import { eraseFilterOperands } from '../rules.ts';
import type { HiddenRecordRef, ImportOriginalRef, RecordOrigin } from './search-store.ts';

/** Maximum time that a checkpoint waits for readers. */
const CHECKPOINT_WAIT_MS = 50;

export type SweepStore = ReturnType<typeof createSweepStore>;

/** Deletes data for which no other module has an operation. */
export const createSweepStore = (db: Database, maintenance: Pick<DatabaseThread, 'all' | 'exec'>) => {
  type Range = { from: string; below: string };
  const markPermanent = db.prepare<[Range]>(
    `UPDATE endpoints SET deletion = '${PERMANENT_DELETION}' WHERE path IS NULL AND id IN
       (SELECT endpoint FROM deletions WHERE path >= :from AND path < :below AND endpoint IS NOT NULL)`,
  );
  // The correction of the namespace itself is stored under its name without a slash.
  const dropCorrections = db.prepare<[Range]>(
    "DELETE FROM field_corrections WHERE (endpoint >= :from AND endpoint < :below) OR endpoint = rtrim(:from, '/')",
  );
  const dropPinnedCharts = db.prepare<[Range]>(
    'DELETE FROM pinned_charts WHERE endpoint >= :from AND endpoint < :below',
  );
  const dropRecordViews = db.prepare<[Range]>('DELETE FROM record_views WHERE endpoint >= :from AND endpoint < :below');
  // Must run before the rows of `deletions` are deleted, because only these contain the paths of hidden endpoints.
  const dropViewGrants = db.prepare<[Range]>(
    `DELETE FROM view_grants WHERE endpoint IN
       (SELECT endpoint FROM deletions WHERE path >= :from AND path < :below AND endpoint IS NOT NULL)`,
  );
  const dropMoves = db.prepare<[Range]>(
    'DELETE FROM record_moves WHERE (from_path >= :from AND from_path < :below) OR (to_path >= :from AND to_path < :below)',
  );
  const dropTableIndexes = db.prepare<[Range]>(
    'DELETE FROM table_indexes WHERE endpoint >= :from AND endpoint < :below',
  );
  const dropDeletions = db.prepare<[Range]>('DELETE FROM deletions WHERE path >= :from AND path < :below');
  const dropDeletedInRange = db.prepare<[Range & { count: number }]>(
    `DELETE FROM deleted_records WHERE (deletion, seq) IN
       (SELECT deletion, seq FROM deleted_records WHERE path >= :from AND path < :below LIMIT :count)`,
  );
  const prepareDropByOrigin = (kind: 'application' | 'function') =>
    db.prepare<[string, number]>(
      `DELETE FROM deleted_records WHERE (deletion, seq) IN (SELECT deletion, seq FROM deleted_records WHERE origin IN
         (SELECT id FROM origins WHERE kind = '${kind}' AND ${kind === 'function' ? 'name IN (SELECT value FROM json_each(?))' : 'name = ? COLLATE NOCASE'}) LIMIT ?)`,
    );
  const dropDeletedByOrigin = {
    application: prepareDropByOrigin('application'),
    function: prepareDropByOrigin('function'),
  };
  const dropVersion = db.prepare<[number]>('DELETE FROM record_versions WHERE version = ?');
  const dropOriginal = db.prepare<[number, string]>('DELETE FROM import_changes WHERE seq = ? AND import = ?');
  // `deletions.records` is the number of records that can be restored.
  const recountDeletions = db.prepare(
    `UPDATE deletions SET records = (SELECT count(*) FROM deleted_records WHERE deletion = deletions.id)
     WHERE endpoint IS NULL AND records <> (SELECT count(*) FROM deleted_records WHERE deletion = deletions.id)`,
  );
  // The column `records` of a deletion can be too low, so the records of a deleted endpoint are checked, too.
  const dropEmptyDeletions = db.prepare(
    `DELETE FROM deletions WHERE records = 0
       AND NOT EXISTS (SELECT 1 FROM records WHERE records.endpoint = deletions.endpoint)`,
  );
  const countPending = db
    .prepare<[], number>(
      `SELECT (SELECT count(*) FROM endpoints WHERE path IS NULL AND deletion = '${PERMANENT_DELETION}')
         + (SELECT count(*) FROM orphaned_versions)`,
    )
    .pluck();

  const dropRecord = db.prepare('DELETE FROM records WHERE seq = ?');
  const dropFingerprint = db.prepare('DELETE FROM fingerprints WHERE endpoint = ? AND seq = ?');
  const reduceUsage = db.prepare(
    `UPDATE endpoint_usage SET bytes = bytes - :bytes WHERE endpoint = :endpoint AND (kind, name) =
       (SELECT kind, name FROM origins WHERE id = (SELECT origin FROM records WHERE seq = :seq))`,
  );
  const dropZeroUsage = db.prepare('DELETE FROM endpoint_usage WHERE endpoint = ? AND bytes <= 0');
  const reduceEndpointCounts = db.prepare('UPDATE endpoints SET records = records - 1, bytes = bytes - ? WHERE id = ?');
  const reduceDeletionCount = db.prepare('UPDATE deletions SET records = max(0, records - 1) WHERE endpoint = ?');

  const dropOrigin = db.prepare('DELETE FROM origins WHERE id = ?');
  const dropSessions = db.prepare('DELETE FROM sessions WHERE application = ? COLLATE NOCASE AND ended IS NOT NULL');
  const dropNetworks = db.prepare("DELETE FROM sign_in_networks WHERE account = ('application:' || ?) COLLATE NOCASE");
  const selectPermissions = db.prepare<
    [string, string],
    { seq: number; asked: string; conditions: string | null; granted: string | null }
  >(
    `SELECT seq, asked, conditions, granted FROM debit_permissions WHERE debit IN (SELECT id FROM debits WHERE application = ? COLLATE NOCASE
       OR (requester_kind = 'application' AND requester_name = ? COLLATE NOCASE))`,
  );
  const updatePermission = db.prepare(
    'UPDATE debit_permissions SET asked = ?, conditions = ?, granted = ? WHERE seq = ?',
  );
  const dropReports = db.prepare(
    "DELETE FROM statistic_events WHERE subject = ? COLLATE NOCASE AND kind <> 'datadebit'",
  );
  const clearRuns = db.prepare(
    `UPDATE function_runs SET log = '[]', message = NULL WHERE finished IS NOT NULL AND function IN (SELECT value FROM json_each(?))`,
  );
  const isRunning = db
    .prepare<[string], number>(
      'SELECT 1 FROM function_runs WHERE finished IS NULL AND function IN (SELECT value FROM json_each(?)) LIMIT 1',
    )
    .pluck();
  const fullTextTables = db.prepare<[], { name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' AND sql LIKE '%fts5%'`,
  );

  const eraseFilterValues = (json: string | null): string | null =>
    json === null ? null : JSON.stringify(eraseFilterOperands(JSON.parse(json) as unknown));

  return {
    /**
     * Makes the deletions of the endpoints of a namespace final, and deletes their settings, shared views and moves.
     * The next sweep deletes the records.
     */
    abandonEndpoints(_tx: Transaction, range: Range): void {
      markPermanent.run(range);
      dropViewGrants.run(range);
      dropDeletions.run(range);
      dropCorrections.run(range);
      dropPinnedCharts.run(range);
      dropRecordViews.run(range);
      dropTableIndexes.run(range);
      dropMoves.run(range);
    },
    /** Erases up to `count` individually deleted records of a namespace. Returns true if there may be more. */
    dropDeletedInRange(_tx: Transaction, range: Range, count: number): boolean {
      if (dropDeletedInRange.run({ ...range, count }).changes === count) return true;
      recountDeletions.run();
      dropEmptyDeletions.run();
      return false;
    },
    /** Erases up to `count` individually deleted records of an origin. Returns true if there may be more. */
    dropDeletedByOrigin(_tx: Transaction, origin: RecordOrigin, count: number): boolean {
      const result =
        'application' in origin
          ? dropDeletedByOrigin.application.run(origin.application, count)
          : dropDeletedByOrigin.function.run(JSON.stringify(origin.functions), count);
      if (result.changes === count) return true;
      recountDeletions.run();
      dropEmptyDeletions.run();
      return false;
    },
    /** Erases records of deleted endpoints, so that restoring an endpoint does not restore them. */
    dropHiddenRecords(_tx: Transaction, refs: readonly HiddenRecordRef[]): void {
      for (const { seq, endpoint, bytes } of refs) {
        reduceUsage.run({ seq, endpoint, bytes });
        if (dropRecord.run(seq).changes === 0) continue;
        dropZeroUsage.run(endpoint);
        dropFingerprint.run(endpoint, seq);
        reduceEndpointCounts.run(bytes, endpoint);
        reduceDeletionCount.run(endpoint);
      }
      dropEmptyDeletions.run();
    },
    dropVersions(_tx: Transaction, versions: readonly number[]): void {
      for (const version of versions) dropVersion.run(version);
    },
    /** Drops originals of records. Undoing their imports then keeps the changes to these records. */
    dropOriginals(_tx: Transaction, originals: readonly ImportOriginalRef[]): void {
      for (const original of originals) dropOriginal.run(original.seq, original.import);
    },
    countPending: (): number => countPending.get() ?? 0,
    dropOrigins(_tx: Transaction, ids: readonly number[]): void {
      for (const id of ids) dropOrigin.run(id);
    },
    dropSessions(_tx: Transaction, application: string): void {
      dropSessions.run(application);
      dropNetworks.run(application);
    },
    /** Erases the filter values in Data Debits, which are retained as proof of the agreement. */
    eraseConsentValues(_tx: Transaction, application: string): void {
      for (const { seq, asked, conditions, granted } of selectPermissions.all(application, application))
        updatePermission.run(eraseFilterValues(asked), eraseFilterValues(conditions), eraseFilterValues(granted), seq);
    },
    dropReports: (_tx: Transaction, application: string) => void dropReports.run(application),
    clearRuns: (_tx: Transaction, functions: readonly string[]) => void clearRuns.run(JSON.stringify(functions)),
    isRunning: (functions: readonly string[]): boolean => isRunning.get(JSON.stringify(functions)) !== undefined,

    /**
     * Rewrites the full-text indexes and then the whole database, because pages contain deleted content until they are
     * overwritten. Writers must be paused; readers continue with the old state.
     */
    async rewrite(): Promise<void> {
      await maintenance.exec('PRAGMA secure_delete = ON');
      for (const { name } of fullTextTables.all())
        await maintenance.exec(`INSERT INTO "${name}"("${name}") VALUES ('optimize')`);
      await maintenance.exec('VACUUM');
    },
    /** Empties the write-ahead log. Resolves to false if a reader still uses the old state. */
    async emptyWriteAheadLog(): Promise<boolean> {
      await maintenance.exec(`PRAGMA busy_timeout = ${CHECKPOINT_WAIT_MS}`);
      try {
        const [state] = await maintenance.all<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
        return state?.busy === 0;
      } finally {
        await maintenance.exec(`PRAGMA busy_timeout = ${MAINTENANCE_WAIT_MS}`);
      }
    },
  };
};
