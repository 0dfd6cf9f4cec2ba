import type { Database, Transaction } from '../../storage/index.ts';

/** Times are Unix milliseconds. */
export type DebitRow = {
  id: number;
  key: string;
  requester_kind: 'owner' | 'application' | 'offer';
  requester_name: string;
  application: string | null;
  created: number;
  removed: number | null;
  paused_until: number | null;
};

type NewDebit = Omit<DebitRow, 'id' | 'removed' | 'paused_until'>;

/** `asked` and `asked_…` are as requested. Times are Unix milliseconds, periods are seconds, flags are 0 or 1. */
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
  was_canceled_at_period_end: number;
};

type NewPermission = Omit<
  PermissionRow,
  'seq' | 'granted' | 'accepted' | 'rejected' | 'canceled' | 'canceled_at_period_end' | 'was_canceled_at_period_end'
>;

/** `ends` is the time at which the permission expires by itself, in Unix milliseconds. */
type Expiry = { ends: number | null };
export type Acceptance = Pick<PermissionRow, 'id' | 'period' | 'cancel_at_period_end'> &
  Expiry & { accepted: number; granted: string };
type Cancellation = Pick<PermissionRow, 'id' | 'canceled_at_period_end' | 'was_canceled_at_period_end'> &
  Expiry & { canceled: number };
export type HistoryRow = { time: number; event: string; permission: string | null };
export type HistoryEntry = { seq: number; key: string; time: number; event: string };
/** Data Debit with a callback for new values. Times are Unix milliseconds. */
export type ListenerRow = {
  id: number;
  key: string;
  /** Sequence number of the last change event that was checked. */
  events_to: number;
  last_notified: number | null;
  notify_at: number | null;
};

const DEBIT_COLUMNS = 'id, key, requester_kind, requester_name, application, created, removed, paused_until';
const PERMISSION_COLUMNS = `seq, id, debit, created, start, asked_period, asked_cancel, terms, asked, conditions,
  period, cancel_at_period_end, granted, accepted, rejected, canceled, canceled_at_period_end, was_canceled_at_period_end`;
/** Data Debits whose newest permission is pending. */
const PENDING_DEBITS = `FROM debits JOIN debit_permissions AS newest ON newest.seq =
    (SELECT max(seq) FROM debit_permissions WHERE debit = debits.id)
  WHERE removed IS NULL AND newest.accepted IS NULL AND newest.rejected IS NULL`;

export type DebitStore = ReturnType<typeof createDebitStore>;

