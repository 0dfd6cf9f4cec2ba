import { codeOf } from '../../../../wire/values.ts';
import { checkpointFully, openDatabase, type Database, type RegisterFunctions } from '../../../storage/database.ts';
import type { Manifest } from '../../../../wire/archive.ts';
import { TABLE_SHAPES, type Codecs, type ArchiveRow, type TableShape } from '../format/row-rules.ts';
import { invalidArchive } from '../format/error.ts';
import { columnOf, AUTOINCREMENT_TABLES } from '../format/tables.ts';

/** Rebuilds data that another module derives from the imported rows. */
export type DerivedDataRebuild = (db: Database) => void;
/** Creates an accumulator for the access log totals. Rows must be added in ascending order. */
export type TotalsFactory = (db: Database) => { add(row: ArchiveRow): void; flush(): void };
export type DerivedData = { createTotals: TotalsFactory; rebuild: readonly DerivedDataRebuild[] };

const BATCH_ROWS = 5000;
const BATCHES_PER_CHECKPOINT = 20;
/** Tables with a single row, which every new database already contains. */
const SINGLE_ROW_TABLES = new Set(['network', 'profile']);
/** References that must resolve unless they are null: table, column, referenced table or query, referenced column. */
const REFERENCES = [
  ['records', 'endpoint', 'endpoints', 'id'],
  ['records', 'origin', 'origins', 'id'],
  ['deleted_records', 'origin', 'origins', 'id'],
  ['record_versions', 'origin', 'origins', 'id'],
  ['record_versions', 'author', 'origins', 'id'],
  ['record_versions', 'seq', '(SELECT seq FROM records UNION ALL SELECT seq FROM deleted_records)', 'seq'],
  ['record_moves', 'origin', 'origins', 'id'],
  ['record_moves', 'seq', '(SELECT seq FROM records UNION ALL SELECT seq FROM deleted_records)', 'seq'],
  ['debit_bundles', 'debit', 'debits', 'id'],
  ['debit_permissions', 'debit', 'debits', 'id'],
  ['debit_history', 'debit', 'debits', 'id'],
  ['ledger', 'grp', 'ledger_groups', 'id'],
  ['ledger', 'shape', 'ledger_shapes', 'id'],
  ['file_grants', 'seq', 'files', 'seq'],
  ['file_grants', 'user_id', 'users', 'id'],
  ['folder_grants', 'user_id', 'users', 'id'],
  ['collection_files', 'collection', 'collections', 'id'],
  ['collection_files', 'seq', 'files', 'seq'],
  ['collection_grants', 'user_id', 'users', 'id'],
  ['collection_grants', 'collection', 'collections', 'id'],
  ['view_grants', 'user_id', 'users', 'id'],
  ['view_grants', 'endpoint', 'endpoints', 'id'],
] as const;

const createInsertSql = ({ table, members, columns, stores, omitted }: TableShape): string => {
  const memberColumns = members
    .filter(({ type }) => type !== 'content')
    .map(({ name }) => columns?.[name] ?? columnOf(name))
    .map((column) => [column, stores?.[column] ?? `:${column}`] as const);
  const omittedColumns = Object.entries(omitted ?? {}).map(([column, { becomes }]) => [column, becomes] as const);
  const allColumns = [...memberColumns, ...omittedColumns];
  return `INSERT INTO ${table} (${allColumns.map(([column]) => column).join(', ')}) VALUES (${allColumns.map(([, value]) => value).join(', ')})`;
};

/** The message of a constraint violation contains column names and is therefore not shown to the owner. */
const isConstraintViolation = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_CONSTRAINT');

/**
 * Builds the database of an imported account. Nothing may read it before `finish`.
 * @param parts.unusableHash hash of a random password that is stored nowhere
 */
