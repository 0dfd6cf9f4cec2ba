import type { Database, Transaction } from '../../storage/index.ts';

/** How far was counted, for which exchange, and how its delivery stands. Times are Unix milliseconds. */
export type StateRow = {
  service: string;
  events_to: number;
  ledger_to: number;
  debits_to: number;
  sent: number;
  last_sent: number | null;
  attempts: number;
  next_attempt: number;
};
export type ReportKind = 'inbound' | 'outbound' | 'datadebit';
export type EventRow = {
  seq: number;
  id: string;
  kind: ReportKind;
  subject: string;
  time: number;
  tried: number;
  body: string;
};

const EVENT = 'seq, id, kind, subject, time, tried, body';

export type StatisticsStore = ReturnType<typeof createStatisticsStore>;

export const createStatisticsStore = (db: Database) => {
  const state = db.prepare<[], StateRow>(
    'SELECT service, events_to, ledger_to, debits_to, sent, last_sent, attempts, next_attempt FROM statistics',
  );
  const begin = db.prepare<[Pick<StateRow, 'service' | 'events_to' | 'ledger_to' | 'debits_to'>]>(
    `INSERT OR REPLACE INTO statistics (id, service, events_to, ledger_to, debits_to)
     VALUES (1, :service, :events_to, :ledger_to, :debits_to)`,
  );
  const end = db.prepare('DELETE FROM statistics');
  const counted = db.prepare<[Pick<StateRow, 'events_to' | 'ledger_to' | 'debits_to'>]>(
    'UPDATE statistics SET events_to = :events_to, ledger_to = :ledger_to, debits_to = :debits_to',
  );
  const delivered = db.prepare('UPDATE statistics SET sent = sent + ?, last_sent = ?, attempts = 0, next_attempt = 0');
  const failed = db.prepare('UPDATE statistics SET attempts = ?, next_attempt = ?');
  const insert = db.prepare<[Omit<EventRow, 'seq' | 'tried'>]>(
    'INSERT INTO statistic_events (id, kind, subject, time, body) VALUES (:id, :kind, :subject, :time, :body)',
  );
  const first = db.prepare<[number], EventRow>(`SELECT ${EVENT} FROM statistic_events ORDER BY seq LIMIT ?`);
  const foldable = db.prepare<[], EventRow>(
    `SELECT ${EVENT} FROM statistic_events WHERE tried = 0 AND kind <> 'datadebit' ORDER BY seq`,
  );
  const tried = db.prepare('UPDATE statistic_events SET tried = 1 WHERE seq = ?');
  const rewrite = db.prepare('UPDATE statistic_events SET body = ? WHERE seq = ? AND tried = 0');
  const subjects = db.prepare<[], Pick<EventRow, 'seq' | 'kind' | 'subject'>>(
    'SELECT seq, kind, subject FROM statistic_events',
  );
  const remove = db.prepare('DELETE FROM statistic_events WHERE seq = ?');
  const clear = db.prepare('DELETE FROM statistic_events');
  const waiting = db.prepare<[], number>('SELECT count(*) FROM statistic_events').pluck();

  return {
    state: (): StateRow | undefined => state.get(),
    /** Counts from here on, for this exchange. */
    begin(tx: Transaction, row: Parameters<typeof begin.run>[0]): void {
      void tx;
      clear.run();
      begin.run(row);
    },
    /** Nothing is counted any more, and nothing is left of what was. */
    end(tx: Transaction): void {
      void tx;
      clear.run();
      end.run();
    },
    counted(tx: Transaction, row: Parameters<typeof counted.run>[0]): void {
      void tx;
      counted.run(row);
    },
    insert(tx: Transaction, row: Omit<EventRow, 'seq' | 'tried'>): void {
      void tx;
      insert.run(row);
    },
    first: (count: number): EventRow[] => first.all(count),
    /** All that waits, and what it is of. */
    subjects: () => subjects.all(),
    /** Counts that certainly nobody has yet, in order. */
    foldable: (): EventRow[] => foldable.all(),
    rewrite(tx: Transaction, seq: number, body: string): void {
      void tx;
      rewrite.run(body, seq);
    },
    tried(tx: Transaction, seqs: readonly number[]): void {
      void tx;
      for (const seq of seqs) tried.run(seq);
    },
    remove(tx: Transaction, seqs: readonly number[]): void {
      void tx;
      for (const seq of seqs) remove.run(seq);
    },
    delivered(tx: Transaction, count: number, now: number): void {
      void tx;
      delivered.run(count, now);
    },
    failed(tx: Transaction, attempts: number, next: number): void {
      void tx;
      failed.run(attempts, next);
    },
    waiting: (): number => waiting.get() ?? 0,
  };
};
