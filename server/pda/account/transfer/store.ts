import type { Database, Transaction } from '../../storage/index.ts';

/** Times are in Unix milliseconds. `settled` is null until the owner activates the account. */
type TransferRow = {
  id: string;
  name: string;
  program: string;
  exported: number;
  arrived: number;
  settled: number | null;
  made_dark: number;
  counts: string;
};

export type TransferStore = ReturnType<typeof createTransferStore>;

export const createTransferStore = (db: Database) => {
  const findLast = db.prepare<[], TransferRow>(
    // Sorted by insertion, because an archive may contain an earlier transfer with a time in the future.
    'SELECT id, name, program, exported, arrived, settled, made_dark, counts FROM moves ORDER BY rowid DESC LIMIT 1',
  );
  const settle = db.prepare('UPDATE moves SET settled = ? WHERE settled IS NULL');
  return {
    findLast: (): TransferRow | undefined => findLast.get(),
    /** Marks all imports as activated. Returns the number of changed imports. */
    settle: (_tx: Transaction, time: number): number => settle.run(time).changes,
  };
};
