import Sqlite, { type Database } from 'better-sqlite3';

/** Number of tables that another connection creates while the thread prepares its first statement. */
const SCHEMA_CHANGES_MAX = 3;

/** The form of `table` for `CREATE VIRTUAL TABLE`, which the type definitions lack. */
type TableFactories = { table(name: string, create: () => { columns: string[]; rows: () => Generator }): void };

/**
 * Registers the virtual table module `changing`.
 * @param onConnect called whenever SQLite connects a table of the module, which it does again after each schema change
 */
export const registerChangingTables = (db: Database, onConnect: () => void): void =>
  (db as unknown as TableFactories).table('changing', () => {
    onConnect();
    return {
      columns: ['id'],
      *rows() {
        yield [1];
      },
    };
  });

/** Lets another connection change the schema when a table of the module is connected, SCHEMA_CHANGES_MAX times. */
export const registerQueryFunctions = (db: Database): void => {
  let changes = 0;
  registerChangingTables(db, () => {
    if (changes === SCHEMA_CHANGES_MAX) return;
    changes += 1;
    const writer = new Sqlite(db.name);
    writer.exec(`CREATE TABLE changed_${changes} (id)`);
    writer.close();
  });
};

export const withReadBudget = <T>(_: unknown, run: () => T): T => run();

export const mapText = (text: string): string => text;
