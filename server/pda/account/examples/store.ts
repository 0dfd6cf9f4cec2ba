import { EXAMPLE_PREFIX, type FirstStep } from '../../../wire/examples.ts';
import { PERMANENT_DELETION } from '../../core/endpoint-store.ts';
import type { Database, Transaction } from '../../storage/index.ts';

/**
 * Day of the addition (days since 1970), number of records, and endpoint ids. They are stored, because the owner may
 * delete endpoints before the example data is removed.
 */
type AddedCounts = { day: number; records: number; endpoints: readonly number[] };

/* Range of all names with the prefix `example-`: in ASCII, `.` follows `-`. */
const PREFIX_START = EXAMPLE_PREFIX;
const PREFIX_END = `${EXAMPLE_PREFIX.slice(0, -1)}.`;
const IS_EXAMPLE_PATH = `path >= '${PREFIX_START}' AND path < '${PREFIX_END}'`;
const IS_EXAMPLE_SOURCE = `source >= '${PREFIX_START}' AND source < '${PREFIX_END}'`;

/** Number of records that were created or deleted on a day. `day`: days since 1970. */
export type ActivityCount = { day: number; kind: 'created' | 'deleted'; count: number };

export type ExampleStore = ReturnType<typeof createExampleStore>;

/** Creates the store of the example data, which also deletes rows in the tables of other modules. */
export const createExampleStore = (db: Database) => {
  const selectExamples = db.prepare<[], { addedAt: number; before: string }>(
    'SELECT added AS addedAt, before FROM examples',
  );
  const insert = db.prepare('INSERT INTO examples (id, added, before) VALUES (1, ?, ?)');
  const drop = db.prepare('DELETE FROM examples');
  const paths = db.prepare<[], string>(`SELECT path FROM endpoints WHERE ${IS_EXAMPLE_PATH} ORDER BY path`).pluck();
  const activeEndpointIds = db.prepare<[], number>(`SELECT id FROM endpoints WHERE ${IS_EXAMPLE_PATH}`).pluck();
  const sumRecords = db.prepare<[], { records: number }>(
    `SELECT coalesce(sum(records), 0) AS records FROM endpoints WHERE ${IS_EXAMPLE_PATH}`,
  );
  const fileIds = db.prepare<[], string>(`SELECT file_id FROM files WHERE ${IS_EXAMPLE_SOURCE}`).pluck();
  const countFiles = db
    .prepare<[], number>(`SELECT count(*) FROM files WHERE ${IS_EXAMPLE_SOURCE} AND status = 'Completed'`)
    .pluck();
  const hasFiles = db
    .prepare<[], number>(
      `SELECT EXISTS (SELECT 1 FROM files WHERE ${IS_EXAMPLE_SOURCE}
         AND (status <> 'Deleted' OR undo_path IS NOT NULL))`,
    )
    .pluck();
  const endpointIds = db
    .prepare<[], number>(
      `SELECT id FROM endpoints WHERE ${IS_EXAMPLE_PATH} UNION SELECT endpoint FROM deletions WHERE ${IS_EXAMPLE_PATH} AND endpoint IS NOT NULL`,
    )
    .pluck();
  const markPermanent = db.prepare(
    `UPDATE endpoints SET deletion = '${PERMANENT_DELETION}' WHERE path IS NULL AND id IN
       (SELECT endpoint FROM deletions WHERE ${IS_EXAMPLE_PATH} AND endpoint IS NOT NULL)`,
  );
  const dropDeletions = db.prepare(`DELETE FROM deletions WHERE ${IS_EXAMPLE_PATH}`);
  const dropDeletedRecords = db.prepare(`DELETE FROM deleted_records WHERE ${IS_EXAMPLE_PATH}`);
  const dropEmptyDeletions = db.prepare(
    'DELETE FROM deletions WHERE endpoint IS NULL AND id NOT IN (SELECT deletion FROM deleted_records)',
  );
  const dropEvents = db.prepare('DELETE FROM events WHERE endpoint IN (SELECT value FROM json_each(?))');
  const dropOrigin = db.prepare(
    `DELETE FROM origins WHERE kind = 'import' AND reference LIKE '${EXAMPLE_PREFIX}%' AND name = ?
       AND id NOT IN (SELECT origin FROM records) AND id NOT IN (SELECT origin FROM deleted_records)
       AND id NOT IN (SELECT origin FROM record_versions UNION SELECT author FROM record_versions WHERE author IS NOT NULL)`,
  );
  const reduceActivity = db.prepare('UPDATE activity SET count = count - ? WHERE day = ? AND kind = ?');
  const dropEmptyDays = db.prepare('DELETE FROM activity WHERE count <= 0');
  const activityOf = db
    .prepare<[number, string], number>('SELECT count FROM activity WHERE day = ? AND kind = ?')
    .pluck();
  const dropSlugs = db.prepare(`DELETE FROM file_slugs WHERE slug >= '${PREFIX_START}' AND slug < '${PREFIX_END}'`);
  const countPendingEndpoints = db
    .prepare<[], number>(`SELECT count(*) FROM endpoints WHERE path IS NULL AND deletion = '${PERMANENT_DELETION}'`)
    .pluck();
  const selectDismissed = db.prepare<[], FirstStep>('SELECT step FROM first_steps ORDER BY step').pluck();
  const insertDismissal = db.prepare('INSERT OR REPLACE INTO first_steps (step, dismissed) VALUES (?, ?)');
  const deleteDismissal = db.prepare('DELETE FROM first_steps WHERE step = ?');

  return {
    /** `addedAt`: time of the addition in Unix milliseconds. */
    find(): { addedAt: number; counts: AddedCounts } | undefined {
      const row = selectExamples.get();
      // Written by `insert` and by imports of accounts.
      return row === undefined ? undefined : { addedAt: row.addedAt, counts: JSON.parse(row.before) as AddedCounts };
    },
    insert: (_tx: Transaction, addedAt: number, counts: AddedCounts) =>
      void insert.run(addedAt, JSON.stringify(counts)),
    drop: (_tx: Transaction) => void drop.run(),
    listPaths: (): string[] => paths.all(),
    listActiveEndpointIds: (): number[] => activeEndpointIds.all(),
    /** Returns the ids of the example endpoints, including deleted ones. */
    listEndpointIds: (): number[] => endpointIds.all(),
    countRecords: (): number => sumRecords.get()?.records ?? 0,
    listFileIds: (): string[] => fileIds.all(),
    countFiles: (): number => countFiles.get() ?? 0,
    /** Returns true if there are example files, including incomplete uploads and deleted files that can be restored. */
    hasFiles: (): boolean => hasFiles.get() === 1,
    countActivity: (day: number, kind: 'created' | 'deleted'): number => activityOf.get(day, kind) ?? 0,
    /** Makes the deletions of example data final, so that they cannot be undone. */
    abandonDeletions(_tx: Transaction): void {
      markPermanent.run();
      dropDeletions.run();
      dropDeletedRecords.run();
      dropEmptyDeletions.run();
    },
    /** Counts all permanently deleted endpoints that still have to be swept. */
    countPendingEndpoints: (): number => countPendingEndpoints.get() ?? 0,
    dropMetadata(
      _tx: Transaction,
      metadata: { endpoints: readonly number[]; origin: string; activity: readonly ActivityCount[] },
    ): void {
      dropEvents.run(JSON.stringify(metadata.endpoints));
      dropOrigin.run(metadata.origin);
      dropSlugs.run();
      for (const { day, kind, count } of metadata.activity) reduceActivity.run(count, day, kind);
      dropEmptyDays.run();
    },
    listDismissed: (): FirstStep[] => selectDismissed.all(),
    setDismissed(_tx: Transaction, step: FirstStep, time: number | null): void {
      if (time === null) deleteDismissal.run(step);
      else insertDismissal.run(step, time);
    },
  };
};
