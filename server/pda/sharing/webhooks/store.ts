import type { Database, Transaction } from '../../storage/index.ts';

export type MessageRow = {
  seq: number;
  id: string;
  lane: string;
  receiver: string;
  event: string;
  url: string;
  body: string;
  created: number;
  expires: number;
  attempts: number;
  next_attempt: number;
  last_problem: string | null;
  died: number | null;
};

/** Where messages wait in line: the next is not sent before the one at its head is done. */
export type LaneName = Pick<MessageRow, 'lane' | 'receiver'>;

const COLUMNS =
  'seq, id, lane, receiver, event, url, body, created, expires, attempts, next_attempt, last_problem, died';

export type OutboxStore = ReturnType<typeof createOutboxStore>;

export const createOutboxStore = (db: Database) => {
  const insert = db.prepare(
    `INSERT INTO outbox (id, lane, receiver, event, url, body, created, expires, next_attempt)
     VALUES (:id, :lane, :receiver, :event, :url, :body, :created, :expires, :next_attempt)`,
  );
  const newest = db.prepare<[], number | null>('SELECT max(seq) FROM outbox').pluck();
  const find = db.prepare<[string], MessageRow>(`SELECT ${COLUMNS} FROM outbox WHERE id = ?`);
  const head = db.prepare<[string, string], MessageRow>(
    `SELECT ${COLUMNS} FROM outbox WHERE receiver = ? AND lane = ? AND died IS NULL ORDER BY seq LIMIT 1`,
  );
  const last = db.prepare<[string, string], MessageRow>(
    `SELECT ${COLUMNS} FROM outbox WHERE receiver = ? AND lane = ? AND died IS NULL ORDER BY seq DESC LIMIT 1`,
  );
  const lanes = db.prepare<[], LaneName>('SELECT DISTINCT receiver, lane FROM outbox WHERE died IS NULL');
  const list = db.prepare<[number], MessageRow>(
    `SELECT ${COLUMNS} FROM outbox ORDER BY died IS NULL, died DESC, seq LIMIT ?`,
  );
  const failed = db.prepare(
    'UPDATE outbox SET attempts = attempts + 1, next_attempt = ?, last_problem = ? WHERE id = ? AND died IS NULL',
  );
  const died = db.prepare(
    'UPDATE outbox SET attempts = attempts + 1, died = ?, last_problem = ? WHERE id = ? AND died IS NULL',
  );
  const revive = db.prepare(
    'UPDATE outbox SET died = NULL, attempts = 0, expires = ?, next_attempt = ? WHERE id = ? AND died IS NOT NULL',
  );
  const hurry = db.prepare(
    'UPDATE outbox SET next_attempt = :now WHERE receiver = :receiver AND lane = :lane AND died IS NULL AND next_attempt > :now',
  );
  const remove = db.prepare('DELETE FROM outbox WHERE id = ?');
  const dropDead = db.prepare('DELETE FROM outbox WHERE died < ?');

  return {
    insert(tx: Transaction, row: Omit<MessageRow, 'seq' | 'attempts' | 'last_problem' | 'died'>): void {
      void tx;
      insert.run(row);
    },
    newestSeq: (): number => newest.get() ?? 0,
    find: (id: string): MessageRow | undefined => find.get(id),
    head: (lane: LaneName): MessageRow | undefined => head.get(lane.receiver, lane.lane),
    last: (lane: LaneName): MessageRow | undefined => last.get(lane.receiver, lane.lane),
    /** Lanes in which something waits. */
    lanes: (): LaneName[] => lanes.all(),
    /** Dead ones first (the latest death before others), then those that wait, in the order they came. */
    list: (limit: number): MessageRow[] => list.all(limit),
    failed(tx: Transaction, id: string, nextAttempt: number, problem: string): void {
      void tx;
      failed.run(nextAttempt, problem, id);
    },
    died(tx: Transaction, id: string, time: number, problem: string): void {
      void tx;
      died.run(time, problem, id);
    },
    /** From the beginning. Whether it was dead. */
    revive(tx: Transaction, id: string, now: number, expires: number): boolean {
      void tx;
      return revive.run(expires, now, id).changes > 0;
    },
    /** Nothing in the lane waits for its time any more. */
    hurry(tx: Transaction, lane: LaneName, now: number): void {
      void tx;
      hurry.run({ now, receiver: lane.receiver, lane: lane.lane });
    },
    remove(tx: Transaction, id: string): boolean {
      void tx;
      return remove.run(id).changes > 0;
    },
    dropDeadBefore(tx: Transaction, time: number): void {
      void tx;
      dropDead.run(time);
    },
  };
};