export const createDatabaseBuilder = (
  file: string,
  parts: DerivedData & { backups: string; codecs: Codecs; unusableHash: string; registerFunctions: RegisterFunctions },
) => {
  const { codecs, unusableHash, backups, registerFunctions } = parts;
  const db = openDatabase(file, { backups, registerFunctions });
  // An interrupted build is deleted, so only the complete database must be durable.
  db.pragma('synchronous = OFF');
  db.exec('BEGIN');
  const totals = parts.createTotals(db);
  let lastAccessId = 0;
  let rows = 0;
  let batches = 0;
  const commitFullBatch = (): void => {
    rows += 1;
    if (rows % BATCH_ROWS !== 0) return;
    db.exec('COMMIT');
    if ((batches += 1) % BATCHES_PER_CHECKPOINT === 0) db.pragma('wal_checkpoint(TRUNCATE)');
    db.exec('BEGIN');
  };
  const inserts = new Map(TABLE_SHAPES.map((shape) => [shape.part, db.prepare(createInsertSql(shape))]));
  const clearedTables = new Set<string>();
  const insertFormerKey = db.prepare('INSERT INTO former_keys (kid, public_pem, created, retired) VALUES (?, ?, ?, ?)');

  const computedColumns = ({ part }: TableShape, row: ArchiveRow): ArchiveRow => {
    if (part === 'people') return { unusableHash, nameKey: codecs.nameKey(String(row['name'])) };
    if (part === 'collections') return { nameKey: codecs.nameKey(String(row['name'])) };
    if (part === 'offer-claims') return { unusableHash };
    if (part !== 'files') return {};
    const { path } = row;
    return { inode: null, ...row, pathKey: typeof path === 'string' ? codecs.foldedName(path) : null };
  };

  const raiseSequences = (numbers: Record<string, number>): void => {
    const raise = db.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?');
    const add = db.prepare('INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)');
    for (const name of AUTOINCREMENT_TABLES) {
      const number = numbers[name];
      if (number !== undefined && raise.run(number, name).changes === 0) add.run(number, name);
    }
  };

  return {
    /** @throws TransferError damaged */
    insert(shape: TableShape, row: ArchiveRow): void {
      if (SINGLE_ROW_TABLES.has(shape.table) && !clearedTables.has(shape.table)) db.exec(`DELETE FROM ${shape.table}`);
      clearedTables.add(shape.table);
      try {
        inserts.get(shape.part)?.run({ ...row, ...computedColumns(shape, row) });
      } catch (error) {
        if (isConstraintViolation(error)) throw invalidArchive(`${shape.part} contains a duplicate or incomplete line`);
        throw error;
      }
      if (shape.part === 'access') {
        // The totals require ascending ids.
        if (Number(row['id']) <= lastAccessId) throw invalidArchive('its access history is not in order');
        lastAccessId = Number(row['id']);
        totals.add(row);
      }
      commitFullBatch();
    },
    /** Inserts a former public key. @throws TransferError damaged */
    insertKey(key: { kid: string; publicPem: string; created: number; retired: number }): void {
      try {
        insertFormerKey.run(key.kid, key.publicPem, key.created, key.retired);
      } catch (error) {
        if (isConstraintViolation(error)) throw invalidArchive('it contains two keys with the same id');
        throw error;
      }
    },
    /**
     * Checks references, rebuilds derived data and adds the transfer to the account's history.
     * @throws TransferError damaged if a referenced row is missing; Error if the integrity check fails
     */
    finish({ account, program, created, counts, numbers }: Manifest, now: number): void {
      totals.flush();
      raiseSequences(numbers);
      db.exec('COMMIT');
      for (const [table, column, referencedTable, referencedColumn] of REFERENCES) {
        const sql = `SELECT 1 FROM ${table} t WHERE t.${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${referencedTable} o WHERE o.${referencedColumn} = t.${column}) LIMIT 1`;
        if (db.prepare(sql).get() !== undefined) throw invalidArchive('a line refers to a row that is missing');
      }
      // An archive from an older version of the program may contain the originals of records that were deleted
      // permanently.
      db.exec(
        'DELETE FROM import_changes WHERE seq NOT IN (SELECT seq FROM records UNION ALL SELECT seq FROM deleted_records)',
      );
      for (const rebuild of parts.rebuild) rebuild(db);
      // Earlier transfers count as activated.
      db.prepare('UPDATE moves SET settled = ? WHERE settled IS NULL').run(Date.parse(created));
      db.prepare(
        `INSERT INTO moves (id, name, program, exported, arrived, counts) VALUES (lower(hex(randomblob(16))), ?, ?, ?, ?, ?)`,
      ).run(account.name, program, Date.parse(created), now, JSON.stringify(counts));
      const check = db.pragma('quick_check(1)', { simple: true });
      if (check !== 'ok') throw new Error(`the imported database failed its integrity check: ${String(check)}`);
      db.pragma('synchronous = FULL');
      checkpointFully(db);
    },
    /** Closes the database even if it is incomplete. */
    close: () => void db.close(),
  };
};
