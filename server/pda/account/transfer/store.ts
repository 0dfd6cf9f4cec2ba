import type { Database, Transaction } from '../../storage/index.ts';

export type MoveRow = {
  id: string;
  name: string;
  program: string;
  exported: number;
  arrived: number;
  settled: number | null;
  made_dark: number;
  counts: string;
};

export type MoveStore = ReturnType<typeof createMoveStore>;

export const createMoveStore = (db: Database) => {
  const last = db.prepare<[], MoveRow>(
    // As they came: an archive may say of an earlier one that it arrived in days to come.
    'SELECT id, name, program, exported, arrived, settled, made_dark, counts FROM moves ORDER BY rowid DESC LIMIT 1',
  );
  const settle = db.prepare('UPDATE moves SET settled = ? WHERE settled IS NULL');
  return {
    /** That this account came here last; undefined: it was always here. */
    last: (): MoveRow | undefined => last.get(),
    /** How many were not. */
    settle(tx: Transaction, time: number): number {
      void tx;
      return settle.run(time).changes;
    },
  };
};
