import { EXAMPLE_PREFIX, type FirstStep } from '../../../wire/examples.ts';
import type { Database, Transaction } from '../../storage/index.ts';

/** What was counted when it was put here, by day, and the numbers of its endpoints: some may be gone before it is taken away. */
export type Counted = { day: number; records: number; endpoints: readonly number[] };

/** Everything that begins with the prefix, whose last sign is followed by `.`. */
const FROM = EXAMPLE_PREFIX;
const BELOW = `${EXAMPLE_PREFIX.slice(0, -1)}.`;
const OURS = `path >= '${FROM}' AND path < '${BELOW}'`;
/** Of the deletion that a hidden endpoint waits in. */
const FOR_GOOD = 'for good';

export type ExampleStore = ReturnType<typeof createExampleStore>;

/** What the examples left behind in the tables of other rooms, and what was waved away. */
export const createExampleStore = (db: Database) => {
  const row = db.prepare<[], { put: number; before: string }>('SELECT put, before FROM examples');
  const insert = db.prepare('INSERT INTO examples (id, put, before) VALUES (1, ?, ?)');
  const drop = db.prepare('DELETE FROM examples');
  const paths = db.prepare<[], string>(`SELECT path FROM endpoints WHERE ${OURS} ORDER BY path`).pluck();
  const pathIds = db.prepare<[], number>(`SELECT id FROM endpoints WHERE ${OURS}`).pluck();
  const sums = db.prepare<[], { records: number }>(
    `SELECT coalesce(sum(records), 0) AS records FROM endpoints WHERE ${OURS}`,
  );
  const fileIds = db
    .prepare<[], string>(`SELECT file_id FROM files WHERE source >= '${FROM}' AND source < '${BELOW}'`)
    .pluck();
  const countFiles = db
    .prepare<[], number>(
      `SELECT count(*) FROM files WHERE source >= '${FROM}' AND source < '${BELOW}' AND status = 'Completed'`,
    )
    .pluck();
  const hasFiles = db
    .prepare<[], number>(
      `SELECT EXISTS (SELECT 1 FROM files WHERE source >= '${FROM}' AND source < '${BELOW}'
         AND (status <> 'Deleted' OR undo_path IS NOT NULL))`,
    )
    .pluck();
  const endpointIds = db
    .prepare<[], number>(
      `SELECT id FROM endpoints WHERE ${OURS} UNION SELECT endpoint FROM deletions WHERE ${OURS} AND endpoint IS NOT NULL`,
    )
    .pluck();
  const giveUp = db.prepare(
    `UPDATE endpoints SET deletion = '${FOR_GOOD}' WHERE path IS NULL AND id IN
       (SELECT endpoint FROM deletions WHERE ${OURS} AND endpoint IS NOT NULL)`,
  );
  const forgetDeletions = db.prepare(`DELETE FROM deletions WHERE ${OURS}`);
  const dropKept = db.prepare(`DELETE FROM deleted_records WHERE ${OURS}`);
  const forgetEmpty = db.prepare(
    'DELETE FROM deletions WHERE endpoint IS NULL AND id NOT IN (SELECT deletion FROM deleted_records)',
  );
  const dropEvents = db.prepare('DELETE FROM events WHERE endpoint IN (SELECT value FROM json_each(?))');
  const dropOrigin = db.prepare(
    `DELETE FROM origins WHERE kind = 'import' AND reference LIKE '${EXAMPLE_PREFIX}%' AND name = ?
       AND id NOT IN (SELECT origin FROM records) AND id NOT IN (SELECT origin FROM deleted_records)`,
  );
  const lessActivity = db.prepare('UPDATE activity SET count = count - ? WHERE day = ? AND kind = ?');
  const dropQuietDays = db.prepare('DELETE FROM activity WHERE count <= 0');
  const activityOf = db
    .prepare<[number, string], number>('SELECT count FROM activity WHERE day = ? AND kind = ?')
    .pluck();
  const dropSlugs = db.prepare(`DELETE FROM file_slugs WHERE slug >= '${FROM}' AND slug < '${BELOW}'`);
  const onTheWayOut = db
    .prepare<[], number>(`SELECT count(*) FROM endpoints WHERE path IS NULL AND deletion = '${FOR_GOOD}'`)
    .pluck();
  const waved = db.prepare<[], FirstStep>('SELECT step FROM first_steps ORDER BY step').pluck();
  const wave = db.prepare('INSERT OR REPLACE INTO first_steps (step, waved) VALUES (?, ?)');
  const unwave = db.prepare('DELETE FROM first_steps WHERE step = ?');

  return {
    /** When it was put here, and what was counted then; undefined when it is not here. */
    find(): { put: number; counted: Counted } | undefined {
      const found = row.get();
      // Only ever written below.
      return found === undefined ? undefined : { put: found.put, counted: JSON.parse(found.before) as Counted };
    },
    insert(tx: Transaction, put: number, counted: Counted): void {
      void tx;
      insert.run(put, JSON.stringify(counted));
    },
    drop(tx: Transaction): void {
      void tx;
      drop.run();
    },
    paths: (): string[] => paths.all(),
    /** Numbers of those that still have a path. */
    pathIds: (): number[] => pathIds.all(),
    endpointIds: (): number[] => endpointIds.all(),
    records: (): number => sums.get()?.records ?? 0,
    fileIds: (): string[] => fileIds.all(),
    files: (): number => countFiles.get() ?? 0,
    /** Whether there are any, also such as are not whole yet or can be brought back. */
    hasFiles: (): boolean => hasFiles.get() === 1,
    activityOf: (day: number, kind: 'created' | 'deleted'): number => activityOf.get(day, kind) ?? 0,
    /** What was deleted of it can come back no more. */
    giveUp(tx: Transaction): void {
      void tx;
      giveUp.run();
      forgetDeletions.run();
      dropKept.run();
      forgetEmpty.run();
    },
    onTheWayOut: (): number => onTheWayOut.get() ?? 0,
    /** The last marks: events, the origin, names of files, and the counts of the days. */
    dropMarks(
      tx: Transaction,
      marks: { endpoints: readonly number[]; origin: string; counts: readonly Count[] },
    ): void {
      void tx;
      dropEvents.run(JSON.stringify(marks.endpoints));
      dropOrigin.run(marks.origin);
      dropSlugs.run();
      for (const { day, kind, count } of marks.counts) lessActivity.run(count, day, kind);
      dropQuietDays.run();
    },
    waved: (): FirstStep[] => waved.all(),
    wave(tx: Transaction, step: FirstStep, time: number | null): void {
      void tx;
      if (time === null) unwave.run(step);
      else wave.run(step, time);
    },
  };
};

export type Count = { day: number; kind: 'created' | 'deleted'; count: number };
