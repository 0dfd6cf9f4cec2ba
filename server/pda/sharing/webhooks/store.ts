import type { Database, Transaction } from '../../storage/index.ts';

/** Times are Unix milliseconds. */
export type WebhookRow = {
  seq: number;
  id: string;
  ordering_key: string;
  receiver: string;
  event: string;
  url: string;
  body: string;
  created: number;
  /** After this time, a failed attempt makes the webhook a dead letter, unless there were too few attempts. */
  expires: number;
  attempts: number;
  next_attempt: number;
  last_problem: string | null;
  /** Time at which the webhook became a dead letter; null while it is pending. */
  died: number | null;
};

/** Identifies a queue. A webhook is sent only after its predecessor in the queue is done. */
export type QueueKey = Pick<WebhookRow, 'ordering_key' | 'receiver'>;

const COLUMNS =
  'seq, id, ordering_key, receiver, event, url, body, created, expires, attempts, next_attempt, last_problem, died';

export type OutboxStore = ReturnType<typeof createOutboxStore>;

export const createOutboxStore = (db: Database) => {
  const insert = db.prepare(
    `INSERT INTO outbox (id, ordering_key, receiver, event, url, body, created, expires, next_attempt)
     VALUES (:id, :ordering_key, :receiver, :event, :url, :body, :created, :expires, :next_attempt)`,
  );
  const selectNewestSeq = db.prepare<[], number | null>('SELECT max(seq) FROM outbox').pluck();
  const find = db.prepare<[string], WebhookRow>(`SELECT ${COLUMNS} FROM outbox WHERE id = ?`);
  const head = db.prepare<[string, string], WebhookRow>(
    `SELECT ${COLUMNS} FROM outbox WHERE receiver = ? AND ordering_key = ? AND died IS NULL ORDER BY seq LIMIT 1`,
  );
  const findLast = db.prepare<[string, string], WebhookRow>(
    `SELECT ${COLUMNS} FROM outbox WHERE receiver = ? AND ordering_key = ? AND died IS NULL ORDER BY seq DESC LIMIT 1`,
  );
  const queues = db.prepare<[], QueueKey>('SELECT DISTINCT receiver, ordering_key FROM outbox WHERE died IS NULL');
  const list = db.prepare<[number], WebhookRow>(
    `SELECT ${COLUMNS} FROM outbox ORDER BY died IS NULL, died DESC, seq LIMIT ?`,
  );
  const recordFailure = db.prepare(
    'UPDATE outbox SET attempts = attempts + 1, next_attempt = ?, last_problem = ? WHERE id = ? AND died IS NULL',
  );
  const markDead = db.prepare(
    'UPDATE outbox SET attempts = attempts + 1, died = ?, last_problem = ? WHERE id = ? AND died IS NULL',
  );
  const revive = db.prepare(
    'UPDATE outbox SET died = NULL, attempts = 0, expires = ?, next_attempt = ? WHERE id = ? AND died IS NOT NULL',
  );
  const retryNow = db.prepare(
    'UPDATE outbox SET next_attempt = :now WHERE receiver = :receiver AND ordering_key = :ordering_key AND died IS NULL AND ' +
      'next_attempt > :now',
  );
  const remove = db.prepare('DELETE FROM outbox WHERE id = ?');
  const deleteDead = db.prepare('DELETE FROM outbox WHERE died < ?');

  return {
    insert: (_tx: Transaction, row: Omit<WebhookRow, 'seq' | 'attempts' | 'last_problem' | 'died'>) =>
      void insert.run(row),
    readNewestSeq: (): number => selectNewestSeq.get() ?? 0,
    find: (id: string): WebhookRow | undefined => find.get(id),
    head: (queue: QueueKey): WebhookRow | undefined => head.get(queue.receiver, queue.ordering_key),
    findLast: (queue: QueueKey): WebhookRow | undefined => findLast.get(queue.receiver, queue.ordering_key),
    queues: (): QueueKey[] => queues.all(),
    /** Returns dead letters (latest first), then pending webhooks in the order in which they were enqueued. */
    list: (limit: number): WebhookRow[] => list.all(limit),
    recordFailure: (_tx: Transaction, id: string, nextAttempt: number, problem: string) =>
      void recordFailure.run(nextAttempt, problem, id),
    markDead: (_tx: Transaction, id: string, time: number, problem: string) => void markDead.run(time, problem, id),
    /** Makes a dead letter pending again and resets its attempts. Has no effect on a pending webhook. */
    revive: (_tx: Transaction, id: string, now: number, expires: number) => void revive.run(expires, now, id),
    retryNow: (_tx: Transaction, queue: QueueKey, now: number) =>
      void retryNow.run({ now, receiver: queue.receiver, ordering_key: queue.ordering_key }),
    remove: (_tx: Transaction, id: string) => void remove.run(id),
    deleteDeadBefore: (_tx: Transaction, time: number) => void deleteDead.run(time),
  };
};
