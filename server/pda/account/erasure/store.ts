import type { ErasureKind } from '../../../wire/erasure.ts';
import type { Database, Transaction } from '../../storage/index.ts';

/** Times are in Unix milliseconds. */
export type ErasureRow = {
  id: string;
  kind: ErasureKind;
  subject: string;
  /** Erasure plan as JSON; null once the rewrite of the database has begun, and for a full erasure. */
  plan: string | null;
  step: string | null;
  begun: number;
  finished: number | null;
  /** Counts of the preview as JSON. */
  counts: string;
  /** Report as JSON. */
  report: string;
  problem: string | null;
};

const COLUMNS = 'id, kind, subject, plan, step, begun, finished, found AS counts, report, problem';

const LIST_MAX_ROWS = 100;

export type ErasureStore = ReturnType<typeof createErasureStore>;

export const createErasureStore = (db: Database) => {
  const insert = db.prepare<[ErasureRow]>(
    `INSERT OR IGNORE INTO erasures (id, kind, subject, plan, step, begun, finished, found, report, problem)
     VALUES (:id, :kind, :subject, :plan, :step, :begun, :finished, :counts, :report, :problem)`,
  );
  const find = db.prepare<[string], ErasureRow>(`SELECT ${COLUMNS} FROM erasures WHERE id = ?`);
  const list = db.prepare<[], ErasureRow>(
    `SELECT ${COLUMNS} FROM erasures ORDER BY begun DESC, id LIMIT ${LIST_MAX_ROWS}`,
  );
  const oldestUnfinished = db.prepare<[], ErasureRow>(
    `SELECT ${COLUMNS} FROM erasures WHERE step IS NOT NULL ORDER BY begun LIMIT 1`,
  );
  const setStep = db.prepare('UPDATE erasures SET step = ?, problem = NULL WHERE id = ?');
  const setProblem = db.prepare('UPDATE erasures SET problem = ? WHERE id = ?');
  const forgetPlan = db.prepare('UPDATE erasures SET plan = NULL WHERE id = ?');
  const finish = db.prepare('UPDATE erasures SET step = NULL, finished = ?, report = ?, problem = NULL WHERE id = ?');

  return {
    insert: (_tx: Transaction, row: ErasureRow) => void insert.run(row),
    find: (id: string): ErasureRow | undefined => find.get(id),
    /** Returns the latest erasures, newest first. */
    list: (): ErasureRow[] => list.all(),
    findOldestUnfinished: (): ErasureRow | undefined => oldestUnfinished.get(),
    setStep: (_tx: Transaction, id: string, step: string) => void setStep.run(step, id),
    setProblem: (_tx: Transaction, id: string, problem: string) => void setProblem.run(problem, id),
    forgetPlan: (_tx: Transaction, id: string) => void forgetPlan.run(id),
    finish: (_tx: Transaction, id: string, time: number, report: string) => void finish.run(time, report, id),
  };
};
