import { codeOf } from '../../../../wire/values.ts';
import { checkpointFully, openDatabase, type Database, type RegisterFunctions } from '../../../storage/database.ts';
import type { Manifest } from '../../../../wire/archive.ts';
import { SHAPES, type Forms, type ArchiveRow, type Shape } from '../format/row-rules.ts';
import { refuse } from '../format/error.ts';
import { columnOf, NUMBERED } from '../format/tables.ts';

/** Builds the database of an imported account. It is not read before it is complete. */
export type Build = {
  insert(shape: Shape, row: ArchiveRow): void;
  key(key: { kid: string; publicPem: string; created: number; retired: number }): void;
  /** Rebuilds derived data. @throws MoveProblem damaged when a row references a missing one */
  finish(manifest: Manifest, now: number): void;
  /** Throws what was begun away. */
  close(): void;
};

/** Rebuilds data that other rooms derive from the imported rows. */
export type Derive = (db: Database) => void;
/** What the access history works out of its rows as they come, in their order. */
export type SumUp = (db: Database) => { add(row: ArchiveRow): void; flush(): void };
export type Derived = { sumUp: SumUp; derive: readonly Derive[] };

/** Rows in one transaction. */
const BATCH = 5000;
/** Transactions after which the log is folded in. */
const FOLD_AFTER = 20;
/** A row that each database is made with. */
const ONE_ROW = new Set(['network', 'profile']);
/** What has to be there for each row: column, and where it is found. */
const REFERENCES = [
  ['records', 'endpoint', 'endpoints', 'id'],
  ['records', 'origin', 'origins', 'id'],
  ['deleted_records', 'origin', 'origins', 'id'],
  ['debit_bundles', 'debit', 'debits', 'id'],
  ['debit_permissions', 'debit', 'debits', 'id'],
  ['debit_history', 'debit', 'debits', 'id'],
  ['ledger', 'grp', 'ledger_groups', 'id'],
  ['ledger', 'shape', 'ledger_shapes', 'id'],
  ['file_grants', 'seq', 'files', 'seq'],
  ['file_grants', 'user_id', 'users', 'id'],
] as const;

const insertOf = ({ table, members, columns, stores, leaves }: Shape): string => {
  const own = members
    .filter(({ type }) => type !== 'content')
    .map(({ name }) => columns?.[name] ?? columnOf(name))
    .map((column) => [column, stores?.[column] ?? `:${column}`] as const);
  const others = Object.entries(leaves ?? {}).map(([column, { becomes }]) => [column, becomes] as const);
  const all = [...own, ...others];
  return `INSERT INTO ${table} (${all.map(([column]) => column).join(', ')}) VALUES (${all.map(([, value]) => value).join(', ')})`;
};

/** Constraint errors of SQLite name columns, which mean nothing to the owner. */
const isConstraint = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_CONSTRAINT');

/** @param unusableHash hash of a random password that is not stored anywhere */
export const createBuild = (
  file: string,
  parts: Derived & { backups: string; forms: Forms; unusableHash: string; registerFunctions: RegisterFunctions },
): Build => {
  const { forms, unusableHash, backups, registerFunctions } = parts;
  const db = openDatabase(file, { backups, registerFunctions });
  // Whatever ends this, what it made is thrown away: only the whole of it is put on the disk for good.
  db.pragma('synchronous = OFF');
  db.exec('BEGIN');
  const access = parts.sumUp(db);
  let lastAccess = 0;
  let rows = 0;
  let batches = 0;
  const turn = (): void => {
    rows += 1;
    if (rows % BATCH !== 0) return;
    db.exec('COMMIT');
    if ((batches += 1) % FOLD_AFTER === 0) db.pragma('wal_checkpoint(TRUNCATE)');
    db.exec('BEGIN');
  };
  const inserts = new Map(SHAPES.map((shape) => [shape.part, db.prepare(insertOf(shape))]));
  const begun = new Set<string>();
  const insertKey = db.prepare('INSERT INTO former_keys (kid, public_pem, created, retired) VALUES (?, ?, ?, ?)');

  const givenFor = ({ part }: Shape, row: ArchiveRow): ArchiveRow => {
    if (part === 'people') return { unusableHash, nameKey: forms.nameKey(String(row['name'])) };
    if (part === 'offer-claims') return { unusableHash };
    if (part !== 'files') return {};
    const { path } = row;
    return { inode: null, ...row, pathKey: typeof path === 'string' ? forms.foldedName(path) : null };
  };

  const setNumbers = (numbers: Record<string, number>): void => {
    const raise = db.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?');
    const add = db.prepare('INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)');
    for (const name of NUMBERED) {
      const number = numbers[name];
      if (number !== undefined && raise.run(number, name).changes === 0) add.run(number, name);
    }
  };

  return {
    insert(shape, row) {
      if (ONE_ROW.has(shape.table) && !begun.has(shape.table)) db.exec(`DELETE FROM ${shape.table}`);
      begun.add(shape.table);
      try {
        inserts.get(shape.part)?.run({ ...row, ...givenFor(shape, row) });
      } catch (error) {
        if (isConstraint(error)) throw refuse(`two lines of ${shape.part} are about the same, or one says too little`);
        throw error;
      }
      if (shape.part === 'access') {
        // Searches read the access history from the newest entry to the oldest.
        if (Number(row['id']) <= lastAccess) throw refuse('its access history is in no order');
        lastAccess = Number(row['id']);
        access.add(row);
      }
      turn();
    },
    key({ kid, publicPem, created, retired }) {
      try {
        insertKey.run(kid, publicPem, created, retired);
      } catch (error) {
        if (isConstraint(error)) throw refuse('two keys have the same name');
        throw error;
      }
    },
    finish({ account, program, created, counts, numbers }, now) {
      access.flush();
      setNumbers(numbers);
      db.exec('COMMIT');
      for (const [table, column, other, key] of REFERENCES) {
        const sql = `SELECT 1 FROM ${table} t WHERE NOT EXISTS (SELECT 1 FROM ${other} o WHERE o.${key} = t.${column}) LIMIT 1`;
        if (db.prepare(sql).get() !== undefined) throw refuse('something in it names what is not in it');
      }
      for (const derive of parts.derive) derive(db);
      // Where it stood before this place.
      db.prepare('UPDATE moves SET settled = ? WHERE settled IS NULL').run(Date.parse(created));
      db.prepare(
        `INSERT INTO moves (id, name, program, exported, arrived, counts) VALUES (lower(hex(randomblob(16))), ?, ?, ?, ?, ?)`,
      ).run(account.name, program, Date.parse(created), now, JSON.stringify(counts));
      const check = db.pragma('quick_check(1)', { simple: true });
      if (check !== 'ok') throw new Error(`the database that was made is not sound: ${String(check)}`);
      db.pragma('synchronous = FULL');
      checkpointFully(db);
    },
    close: () => void db.close(),
  };
};
