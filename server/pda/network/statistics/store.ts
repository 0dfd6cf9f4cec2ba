import type { Database, Transaction } from '../../storage/index.ts';

/** State of counting and delivery. Times are Unix milliseconds. */
export type StateRow = {
  /** URL of the exchange that receives the reports. */
  service: string;
  /** Cursors: the last change event, access log entry and Data Debit history entry that were processed. */
  events_to: number;
  ledger_to: number;
  debits_to: number;
  sent: number;
  last_sent: number | null;
  attempts: number;
  next_attempt: number;
};
/** Pending report. `tried` is 1 if it may have been delivered. */
export type ReportRow = {
  seq: number;
  id: string;
  kind: 'inbound' | 'outbound' | 'datadebit';
  subject: string;
  time: number;
  tried: number;
  body: string;
};

const REPORT_COLUMNS = 'seq, id, kind, subject, time, tried, body';

export type StatisticsStore = ReturnType<typeof createStatisticsStore>;

export const createStatisticsStore = (db: Database) => {
  const state = db.prepare<[], StateRow>(
    'SELECT service, events_to, ledger_to, debits_to, sent, last_sent, attempts, next_attempt FROM statistics',
  );
  const begin = db.prepare<[Pick<StateRow, 'service' | 'events_to' | 'ledger_to' | 'debits_to'>]>(
    `INSERT OR REPLACE INTO statistics (id, service, events_to, ledger_to, debits_to)
     VALUES (1, :service, :events_to, :ledger_to, :debits_to)`,
  );
  const deleteState = db.prepare('DELETE FROM statistics');
  const setProgress = db.prepare<[Pick<StateRow, 'events_to' | 'ledger_to' | 'debits_to'>]>(
    'UPDATE statistics SET events_to = :events_to, ledger_to = :ledger_to, debits_to = :debits_to',
  );
  const recordDelivery = db.prepare(
    'UPDATE statistics SET sent = sent + ?, last_sent = ?, attempts = 0, next_attempt = 0',
  );
  const recordFailure = db.prepare('UPDATE statistics SET attempts = ?, next_attempt = ?');
  const insert = db.prepare<[Omit<ReportRow, 'seq' | 'tried'>]>(
    'INSERT INTO statistic_events (id, kind, subject, time, body) VALUES (:id, :kind, :subject, :time, :body)',
  );
  const oldestReports = db.prepare<[number], ReportRow>(
    `SELECT ${REPORT_COLUMNS} FROM statistic_events ORDER BY seq LIMIT ?`,
  );
  const mergeableReports = db.prepare<[], ReportRow>(
    `SELECT ${REPORT_COLUMNS} FROM statistic_events WHERE tried = 0 AND kind <> 'datadebit' ORDER BY seq`,
  );
  const markTried = db.prepare('UPDATE statistic_events SET tried = 1 WHERE seq = ?');
  const rewrite = db.prepare('UPDATE statistic_events SET body = ? WHERE seq = ? AND tried = 0');
  const subjects = db.prepare<[], Pick<ReportRow, 'seq' | 'kind' | 'subject'>>(
    'SELECT seq, kind, subject FROM statistic_events',
  );
  const remove = db.prepare('DELETE FROM statistic_events WHERE seq = ?');
  const clear = db.prepare('DELETE FROM statistic_events');
  const pendingCount = db.prepare<[], number>('SELECT count(*) FROM statistic_events').pluck();

  return {
    state: (): StateRow | undefined => state.get(),
    /** Discards the pending reports and starts counting for an exchange. */
    begin(_tx: Transaction, row: Parameters<typeof begin.run>[0]): void {
      clear.run();
      begin.run(row);
    },
    /** Discards the pending reports and stops counting. */
    end(_tx: Transaction): void {
      clear.run();
      deleteState.run();
    },
    setProgress: (_tx: Transaction, row: Parameters<typeof setProgress.run>[0]) => void setProgress.run(row),
    insert: (_tx: Transaction, row: Omit<ReportRow, 'seq' | 'tried'>) => void insert.run(row),
    oldestReports: (count: number): ReportRow[] => oldestReports.all(count),
    subjects: () => subjects.all(),
    mergeableReports: (): ReportRow[] => mergeableReports.all(),
    rewrite: (_tx: Transaction, seq: number, body: string) => void rewrite.run(body, seq),
    markTried(_tx: Transaction, seqs: readonly number[]): void {
      for (const seq of seqs) markTried.run(seq);
    },
    remove(_tx: Transaction, seqs: readonly number[]): void {
      for (const seq of seqs) remove.run(seq);
    },
    recordDelivery: (_tx: Transaction, count: number, now: number) => void recordDelivery.run(count, now),
    recordFailure: (_tx: Transaction, attempts: number, nextAttempt: number) =>
      void recordFailure.run(attempts, nextAttempt),
    pendingCount: (): number => pendingCount.get() ?? 0,
  };
};
