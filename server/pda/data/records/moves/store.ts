import { MAX_RECORD_VERSIONS } from '../../../../wire/limits.ts';
import type { Database, Transaction } from '../../../storage/index.ts';

/** `time`: Unix milliseconds. `origin`: origin id of the principal that moved the record. */
export type RecordMoveRow = { time: number; origin: number; from: string; to: string };

export type RecordMoveStore = ReturnType<typeof createRecordMoveStore>;

export const createRecordMoveStore = (db: Database) => {
  const relocate = db.prepare('UPDATE records SET endpoint = ? WHERE seq = ?');
  const insert = db.prepare<[RecordMoveRow & { seq: number }]>(
    'INSERT INTO record_moves (seq, time, origin, from_path, to_path) VALUES (:seq, :time, :origin, :from, :to)',
  );
  const dropBeyondMax = db.prepare<[{ seq: number }]>(
    `DELETE FROM record_moves WHERE seq = :seq AND id <=
       (SELECT id FROM record_moves WHERE seq = :seq ORDER BY id DESC LIMIT 1 OFFSET ${MAX_RECORD_VERSIONS})`,
  );
  const list = db.prepare<[number], RecordMoveRow>(
    'SELECT time, origin, from_path AS "from", to_path AS "to" FROM record_moves WHERE seq = ? ORDER BY id DESC',
  );

  return {
    relocate: (_tx: Transaction, seq: number, endpoint: number) => void relocate.run(endpoint, seq),
    add(_tx: Transaction, seq: number, move: RecordMoveRow): void {
      insert.run({ seq, ...move });
      dropBeyondMax.run({ seq });
    },
    /** Returns the moves of a record, newest first. */
    list: (seq: number): RecordMoveRow[] => list.all(seq),
  };
};