export const createDebitStore = (db: Database) => {
  const findByKey = db.prepare<[string], DebitRow>(`SELECT ${DEBIT_COLUMNS} FROM debits WHERE key = ?`);
  const keys = db.prepare<[number, number], string>('SELECT key FROM debits ORDER BY id DESC LIMIT ? OFFSET ?').pluck();
  const keysOf = db
    .prepare<[string, number, number], string>(
      'SELECT key FROM debits WHERE application = ? ORDER BY id DESC LIMIT ? OFFSET ?',
    )
    .pluck();
  const openKeys = db.prepare<[], string>('SELECT key FROM debits WHERE removed IS NULL ORDER BY id').pluck();
  const permissions = db.prepare<[number], PermissionRow>(
    `SELECT ${PERMISSION_COLUMNS} FROM debit_permissions WHERE debit = ? ORDER BY seq`,
  );
  const insert = db.prepare<[NewDebit]>(
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
    `UPDATE debit_permissions SET canceled = :canceled, canceled_at_period_end = :canceled_at_period_end,
       was_canceled_at_period_end = :was_canceled_at_period_end, ends = :ends WHERE id = :id`,
  );
  const setRemoved = db.prepare('UPDATE debits SET removed = ? WHERE id = ?');
  const setPausedUntil = db.prepare('UPDATE debits SET paused_until = ? WHERE id = ?');
  const endedPauses = db
    .prepare<[number], string>('SELECT key FROM debits WHERE paused_until <= ? ORDER BY paused_until, id')
    .pluck();
  const bindName = db.prepare('INSERT OR IGNORE INTO debit_bundles (name, debit) VALUES (?, ?)');
  const holderOf = db.prepare<[string], number>('SELECT debit FROM debit_bundles WHERE name = ?').pluck();
  const anyPendingName = db
    .prepare<{ name: string }, number>(
      `SELECT 1 ${PENDING_DEBITS}
         AND :name IN (json_extract(newest.asked, '$.name'), json_extract(newest.conditions, '$.name')) LIMIT 1`,
    )
    .pluck();
  const pendingName = db
    .prepare<{ name: string; kind: string; requester: string; debit: number }, number>(
      `SELECT 1 ${PENDING_DEBITS} AND requester_kind = :kind AND requester_name = :requester COLLATE NOCASE AND debits.id <> :debit
         AND :name IN (json_extract(newest.asked, '$.name'), json_extract(newest.conditions, '$.name')) LIMIT 1`,
    )
    .pluck();
  const eraseDependents = ['debit_history', 'debit_permissions', 'debit_bundles'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE debit = ?`),
  );
  const erase = db.prepare('DELETE FROM debits WHERE id = ?');
  const pendingCount = db
    .prepare<[string, string], number>(
      `SELECT count(*) ${PENDING_DEBITS} AND requester_kind = ? AND requester_name = ? COLLATE NOCASE`,
    )
    .pluck();
  const selectRequestedBytes = `SELECT coalesce(sum(octet_length(asked) + octet_length(terms) + coalesce(octet_length(conditions), 0)), 0)
     FROM debit_permissions`;
  const requestedBytesOf = db.prepare<[number], number>(`${selectRequestedBytes} WHERE debit = ?`).pluck();
  const requestedBytesBy = db
    .prepare<[string], number>(
      `${selectRequestedBytes} JOIN debits ON debits.id = debit
       WHERE removed IS NULL AND requester_kind = 'application' AND requester_name = ? COLLATE NOCASE`,
    )
    .pluck();
  const pendingKeys = db.prepare<[], string>(`SELECT key ${PENDING_DEBITS} ORDER BY newest.seq DESC`).pluck();
  const addHistory = db.prepare('INSERT INTO debit_history (debit, time, event, permission) VALUES (?, ?, ?, ?)');
  const history = db.prepare<[number], HistoryRow>(
    'SELECT time, event, permission FROM debit_history WHERE debit = ? ORDER BY seq',
  );
  const historyAfter = db.prepare<[number, number], HistoryEntry>(
    `SELECT debit_history.seq, debits.key, time, event FROM debit_history JOIN debits ON debits.id = debit
     WHERE debit_history.seq > ? ORDER BY debit_history.seq LIMIT ?`,
  );
  const readNewestHistorySeq = db.prepare<[], number | null>('SELECT max(seq) FROM debit_history').pluck();
  const endedPermissions = db.prepare<[number], { id: string; key: string; ends: number }>(
    `SELECT permission.id, debits.key, permission.ends FROM debit_permissions AS permission
     JOIN debits ON debits.id = permission.debit WHERE permission.ends <= ? ORDER BY permission.ends, permission.seq`,
  );
  // A period begins every `period` seconds from `start` on. A period that began before the approval is not a renewal.
  const renewedPermissions = db.prepare<[{ now: number; intervalMs: number }], { id: string; key: string }>(
    `SELECT id, key FROM (
       SELECT permission.id, permission.debit, debits.key, permission.accepted,
         permission.start + CAST((:now - permission.start) / (permission.period * 1000) AS INTEGER) * permission.period * 1000 AS began
       FROM debit_permissions AS permission JOIN debits ON debits.id = permission.debit
       WHERE removed IS NULL AND permission.accepted IS NOT NULL AND permission.canceled IS NULL
         AND permission.cancel_at_period_end = 0 AND permission.start + permission.period * 1000 <= :now
     ) AS renewing WHERE began > accepted AND NOT EXISTS (
       SELECT 1 FROM debit_history WHERE debit = renewing.debit AND permission = renewing.id AND event = 'renewed'
         AND time BETWEEN min(began, :now - :intervalMs) AND :now)`,
  );
  const lastReminder = db
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
  const markEndReported = db.prepare('UPDATE debit_permissions SET ends = NULL WHERE id = ?');
  const nextDueTime = db
    .prepare<[], number | null>(
      `SELECT min(moment) FROM (SELECT min(ends) AS moment FROM debit_permissions WHERE ends IS NOT NULL
       UNION ALL SELECT min(notify_at) FROM debits WHERE events_to IS NOT NULL
       UNION ALL SELECT min(paused_until) FROM debits WHERE paused_until IS NOT NULL)`,
    )
    .pluck();
  const listeners = db.prepare<[], ListenerRow>(
    `SELECT id, key, events_to, last_notified, notify_at FROM debits
     WHERE events_to IS NOT NULL ORDER BY id`,
  );
  const startListening = db.prepare('UPDATE debits SET events_to = coalesce(events_to, ?) WHERE id = ?');
  const stopListening = db.prepare('UPDATE debits SET events_to = NULL, notify_at = NULL WHERE id = ?');
  const setCheckedTo = db.prepare('UPDATE debits SET events_to = ? WHERE events_to IS NOT NULL');
  const scheduleNotification = db.prepare('UPDATE debits SET notify_at = coalesce(notify_at, ?) WHERE id = ?');
  const markNotified = db.prepare('UPDATE debits SET last_notified = ?, notify_at = NULL WHERE id = ?');

  return {
    isInTransaction: (): boolean => db.inTransaction,
    find(key: string): { debit: DebitRow; permissions: PermissionRow[] } | undefined {
      const debit = findByKey.get(key);
      return debit === undefined ? undefined : { debit, permissions: permissions.all(debit.id) };
    },
    /** Newest first. */
    keys: (application: string | undefined, skip: number, take: number): string[] =>
      application === undefined ? keys.all(take, skip) : keysOf.all(application, take, skip),
    /** Omits removed Data Debits. */
    openKeys: (): string[] => openKeys.all(),
    insert: (_tx: Transaction, row: NewDebit): number => Number(insert.run(row).lastInsertRowid),
    insertPermission: (_tx: Transaction, row: NewPermission) => void insertPermission.run(row),
    accept: (_tx: Transaction, acceptance: Acceptance) => void accept.run(acceptance),
    reject: (_tx: Transaction, id: string, time: number) => void reject.run(time, id),
    cancel: (_tx: Transaction, cancellation: Cancellation) => void cancel.run(cancellation),
    setRemoved: (_tx: Transaction, debit: number, time: number | null) => void setRemoved.run(time, debit),
    /** @param time Unix milliseconds; null ends the pause */
    setPausedUntil: (_tx: Transaction, debit: number, time: number | null) => void setPausedUntil.run(time, debit),
    endedPauses: (now: number): string[] => endedPauses.all(now),
    /** Reserves a bundle name. Returns false if it is reserved for another Data Debit. */
    bindName(_tx: Transaction, name: string, debit: number): boolean {
      bindName.run(name, debit);
      return holderOf.get(name) === debit;
    },
    erase(_tx: Transaction, debit: number): void {
      for (const statement of eraseDependents) statement.run(debit);
      erase.run(debit);
    },
    pendingCount: ({ kind, name }: { kind: string; name: string }): number => pendingCount.get(kind, name) ?? 0,
    requestedBytesOf: (debit: number): number => requestedBytesOf.get(debit) ?? 0,
    /** Includes decided and withdrawn requests, but excludes removed Data Debits. */
    requestedBytes: (application: string): number => requestedBytesBy.get(application) ?? 0,
    /** Returns the keys of Data Debits with a pending request, newest request first. */
    pendingKeys: (): string[] => pendingKeys.all(),
    holderOf: (name: string): number | undefined => holderOf.get(name),
    isPendingName: (name: string, requester: { kind: string; name: string }, debit: number): boolean =>
      pendingName.get({ name, kind: requester.kind, requester: requester.name, debit }) !== undefined,
    isAnyPendingName: (name: string): boolean => anyPendingName.get({ name }) !== undefined,
    hasName: (name: string): boolean => holderOf.get(name) !== undefined,
    addHistory: (_tx: Transaction, debit: number, row: HistoryRow) =>
      void addHistory.run(debit, row.time, row.event, row.permission),
    history: (debit: number): HistoryRow[] => history.all(debit),
    historyAfter: (seq: number, count: number): HistoryEntry[] => historyAfter.all(seq, count),
    readNewestHistorySeq: (): number => readNewestHistorySeq.get() ?? 0,
    endedPermissions: (now: number): { id: string; key: string; ends: number }[] => endedPermissions.all(now),
    renewedPermissions: (now: number, intervalMs: number) => renewedPermissions.all({ now, intervalMs }),
    lastReminder: (debit: number, permission: string, from: number, to: number): number | undefined =>
      lastReminder.get(debit, permission, from, to) ?? undefined,
    /** Returns the keys of Data Debits with a renewal reminder, newest reminder first. */
    remindedKeys: (from: number, to: number): string[] => remindedKeys.all(from, to),
    markEndReported: (_tx: Transaction, permission: string) => void markEndReported.run(permission),
    nextDueTime: (): number | undefined => nextDueTime.get() ?? undefined,
    listeners: (): ListenerRow[] => listeners.all(),
    /**
     * @param from sequence number of the change event after which changes are reported, if the Data Debit has no
     *   listener yet; undefined stops the notifications
     */
    setListening(_tx: Transaction, debit: number, from: number | undefined): void {
      if (from === undefined) stopListening.run(debit);
      else startListening.run(from, debit);
    },
    setCheckedTo: (_tx: Transaction, eventSeq: number) => void setCheckedTo.run(eventSeq),
    /** Has no effect if a notification is already scheduled. */
    scheduleNotification: (_tx: Transaction, debit: number, time: number) => void scheduleNotification.run(time, debit),
    markNotified: (_tx: Transaction, debit: number, time: number) => void markNotified.run(time, debit),
  };
};
