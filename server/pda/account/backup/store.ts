import type { Database, Transaction } from '../../storage/index.ts';

/** `folder`, `master` and `locks` are null if backups are not set up. */
export type BackupRow = {
  folder: string | null;
  master: Buffer | null;
  /** Key file as JSON. */
  locks: string | null;
  every: 'off' | 'hour' | 'day' | 'week';
  keep_days: number;
  keep_weeks: number;
  keep_months: number;
};

export type BackupStore = ReturnType<typeof createBackupStore>;

export const createBackupStore = (db: Database) => {
  const get = db.prepare<[], BackupRow>(
    'SELECT folder, master, locks, every, keep_days, keep_weeks, keep_months FROM backup',
  );
  const set = db.prepare(
    `UPDATE backup SET folder = :folder, master = :master, locks = :locks, every = :every,
       keep_days = :keep_days, keep_weeks = :keep_weeks, keep_months = :keep_months`,
  );
  return {
    readRow(): BackupRow {
      const row = get.get();
      if (row === undefined) throw new Error('the backup settings are missing');
      return row;
    },
    set: (_tx: Transaction, row: BackupRow) => void set.run(row),
  };
};
