import type { ArchiveCounts } from '../../../../wire/move.ts';
import { openReader, removeDatabase, type Database } from '../../../storage/database.ts';
import { SCHEMA_VERSION, schemaVersion } from '../../../storage/migrations/migrator.ts';
import type { ArchiveRow, TableShape } from '../format/row-rules.ts';
import { TransferError } from '../format/error.ts';
import { columnOf, KEY_TABLES, AUTOINCREMENT_TABLES } from '../format/tables.ts';

/* Database snapshot that an export reads while other connections continue to write. */

export type SnapshotFile = {
  seq: number;
  path: string | null;
  size: number;
  sha256: string | null;
  type: string | null;
  /** Nanoseconds. */
  modified: string | null;
  /** `<device number>:<inode number>`. */
  inode: string | null;
  /** Former path of a deleted file that the owner can restore; null for all other files. */
  undo: string | null;
  /** 1 while the content is being moved to `path`. */
  moving: number;
};

/** More pages than a database of 16 TB has, so that all pages are copied in one step. */
const ALL_PAGES = 0x7fff_ffff;
const HAS_CONTENT = "size IS NOT NULL AND (status <> 'Deleted' OR undo_path IS NOT NULL)";
const FILE_COLUMNS = 'seq, path, size, sha256, type, modified, inode, undo_path AS undo, moving';

/** Opens the live database, to find the current paths of files that have been moved since the snapshot. */
export const openLiveDatabase = (database: string): { file(seq: number): SnapshotFile | undefined; close(): void } => {
  const db = openReader(database);
  const find = db.prepare<[number], SnapshotFile>(`SELECT ${FILE_COLUMNS} FROM files WHERE seq = ? AND ${HAS_CONTENT}`);
  return { file: (seq) => find.get(seq), close: () => void db.close() };
};

const countRows = (db: Database, now: number): Omit<ArchiveCounts, 'missing' | 'later'> => {
  const selectNumber = (sql: string): number => Number(db.prepare(sql).pluck().get() ?? 0);
  return {
    records: selectNumber('SELECT count(*) FROM records'),
    endpoints: selectNumber('SELECT count(*) FROM endpoints WHERE path IS NOT NULL'),
    files: selectNumber(`SELECT count(*) FROM files WHERE ${HAS_CONTENT}`),
    fileBytes: selectNumber(`SELECT sum(size) FROM files WHERE ${HAS_CONTENT}`),
    applications: selectNumber('SELECT count(*) FROM applications'),
    consents: selectNumber('SELECT count(*) FROM debits WHERE removed IS NULL'),
    activeConsents:
      db
        .prepare<[number], number>(
          `SELECT count(DISTINCT p.debit) FROM debit_permissions p JOIN debits d ON d.id = p.debit
           WHERE d.removed IS NULL AND p.accepted IS NOT NULL AND p.rejected IS NULL AND p.canceled IS NULL
             AND (p.cancel_at_period_end = 0 OR max(p.accepted, p.start) + p.period * 1000 > ?)`,
        )
        .pluck()
        .get(now) ?? 0,
    contracts: selectNumber('SELECT count(*) FROM contracts'),
    functions: selectNumber('SELECT count(*) FROM functions'),
    people: selectNumber('SELECT count(*) FROM users'),
    access: selectNumber('SELECT count(*) FROM ledger'),
  };
};

/**
 * Copies the live database and opens the copy.
 * @param copy path of the snapshot, which `close` deletes
 * @throws TransferError wrong_state if the account is not set up or its database has a different schema version
 */
export const openSnapshot = async (database: string, copy: string) => {
  removeDatabase(copy);
  const source = openReader(database);
  try {
    // A copy in several steps would restart after each write.
    await source.backup(copy, { progress: () => ALL_PAGES });
  } catch (error) {
    removeDatabase(copy);
    throw error;
  } finally {
    source.close();
  }
  const db = openReader(copy);
  const close = (): void => {
    db.close();
    removeDatabase(copy);
  };
  if (schemaVersion(db) !== SCHEMA_VERSION) {
    close();
    throw new TransferError(
      'wrong_state',
      'This version of the program has not opened this database yet. Start the PDA once, then try again.',
    );
  }
  const paths = new Map<number, string>(
    db.prepare<[], [number, string]>('SELECT id, path FROM endpoints WHERE path IS NOT NULL').raw().all(),
  );
  const owner = db
    .prepare<[], { id: string; name: string; created: number }>('SELECT id, name, created FROM owner')
    .get();
  if (owner === undefined) {
    close();
    throw new TransferError('wrong_state', 'This account is not set up yet.');
  }
  return {
    account: () => owner,
    /** Yields the exported rows of a table. The keys of a row are the member names of the archive, not column names. */
    rows({ table, members, columns, reads, where, order }: TableShape): Iterable<ArchiveRow> {
      const columnExpressions = members
        .filter(({ type }) => type !== 'content')
        .map(({ name }) => `${reads?.[name] ?? columns?.[name] ?? columnOf(name)} AS "${name}"`);
      const sql = `SELECT ${columnExpressions.join(', ')} FROM ${table} WHERE ${where ?? '1'} ORDER BY ${order}`;
      return db.prepare<[], ArchiveRow>(sql).iterate();
    },
    /** Returns current and former public keys. */
    keys: (): ArchiveRow[] =>
      db
        .prepare<[], ArchiveRow>(
          KEY_TABLES.map((table) => `SELECT kid, public_pem AS publicPem, created, retired FROM ${table}`).join(
            ' UNION ALL ',
          ),
        )
        .all(),
    /** Yields the files that have content. */
    files: (): Iterable<SnapshotFile> =>
      db.prepare<[], SnapshotFile>(`SELECT ${FILE_COLUMNS} FROM files WHERE ${HAS_CONTENT} ORDER BY seq`).iterate(),
    packages: () =>
      db
        .prepare<[], { id: string; folder: string; module: string }>('SELECT id, folder, module FROM function_packages')
        .all(),
    /** Returns undefined if the endpoint was deleted. */
    pathOf: (endpoint: number): string | undefined => paths.get(endpoint),
    /** @param now Unix milliseconds */
    counts: (now: number) => countRows(db, now),
    /** Returns the last id by table, for tables whose ids are never reused. */
    lastIds(): Record<string, number> {
      const counters = db.prepare<[], [string, number]>('SELECT name, seq FROM sqlite_sequence').raw().all();
      return Object.fromEntries(
        counters.filter(([name]) => (AUTOINCREMENT_TABLES as readonly string[]).includes(name)),
      );
    },
    bytes: (): number =>
      Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true })),
    /** Closes and deletes the snapshot. */
    close,
  };
};
