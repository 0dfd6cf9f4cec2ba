import { MAX_RECORD_VERSIONS, RECORD_VERSION_DAYS } from '../../../../wire/limits.ts';
import type { Database, Transaction } from '../../../storage/index.ts';
import type { ChangeContext } from '../changes/change-events.ts';
import { takeUpTo } from '../rules.ts';

/** Times are Unix milliseconds. Origins are ids; `author` is null if unknown. */
export type VersionRow = {
  version: number;
  stored: number;
  author: number | null;
  replaced: number;
  origin: number;
  bytes: number;
};
/** `data` is UTF-8. */
export type VersionContent = VersionRow & { data: Buffer<ArrayBuffer> };

const DAYS_KEY = 'recordVersionDays';
const COLUMNS = 'version, stored, author, replaced, origin, bytes';
/** SQL condition of versions whose record exists or can be restored. */
const HAS_RECORD = 'seq NOT IN (SELECT seq FROM orphaned_versions)';
/** Limits of one transaction that drops versions. The version that reaches PRUNE_MAX_BYTES is included. */
const PRUNE_MAX_ROWS = 500;
const PRUNE_MAX_BYTES = 4_000_000;

type SizedVersion = { version: number; bytes: number };

const takeVersions = (rows: Iterable<SizedVersion>, maxBytes = PRUNE_MAX_BYTES): number[] =>
  takeUpTo(rows, ({ bytes }) => bytes, maxBytes).map(({ version }) => version);

export type RecordVersionStore = ReturnType<typeof createRecordVersionStore>;

export const createRecordVersionStore = (db: Database) => {
  const readDays = db.prepare<[], string>(`SELECT value FROM settings WHERE key = '${DAYS_KEY}'`).pluck();
  const writeDays = db.prepare<[string]>(
    `INSERT INTO settings (key, value) VALUES ('${DAYS_KEY}', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  );
  // The newest version shows when and by whom the data of the record was stored. The columns of the record do not show
  // this: its origin is the creator, and an update with equal data sets its time.
  const add = db.prepare<[{ seqs: string } & ChangeContext]>(
    `INSERT INTO record_versions (seq, stored, author, replaced, origin, bytes, data)
     SELECT records.seq, coalesce(newest.replaced, updated, created),
       coalesce(newest.origin, CASE WHEN updated IS NULL THEN records.origin END),
       :time, :origin, octet_length(records.data), records.data
     FROM json_each(:seqs) JOIN records ON records.seq = value LEFT JOIN record_versions AS newest
       ON newest.version = (SELECT max(version) FROM record_versions WHERE seq = records.seq)`,
  );
  const dropBeyondMax = db.prepare<[string]>(
    `DELETE FROM record_versions WHERE version IN (SELECT
       (SELECT version FROM record_versions WHERE seq = value ORDER BY version DESC LIMIT 1 OFFSET ${MAX_RECORD_VERSIONS})
       FROM json_each(?))`,
  );
  const list = db.prepare<[number, number], VersionRow>(
    `SELECT ${COLUMNS} FROM record_versions WHERE seq = ? AND replaced >= ? AND ${HAS_RECORD} ORDER BY version DESC`,
  );
  const content = db.prepare<[number, number, number], VersionContent>(
    `SELECT ${COLUMNS}, CAST(data AS BLOB) AS data FROM record_versions
     WHERE seq = ? AND version = ? AND replaced >= ? AND ${HAS_RECORD}`,
  );
  const totalBytes = db.prepare<[], number>('SELECT bytes FROM record_version_bytes').pluck();
  const hasOrphaned = db.prepare<[], number>('SELECT 1 FROM orphaned_versions LIMIT 1').pluck();
  const firstOrphanedSeqs = `SELECT seq FROM orphaned_versions ORDER BY seq LIMIT ${PRUNE_MAX_ROWS}`;
  const orphanedVersions = db.prepare<[], SizedVersion>(
    `SELECT version, bytes FROM record_versions WHERE seq IN (${firstOrphanedSeqs}) LIMIT ${PRUNE_MAX_ROWS}`,
  );
  const forgetOrphaned = db.prepare(`DELETE FROM orphaned_versions WHERE seq IN (${firstOrphanedSeqs})`);
  const expiredVersions = db.prepare<[number], SizedVersion>(
    `SELECT version, bytes FROM record_versions WHERE replaced < ? LIMIT ${PRUNE_MAX_ROWS}`,
  );
  const oldestVersions = db.prepare<[], SizedVersion>(
    `SELECT version, bytes FROM record_versions ORDER BY version LIMIT ${PRUNE_MAX_ROWS}`,
  );
  const drop = db.prepare<[string]>('DELETE FROM record_versions WHERE version IN (SELECT value FROM json_each(?))');

  return {
    days: (): number => Number(readDays.get() ?? RECORD_VERSION_DAYS),
    setDays: (_tx: Transaction, days: number) => void writeDays.run(String(days)),
    /** Keeps the data of records as versions, before a change replaces it. The sequence numbers must be distinct. */
    add(_tx: Transaction, seqs: readonly number[], { origin, time }: ChangeContext): void {
      const seqList = JSON.stringify(seqs);
      add.run({ seqs: seqList, origin, time });
      dropBeyondMax.run(seqList);
    },
    /** Returns the versions of a record, newest first. `since`: Unix milliseconds. */
    list: (seq: number, since: number): VersionRow[] => list.all(seq, since),
    /** @param since Unix milliseconds */
    find: (seq: number, version: number, since: number): VersionContent | undefined => content.get(seq, version, since),
    totalBytes: (): number => totalBytes.get() ?? 0,
    /** Orphaned versions belong to records that were deleted and cannot be restored. */
    hasOrphaned: (): boolean => hasOrphaned.get() !== undefined,
    /** Drops some of the orphaned versions, and forgets their records when none are left. */
    dropOrphaned(_tx: Transaction): void {
      const versions = takeVersions(orphanedVersions.iterate());
      if (versions.length === 0) forgetOrphaned.run();
      else drop.run(JSON.stringify(versions));
    },
    /** Returns some of the versions that were replaced before a time. @param before Unix milliseconds */
    expiredVersions: (before: number): number[] => takeVersions(expiredVersions.iterate(before)),
    /** Returns the oldest versions that together have at least `bytes` bytes, or as many as one transaction drops. */
    oldestVersions: (bytes: number): number[] =>
      takeVersions(oldestVersions.iterate(), Math.min(bytes, PRUNE_MAX_BYTES)),
    drop: (_tx: Transaction, versions: readonly number[]) => void drop.run(JSON.stringify(versions)),
  };
};
