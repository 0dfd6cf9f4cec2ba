import type { Database, Transaction } from '../../storage/index.ts';

export type DebitRow = {
  id: number;
  key: string;
  requester_kind: 'owner' | 'application' | 'offer';
  requester_name: string;
  application: string | null;
  created: number;
  removed: number | null;
};

export type PermissionRow = {
  seq: number;
  id: string;
  debit: number;
  created: number;
  start: number;
  asked_period: number;
  asked_cancel: number;
  terms: string;
  asked: string;
  conditions: string | null;
  period: number;
  cancel_at_period_end: number;
  granted: string | null;
  accepted: number | null;
  rejected: number | null;
  canceled: number | null;
  canceled_at_period_end: number;
};

export type NewPermission = Omit<
  PermissionRow,
  'seq' | 'granted' | 'accepted' | 'rejected' | 'canceled' | 'canceled_at_period_end'
>;

export type Acceptance = {
  id: string;
  accepted: number;
  granted: string;
  period: number;
  cancel_at_period_end: number;
  ends: number | null;
};
export type Cancellation = { id: string; canceled: number; canceled_at_period_end: number; ends: number | null };
export type HistoryRow = { time: number; event: string; permission: string | null };
/** A history entry with its number and the key of the Data Debit. */
export type HistoryEntry = { seq: number; key: string; time: number; event: string };
/** A Data Debit that listens for new values. */
export type ListenerRow = { id: number; key: string; events_to: number; told: number | null; tell_at: number | null };

const DEBIT = 'id, key, requester_kind, requester_name, application, created, removed';
const PERMISSION = `seq, id, debit, created, start, asked_period, asked_cancel, terms, asked, conditions, period, cancel_at_period_end,
  granted, accepted, rejected, canceled, canceled_at_period_end`;
/** Data Debits whose newest permission wants a decision. */
const WAITING = `FROM debits JOIN debit_permissions AS newest ON newest.seq =
    (SELECT max(seq) FROM debit_permissions WHERE debit = debits.id)
  WHERE removed IS NULL AND newest.accepted IS NULL AND newest.rejected IS NULL`;

export type DebitStore = ReturnType<typeof createDebitStore>;

