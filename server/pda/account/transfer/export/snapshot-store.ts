import { rmSync } from 'node:fs';
import type { ArchiveCounts } from '../../../../wire/move.ts';
import { SIDECAR_SUFFIXES, openReader, type Database } from '../../../storage/database.ts';
import { SCHEMA_VERSION, schemaVersion } from '../../../storage/migrations/migrator.ts';
import type { ArchiveRow, Shape } from '../format/row-rules.ts';
import { MoveProblem } from '../format/error.ts';
import { columnOf, KEY_TABLES, NUMBERED } from '../format/tables.ts';

/** A copy of the database as it is at one moment, for as long as an export reads it: others go on writing meanwhile. */

/** No query of ours is asked here. */
const noFunctions = (): void => undefined;

export type SnapshotFile = {
  seq: number;
  path: string | null;
  size: number;
  sha256: string | null;
  type: string | null;
  undo: string | null;
  moving: number;
};

export type Snapshot = {
  account(): { id: string; name: string; created: number };
  /** Rows of a part, each column under the name of its member. */
  rows(shape: Shape): Iterable<ArchiveRow>;
  keys(): ArchiveRow[];
  /** Files whose bytes are kept somewhere. */
  files(): Iterable<SnapshotFile>;
  packages(): { id: string; folder: string; module: string; bytes: number; sha256: string }[];
  pathOf(endpoint: number): string | undefined;
  counts(now: number): Omit<ArchiveCounts, 'missing' | 'later'>;
  numbers(): Record<string, number>;
  /** Bytes of its pages. */
  bytes(): number;
  close(): void;
};

const remove = (file: string): void => {
  for (const beside of ['', ...SIDECAR_SUFFIXES]) rmSync(file + beside, { force: true });
};

const WITH_BYTES = "size IS NOT NULL AND (status <> 'Deleted' OR undo_path IS NOT NULL)";
const FILE = 'seq, path, size, sha256, type, undo_path AS undo, moving';

/** Where the bytes of a file are by now: it may have been moved since the copy was made. */
export const openLive = (database: string): { file(seq: number): SnapshotFile | undefined; close(): void } => {
  const db = openReader(database, noFunctions);
  const find = db.prepare<[number], SnapshotFile>(`SELECT ${FILE} FROM files WHERE seq = ? AND ${WITH_BYTES}`);
  return { file: (seq) => find.get(seq), close: () => void db.close() };
};

const countsOf = (db: Database, now: number): Omit<ArchiveCounts, 'missing' | 'later'> => {
  const one = (sql: string): number => Number(db.prepare(sql).pluck().get() ?? 0);
  return {
    records: one('SELECT count(*) FROM records'),
    endpoints: one('SELECT count(*) FROM endpoints WHERE path IS NOT NULL'),
    files: one(`SELECT count(*) FROM files WHERE ${WITH_BYTES}`),
    fileBytes: one(`SELECT sum(size) FROM files WHERE ${WITH_BYTES}`),
    applications: one('SELECT count(*) FROM applications'),
    consents: one('SELECT count(*) FROM debits WHERE removed IS NULL'),
    activeConsents:
      db
        .prepare<[number], number>(
          `SELECT count(DISTINCT p.debit) FROM debit_permissions p JOIN debits d ON d.id = p.debit
           WHERE d.removed IS NULL AND p.accepted IS NOT NULL AND p.rejected IS NULL AND p.canceled IS NULL
             AND (p.cancel_at_period_end = 0 OR max(p.accepted, p.start) + p.period * 1000 > ?)`,
        )
        .pluck()
        .get(now) ?? 0,
    contracts: one('SELECT count(*) FROM contracts'),
    functions: one('SELECT count(*) FROM functions'),
    people: one('SELECT count(*) FROM users'),
    access: one('SELECT count(*) FROM ledger'),
  };
};

/**
 * @param copy a file that is made and taken away again
 * @throws MoveProblem wrong_state when the account is not set up, or its database is of another format than this program's
 */
export const openSnapshot = async (database: string, copy: string): Promise<Snapshot> => {
  remove(copy);
  const source = openReader(database, noFunctions);
  try {
    // In one step: a stepwise copy restarts after each write.
    await source.backup(copy, { progress: () => 0x7fff_ffff });
  } catch (error) {
    remove(copy);
    throw error;
  } finally {
    source.close();
  }
  const db = openReader(copy, noFunctions);
  const close = (): void => {
    db.close();
    remove(copy);
  };
  if (schemaVersion(db) !== SCHEMA_VERSION) {
    close();
    throw new MoveProblem('wrong_state', 'This database has not been opened by this version of the program yet.');
  }
  const paths = new Map<number, string>(
    db.prepare<[], [number, string]>('SELECT id, path FROM endpoints WHERE path IS NOT NULL').raw().all(),
  );
  const owner = db
    .prepare<[], { id: string; name: string; created: number }>('SELECT id, name, created FROM owner')
    .get();
  if (owner === undefined) {
    close();
    throw new MoveProblem('wrong_state', 'This account is not set up yet.');
  }
  return {
    account: () => owner,
    rows({ table, members, columns, reads, where, order }) {
      const wanted = members
        .filter(({ type }) => type !== 'content')
        .map(({ name }) => `${reads?.[name] ?? columns?.[name] ?? columnOf(name)} AS "${name}"`);
      const sql = `SELECT ${wanted.join(', ')} FROM ${table} WHERE ${where ?? '1'} ORDER BY ${order}`;
      return db.prepare<[], ArchiveRow>(sql).iterate();
    },
    keys: () =>
      db
        .prepare<[], ArchiveRow>(
          KEY_TABLES.map((table) => `SELECT kid, public_pem AS publicPem, created, retired FROM ${table}`).join(
            ' UNION ALL ',
          ),
        )
        .all(),
    files: () => db.prepare<[], SnapshotFile>(`SELECT ${FILE} FROM files WHERE ${WITH_BYTES} ORDER BY seq`).iterate(),
    packages: () =>
      db
        .prepare<[], ReturnType<Snapshot['packages']>[number]>(
          'SELECT id, folder, module, bytes, sha256 FROM function_packages',
        )
        .all(),
    pathOf: (endpoint) => paths.get(endpoint),
    counts: (now) => countsOf(db, now),
    numbers() {
      const found = db.prepare<[], [string, number]>('SELECT name, seq FROM sqlite_sequence').raw().all();
      return Object.fromEntries(found.filter(([name]) => (NUMBERED as readonly string[]).includes(name)));
    },
    bytes: () => Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true })),
    close,
  };
};
