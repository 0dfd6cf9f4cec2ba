import { MAINTENANCE_WAIT_MS } from '../../../storage/database.ts';
import type { Database, DatabaseThread, Transaction } from '../../../storage/index.ts';
import { withoutValues } from '../rules.ts';
import type { HiddenSpot, StoredBy } from './search-store.ts';

/** Of the deletion that a hidden endpoint waits in. */
const FOR_GOOD = 'for good';

export type SweepStore = ReturnType<typeof createSweepStore>;

/** What takes away the remains that no room has a verb for. Every verb can be done again: after a kill it is. */
export const createSweepStore = (db: Database, maintenance: Pick<DatabaseThread, 'all' | 'exec'>) => {
  type Range = { from: string; below: string };
  const markForGood = db.prepare<[Range]>(
    `UPDATE endpoints SET deletion = '${FOR_GOOD}' WHERE path IS NULL AND id IN
       (SELECT endpoint FROM deletions WHERE path >= :from AND path < :below AND endpoint IS NOT NULL)`,
  );
  const dropCorrections = db.prepare<[Range]>(
    'DELETE FROM field_corrections WHERE endpoint >= :from AND endpoint < :below',
  );
  const forgetDeletions = db.prepare<[Range]>('DELETE FROM deletions WHERE path >= :from AND path < :below');
  const dropKept = db.prepare<[Range & { count: number }]>(
    `DELETE FROM deleted_records WHERE (deletion, seq) IN
       (SELECT deletion, seq FROM deleted_records WHERE path >= :from AND path < :below LIMIT :count)`,
  );
  const dropKeptOf = (kind: 'application' | 'function') =>
    db.prepare<[string, number]>(
      `DELETE FROM deleted_records WHERE (deletion, seq) IN (SELECT deletion, seq FROM deleted_records WHERE origin IN
         (SELECT id FROM origins WHERE kind = '${kind}' AND ${kind === 'function' ? 'name IN (SELECT value FROM json_each(?))' : 'name = ? COLLATE NOCASE'}) LIMIT ?)`,
    );
  const dropKeptBy = { application: dropKeptOf('application'), function: dropKeptOf('function') };
  // A deletion says how many records come back with it.
  const countKept = db.prepare(
    `UPDATE deletions SET records = (SELECT count(*) FROM deleted_records WHERE deletion = deletions.id)
     WHERE endpoint IS NULL AND records <> (SELECT count(*) FROM deleted_records WHERE deletion = deletions.id)`,
  );
  const forgetEmpty = db.prepare('DELETE FROM deletions WHERE records = 0');
  const goneFor = db
    .prepare<[], number>(`SELECT count(*) FROM endpoints WHERE path IS NULL AND deletion = '${FOR_GOOD}'`)
    .pluck();
  const isHere = db
    .prepare<[Range], number>(
      'SELECT 1 FROM records WHERE endpoint IN (SELECT id FROM endpoints WHERE path >= :from AND path < :below) LIMIT 1',
    )
    .pluck();

  const dropHidden = db.prepare('DELETE FROM records WHERE seq = ?');
  const dropPrint = db.prepare('DELETE FROM fingerprints WHERE endpoint = ? AND seq = ?');
  const lessUsed = db.prepare(
    `UPDATE endpoint_usage SET bytes = bytes - :bytes WHERE endpoint = :endpoint AND (kind, name) =
       (SELECT kind, name FROM origins WHERE id = (SELECT origin FROM records WHERE seq = :seq))`,
  );
  const dropUnused = db.prepare('DELETE FROM endpoint_usage WHERE endpoint = ? AND bytes <= 0');
  const lessHere = db.prepare('UPDATE endpoints SET records = records - 1, bytes = bytes - ? WHERE id = ?');
  const lessToComeBack = db.prepare('UPDATE deletions SET records = records - 1 WHERE endpoint = ?');

  const dropOrigin = db.prepare('DELETE FROM origins WHERE id = ?');
  const dropSessions = db.prepare('DELETE FROM sessions WHERE application = ? COLLATE NOCASE AND ended IS NOT NULL');
  const dropNetworks = db.prepare("DELETE FROM sign_in_networks WHERE account = ('application:' || ?) COLLATE NOCASE");
  const permissions = db.prepare<
    [string, string],
    { seq: number; asked: string; conditions: string | null; granted: string | null }
  >(
    `SELECT seq, asked, conditions, granted FROM debit_permissions WHERE debit IN (SELECT id FROM debits WHERE application = ? COLLATE NOCASE
       OR (requester_kind = 'application' AND requester_name = ? COLLATE NOCASE))`,
  );
  const rewrite = db.prepare('UPDATE debit_permissions SET asked = ?, conditions = ?, granted = ? WHERE seq = ?');
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
  const texts = db.prepare<[], { name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' AND sql LIKE '%fts5%'`,
  );

  const text = (json: string | null): string | null =>
    json === null ? null : JSON.stringify(withoutValues(JSON.parse(json) as unknown));

  return {
    /** What was deleted with its endpoint can come back no more; its rows go like those of any endpoint that is gone. */
    giveUpEndpoints(tx: Transaction, range: Range): void {
      void tx;
      markForGood.run(range);
      forgetDeletions.run(range);
      dropCorrections.run(range);
    },
    /** Some of what was deleted record by record. Whether more are left. */
    dropKept(tx: Transaction, range: Range, count: number): boolean {
      void tx;
      const more = dropKept.run({ ...range, count }).changes === count;
      if (!more) countKept.run();
      if (!more) forgetEmpty.run();
      return more;
    },
    /** The same of what an application or functions stored. */
    dropKeptOf(tx: Transaction, of: StoredBy, count: number): boolean {
      void tx;
      const dropped =
        'application' in of
          ? dropKeptBy.application.run(of.application, count)
          : dropKeptBy.function.run(JSON.stringify(of.functions), count);
      if (dropped.changes === count) return true;
      countKept.run();
      forgetEmpty.run();
      return false;
    },
    /** Records of an endpoint that could come back: it comes back without them. */
    dropHidden(tx: Transaction, spots: readonly HiddenSpot[]): void {
      void tx;
      for (const { seq, endpoint, bytes } of spots) {
        lessUsed.run({ seq, endpoint, bytes });
        if (dropHidden.run(seq).changes === 0) continue;
        dropUnused.run(endpoint);
        dropPrint.run(endpoint, seq);
        lessHere.run(bytes, endpoint);
        lessToComeBack.run(endpoint);
      }
      forgetEmpty.run();
    },
    /** Endpoints that are gone and whose rows are still on their way out. */
    onTheWayOut: (): number => goneFor.get() ?? 0,
    isHere: (range: Range): boolean => isHere.get(range) !== undefined,
    dropOrigins(tx: Transaction, ids: readonly number[]): void {
      void tx;
      for (const id of ids) dropOrigin.run(id);
    },
    dropSessions(tx: Transaction, application: string): void {
      void tx;
      dropSessions.run(application);
      dropNetworks.run(application);
    },
    /** The consents stay as proof of what was agreed to; the values in their filters go. */
    emptyConsents(tx: Transaction, application: string): void {
      void tx;
      for (const { seq, asked, conditions, granted } of permissions.all(application, application))
        rewrite.run(text(asked), text(conditions), text(granted), seq);
    },
    dropReports(tx: Transaction, application: string): void {
      void tx;
      dropReports.run(application);
    },
    /** What functions wrote into their logs, and why they failed. */
    clearRuns(tx: Transaction, functions: readonly string[]): void {
      void tx;
      clearRuns.run(JSON.stringify(functions));
    },
    isRunning: (functions: readonly string[]): boolean => isRunning.get(JSON.stringify(functions)) !== undefined,

    /**
     * Rewrites all full-text indexes and then the whole database, because pages keep deleted content until they are
     * overwritten. Writers must be paused. Runs in the maintenance thread; readers continue on the old state.
     */
    async rewrite(): Promise<void> {
      await maintenance.exec('PRAGMA secure_delete = ON');
      // Small and bounded, and never a file outside of the home that a stop leaves behind.
      for (const { name } of texts.all())
        await maintenance.exec(`INSERT INTO "${name}"("${name}") VALUES ('optimize')`);
      await maintenance.exec('VACUUM');
    },
    /** Checkpoints and truncates the write-ahead log. False if a reader still uses the old state. */
    async emptyLog(): Promise<boolean> {
      await maintenance.exec(`PRAGMA busy_timeout = ${LOG_WAIT_MS}`);
      try {
        const [state] = await maintenance.all<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
        return state?.busy === 0;
      } finally {
        await maintenance.exec(`PRAGMA busy_timeout = ${MAINTENANCE_WAIT_MS}`);
      }
    },
  };
};

/** Milliseconds that the thread waits for those who still read. */
const LOG_WAIT_MS = 50;