export const createDebitStore = (db: Database) => {
  const byKey = db.prepare<[string], DebitRow>(`SELECT ${DEBIT} FROM debits WHERE key = ?`);
  const keys = db.prepare<[number, number], string>('SELECT key FROM debits ORDER BY id DESC LIMIT ? OFFSET ?').pluck();
  const keysOf = db
    .prepare<[string, number, number], string>(
      'SELECT key FROM debits WHERE application = ? ORDER BY id DESC LIMIT ? OFFSET ?',
    )
    .pluck();
  const openKeys = db.prepare<[], string>('SELECT key FROM debits WHERE removed IS NULL ORDER BY id').pluck();
  const permissions = db.prepare<[number], PermissionRow>(
    `SELECT ${PERMISSION} FROM debit_permissions WHERE debit = ? ORDER BY seq`,
  );
  const insert = db.prepare<[Omit<DebitRow, 'id' | 'removed'>]>(
    `INSERT INTO debits (key, requester_kind, requester_name, application, created)
     VALUES (:key, :requester_kind, :requester_name, :application, :created)`,
  );
  const insertPermission = db.prepare<[NewPermission]>(
    `INSERT INTO debit_permissions
       (id, debit, created, start, asked_period, asked_cancel, terms, asked, conditions, period, cancel_at_period_end)
     VALUES (:id, :debit, :created, :start, :asked_period, :asked_cancel, :terms, :asked, :conditions, :period, :cancel_at_period_end)`,
  );
  const accept = db.prepare<[Acceptance]>(
    `UPDATE debit_permissions SET accepted = :accepted, granted = :granted, period = :period,
       cancel_at_period_end = :cancel_at_period_end, ends = :ends WHERE id = :id`,
  );
  const reject = db.prepare('UPDATE debit_permissions SET rejected = ? WHERE id = ?');
  const cancel = db.prepare<[Cancellation]>(
    `UPDATE debit_permissions SET canceled = :canceled, canceled_at_period_end = :canceled_at_period_end, ends = :ends
     WHERE id = :id`,
  );
  const setRemoved = db.prepare('UPDATE debits SET removed = ? WHERE id = ?');
  const bindName = db.prepare('INSERT OR IGNORE INTO debit_bundles (name, debit) VALUES (?, ?)');
  const holderOf = db.prepare<[string], number>('SELECT debit FROM debit_bundles WHERE name = ?').pluck();
  const anyPendingName = db
    .prepare<{ name: string }, number>(
      `SELECT 1 ${WAITING}
         AND :name IN (json_extract(newest.asked, '$.name'), json_extract(newest.conditions, '$.name')) LIMIT 1`,
    )
    .pluck();
  const pendingName = db
    .prepare<{ name: string; kind: string; requester: string; debit: number }, number>(
      `SELECT 1 ${WAITING} AND requester_kind = :kind AND requester_name = :requester COLLATE NOCASE AND debits.id <> :debit
         AND :name IN (json_extract(newest.asked, '$.name'), json_extract(newest.conditions, '$.name')) LIMIT 1`,
    )
    .pluck();
  const eraseOf = ['debit_history', 'debit_permissions', 'debit_bundles'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE debit = ?`),
  );
  const erase = db.prepare('DELETE FROM debits WHERE id = ?');
  const waiting = db
    .prepare<[string, string], number>(
      `SELECT count(*) ${WAITING} AND requester_kind = ? AND requester_name = ? COLLATE NOCASE`,
    )
    .pluck();
  const waitingKeys = db.prepare<[], string>(`SELECT key ${WAITING} ORDER BY newest.seq DESC`).pluck();
  const addHistory = db.prepare('INSERT INTO debit_history (debit, time, event, permission) VALUES (?, ?, ?, ?)');
  const history = db.prepare<[number], HistoryRow>(
    'SELECT time, event, permission FROM debit_history WHERE debit = ? ORDER BY seq',
  );
  const historyAfter = db.prepare<[number, number], HistoryEntry>(
    `SELECT debit_history.seq, debits.key, time, event FROM debit_history JOIN debits ON debits.id = debit
     WHERE debit_history.seq > ? ORDER BY debit_history.seq LIMIT ?`,
  );
  const newestHistory = db.prepare<[], number | null>('SELECT max(seq) FROM debit_history').pluck();
  const ended = db.prepare<[number], { id: string; key: string; ends: number }>(
    `SELECT permission.id, debits.key, permission.ends FROM debit_permissions AS permission
     JOIN debits ON debits.id = permission.debit WHERE permission.ends <= ? ORDER BY permission.ends, permission.seq`,
  );
  // A period begins again after start + period, + period…; one that began before the owner agreed was not renewed.
  const renewed = db.prepare<[{ now: number; often: number }], { id: string; key: string }>(
    `SELECT id, key FROM (
       SELECT permission.id, permission.debit, debits.key, permission.accepted,
         permission.start + CAST((:now - permission.start) / (permission.period * 1000) AS INTEGER) * permission.period * 1000 AS began
       FROM debit_permissions AS permission JOIN debits ON debits.id = permission.debit
       WHERE removed IS NULL AND permission.accepted IS NOT NULL AND permission.canceled IS NULL
         AND permission.cancel_at_period_end = 0 AND permission.start + permission.period * 1000 <= :now
     ) AS renewing WHERE began > accepted AND NOT EXISTS (
       SELECT 1 FROM debit_history WHERE debit = renewing.debit AND permission = renewing.id AND event = 'renewed'
         AND time BETWEEN min(began, :now - :often) AND :now)`,
  );
  const reminded = db
    .prepare<[number, string, number, number], number | null>(
      `SELECT max(time) FROM debit_history
       WHERE debit = ? AND permission = ? AND event = 'renewed' AND time BETWEEN ? AND ?`,
    )
    .pluck();
  const remindedKeys = db
    .prepare<[number, number], string>(
      `SELECT key FROM debits JOIN debit_permissions AS permission ON permission.debit = debits.id
         JOIN debit_history ON debit_history.debit = debits.id AND debit_history.permission = permission.id
       WHERE removed IS NULL AND permission.accepted IS NOT NULL AND permission.canceled IS NULL AND cancel_at_period_end = 0
         AND event = 'renewed' AND time BETWEEN ? AND ?
       GROUP BY key ORDER BY max(time) DESC`,
    )
    .pluck();
  const endTold = db.prepare('UPDATE debit_permissions SET ends = NULL WHERE id = ?');
  const next = db
    .prepare<[], number | null>(
      `SELECT min(moment) FROM (SELECT min(ends) AS moment FROM debit_permissions WHERE ends IS NOT NULL
       UNION ALL SELECT min(tell_at) FROM debits WHERE events_to IS NOT NULL)`,
    )
    .pluck();
  const listeners = db.prepare<[], ListenerRow>(
    'SELECT id, key, events_to, told, tell_at FROM debits WHERE events_to IS NOT NULL ORDER BY id',
  );
  const listens = db.prepare('UPDATE debits SET events_to = coalesce(events_to, ?) WHERE id = ?');
  const listensNoMore = db.prepare('UPDATE debits SET events_to = NULL, tell_at = NULL WHERE id = ?');
  const lookedAt = db.prepare('UPDATE debits SET events_to = ? WHERE events_to IS NOT NULL');
  const tellAt = db.prepare('UPDATE debits SET tell_at = coalesce(tell_at, ?) WHERE id = ?');
  const told = db.prepare('UPDATE debits SET told = ?, tell_at = NULL WHERE id = ?');

  return {
    inTransaction: (): boolean => db.inTransaction,
    find(key: string): { debit: DebitRow; permissions: PermissionRow[] } | undefined {
      const debit = byKey.get(key);
      return debit === undefined ? undefined : { debit, permissions: permissions.all(debit.id) };
    },
    /** Keys, newest first. */
    keys: (application: string | undefined, skip: number, take: number): string[] =>
      application === undefined ? keys.all(take, skip) : keysOf.all(application, take, skip),
    /** Keys of those that are not removed. */
    openKeys: (): string[] => openKeys.all(),
    insert(tx: Transaction, row: Omit<DebitRow, 'id' | 'removed'>): number {
      void tx;
      return Number(insert.run(row).lastInsertRowid);
    },
    insertPermission(tx: Transaction, row: NewPermission): void {
      void tx;
      insertPermission.run(row);
    },
    accept(tx: Transaction, acceptance: Acceptance): void {
      void tx;
      accept.run(acceptance);
    },
    reject(tx: Transaction, id: string, time: number): void {
      void tx;
      reject.run(time, id);
    },
    cancel(tx: Transaction, cancellation: Cancellation): void {
      void tx;
      cancel.run(cancellation);
    },
    setRemoved(tx: Transaction, debit: number, time: number | null): void {
      void tx;
      setRemoved.run(time, debit);
    },
    /** Takes a name for a Data Debit. False when another one holds it. */
    bindName(tx: Transaction, name: string, debit: number): boolean {
      void tx;
      bindName.run(name, debit);
      return holderOf.get(name) === debit;
    },
    /** All that is known of it. */
    erase(tx: Transaction, debit: number): void {
      void tx;
      for (const statement of eraseOf) statement.run(debit);
      erase.run(debit);
    },
    /** Data Debits of a requester that want a decision. */
    waiting: ({ kind, name }: { kind: string; name: string }): number => waiting.get(kind, name) ?? 0,
    /** Keys of all that want a decision; who asked last comes first. */
    waitingKeys: (): string[] => waitingKeys.all(),
    /** The approved Data Debit that a bundle name belongs to. */
    holderOf: (name: string): number | undefined => holderOf.get(name),
    /** Whether a pending request of this requester names a bundle so, other than the request of this Data Debit. */
    isPendingName: (name: string, requester: { kind: string; name: string }, debit: number): boolean =>
      pendingName.get({ name, kind: requester.kind, requester: requester.name, debit }) !== undefined,
    /** Whether any pending request names a bundle so. */
    isAnyPendingName: (name: string): boolean => anyPendingName.get({ name }) !== undefined,
    holdsName: (name: string): boolean => holderOf.get(name) !== undefined,
    addHistory(tx: Transaction, debit: number, row: HistoryRow): void {
      void tx;
      addHistory.run(debit, row.time, row.event, row.permission);
    },
    history: (debit: number): HistoryRow[] => history.all(debit),
    /** History of all Data Debits after an entry, in order. */
    historyAfter: (seq: number, count: number): HistoryEntry[] => historyAfter.all(seq, count),
    newestHistory: (): number => newestHistory.get() ?? 0,
    /** Expired permissions whose end was not yet reported. */
    ended: (now: number): { id: string; key: string; ends: number }[] => ended.all(now),
    /** Renewed permissions without a reminder in the last `often` milliseconds. */
    renewed: (now: number, often: number): { id: string; key: string }[] => renewed.all({ now, often }),
    /** When the owner was reminded last, between two moments, that a permission has renewed. */
    reminded: (debit: number, permission: string, from: number, to: number): number | undefined =>
      reminded.get(debit, permission, from, to) ?? undefined,
    /** Keys of those of which the owner was reminded between two moments, the newest first. */
    remindedKeys: (from: number, to: number): string[] => remindedKeys.all(from, to),
    endTold(tx: Transaction, permission: string): void {
      void tx;
      endTold.run(permission);
    },
    /** When something is due the next time. */
    nextMoment: (): number | undefined => next.get() ?? undefined,
    listeners: (): ListenerRow[] => listeners.all(),
    /** @param from data event after which changes count; undefined stops listening */
    setListening(tx: Transaction, debit: number, from: number | undefined): void {
      void tx;
      if (from === undefined) listensNoMore.run(debit);
      else listens.run(from, debit);
    },
    lookedAt(tx: Transaction, event: number): void {
      void tx;
      lookedAt.run(event);
    },
    tellAt(tx: Transaction, debit: number, time: number): void {
      void tx;
      tellAt.run(time, debit);
    },
    told(tx: Transaction, debit: number, time: number): void {
      void tx;
      told.run(time, debit);
    },
  };
};
