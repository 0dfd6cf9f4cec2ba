import type { Database, Transaction } from '../../storage/index.ts';

/** Setting whose value is the `id` of the file. `files/store.ts` deletes the setting when the file is erased. */
export const MAP_FILE_SETTING = 'mapFile';

export type MapFileStore = ReturnType<typeof createMapFileStore>;

export const createMapFileStore = (db: Database) => {
  const get = db.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck();
  const set = db.prepare(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  const remove = db.prepare('DELETE FROM settings WHERE key = ?');

  return {
    id: () => get.get(MAP_FILE_SETTING),
    set: (_tx: Transaction, id: string) => void set.run(MAP_FILE_SETTING, id),
    remove: (_tx: Transaction) => void remove.run(MAP_FILE_SETTING),
  };
};
