import { isoTime, type Clock } from '../../../../platform/clock.ts';
import { isTimeDue } from '../../../../platform/async/backoff.ts';
import type { Log } from '../../../../platform/log.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { AccessLogService } from '../../access-log/service.ts';
import type { OutboxService } from '../../webhooks/service.ts';
import type { Endpoints } from '../../../data/records/service.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { DebitCache } from '../debit-cache.ts';
import { loadDebit, sharedBundleOf, type StoredDebit } from '../permissions/mapping.ts';
import { activePermissionOf, livePermissionsOf, permissionState, readablePermissionOf } from '../rules.ts';
import type { DebitStore, ListenerRow } from '../store.ts';

export type DebitEvent =
  | 'created'
  | 'enabled'
  | 'disabled'
  | 'rejected'
  | 'updated'
  | 'ended'
  | 'removed'
  | 'paused'
  | 'resumed'
  | 'values-available';

/** Events of the owner's history that have different names in webhooks. */
const WEBHOOK_EVENTS: Readonly<Partial<Record<DebitEvent, DebitEvent>>> = { paused: 'disabled', resumed: 'enabled' };

/**
 * Reports Data Debit events to requesters (webhooks) and to the owner (history). Renewals are reported only to the
 * owner, and new values only to the requester.
 */
export type DebitNotifier = {
  /**
   * Adds an event to the history, unless it is `values-available`, and enqueues its webhook if there is a callback URL.
   * @param debit state after the change
   */
  publish(tx: Transaction, debit: StoredDebit, event: DebitEvent, permission: string | null, time?: number): void;
  /** Removes a pause. If the pause is over, reports the resumption, unless the Data Debit ended during the pause. */
  endPause(tx: Transaction, debit: StoredDebit): void;
  /** Reports due events without waiting for the timer. For tests. */
  flushDue(): Promise<void>;
  /** Starts the timer. Until then, due events are reported only by `flushDue`. */
  start(): void;
  close(): Promise<void>;
};

/**
 * Minimum time between two `values-available` webhooks of a Data Debit, so that a series of writes triggers only one
 * webhook.
 */
const VALUES_MIN_INTERVAL_MS = 60_000;
/** Minimum time between two renewal reminders of a permission, because a period can be as short as a second. */
const REMINDER_MIN_INTERVAL_MS = 86_400_000;
/** Delay between a write and the check for new values, so that several writes share a check. */
const VALUES_CHECK_DELAY_MS = 1000;
/** Maximum time between two checks, because the machine can sleep and the clock can be changed. */
const MAX_CHECK_INTERVAL_MS = 60_000;
/** Minimum delay after a check that found nothing due, for example because the timer fired early. */
const IDLE_CHECK_MIN_DELAY_MS = 20;

export const createDebitNotifier = (parts: {
  store: DebitStore;
  cache: Pick<DebitCache<StoredDebit>, 'delete'>;
  writer: Writer;
  events: EventService;
  endpoints: Endpoints;
  outbox: OutboxService;
  ledger: Pick<AccessLogService, 'record'>;
  clock: Clock;
  log: Log;
  /** Returns the host[:port] by which others know this PDA. */
  address: () => string;
  reconcileIndexes: () => void;
}): DebitNotifier => {
  const { store, writer, events, endpoints, outbox, ledger, clock, log } = parts;
  let timer: NodeJS.Timeout | undefined;
  let scheduledAt = Number.POSITIVE_INFINITY;
  let isStarted = false;
  let currentFlush: Promise<void> | undefined;
  /** If false, writes skip the check for new values. */
  let hasListeners = false;

  const callbackOf = (debit: StoredDebit): string | undefined =>
    debit.permissions.at(-1)?.terms.requestClientCallbackUrl;

  /** New values are reported to the approved URL, never to the URL of a pending request. */
  const valuesCallbackOf = (debit: StoredDebit): string | undefined =>
    readablePermissionOf(debit, clock.now())?.terms.requestClientCallbackUrl;

  const send = (tx: Transaction, debit: StoredDebit, event: DebitEvent, time: number | undefined): void => {
    const url = event === 'values-available' ? valuesCallbackOf(debit) : callbackOf(debit);
    if (url === undefined) return;
    outbox.enqueue(tx, {
      orderingKey: debit.key,
      event: WEBHOOK_EVENTS[event] ?? event,
      url,
      body: { dataDebitKey: debit.key, pda: parts.address() },
      ...(time === undefined ? {} : { time }),
      ...(event === 'values-available' ? { coalesce: true } : {}),
    });
  };

  /** Starts listening for new values if a running or scheduled permission has a callback URL; otherwise stops. */
  const updateListening = (tx: Transaction, debit: StoredDebit): void => {
    const shouldListen = livePermissionsOf(debit, clock.now()).some(
      ({ terms }) => terms.requestClientCallbackUrl !== undefined,
    );
    store.setListening(tx, debit.id, shouldListen ? events.readNewestSeq() : undefined);
  };

  const logResumption = (tx: Transaction, key: string, until: number): void => {
    ledger.record(tx, {
      who: { kind: 'pda', name: '' },
      action: 'debit-resumed',
      status: 200,
      reason: null,
      consent: { kind: 'debit', name: key, detail: isoTime(until) },
      records: new Map(),
      fields: null,
      bytes: 0,
      address: '',
    });
  };

  const removePause = (tx: Transaction, debit: StoredDebit, now: number): void => {
    const { pausedUntil } = debit;
    if (pausedUntil === null) return;
    store.setPausedUntil(tx, debit.id, null);
    parts.cache.delete(debit.key);
    const active = pausedUntil > now ? undefined : activePermissionOf(debit, pausedUntil);
    if (active === undefined) return;
    publish(tx, { ...debit, pausedUntil: null }, 'resumed', active.id, pausedUntil);
    logResumption(tx, debit.key, pausedUntil);
  };

  const reportResumptions = (tx: Transaction, now: number): void => {
    for (const key of store.endedPauses(now)) {
      const debit = loadDebit(store, key);
      if (debit !== undefined) removePause(tx, debit, now);
    }
  };

  const reportEnds = (tx: Transaction, now: number): void => {
    const endedPermissions = store.endedPermissions(now);
    if (endedPermissions.length > 0) tx.afterCommit(parts.reconcileIndexes);
    for (const { id, key, ends } of endedPermissions) {
      store.markEndReported(tx, id);
      const debit = loadDebit(store, key);
      if (debit === undefined) continue;
      const permission = debit.permissions.find((candidate) => candidate.id === id);
      if (permission === undefined || permissionState(debit, permission, now) === 'replaced') continue;
      publish(tx, debit, 'ended', id, ends);
    }
  };

  /** Returns renewed permissions without a reminder in the current period or in the last `REMINDER_MIN_INTERVAL_MS`. */
  const renewals = (now: number): { id: string; debit: StoredDebit }[] =>
    store.renewedPermissions(now, REMINDER_MIN_INTERVAL_MS).flatMap(({ id, key }) => {
      const debit = loadDebit(store, key);
      return debit === undefined || activePermissionOf(debit, now)?.id !== id ? [] : [{ id, debit }];
    });

  /** Reminds only the owner, because nothing changes for the requester. */
  const reportRenewals = (tx: Transaction, now: number): void => {
    for (const { id, debit } of renewals(now)) {
      store.addHistory(tx, debit.id, { time: now, event: 'renewed', permission: id });
      events.notify(tx, 'debits');
    }
  };

  const endpointsOf = (debit: StoredDebit, now: number): number[] => {
    const active = readablePermissionOf(debit, now);
    if (active === undefined) return [];
    const entries = Object.values(sharedBundleOf(active).bundle).flatMap((property) => property.endpoints);
    const paths = new Set(entries.filter(({ show }) => show !== 'nothing').map(({ endpoint }) => endpoint));
    return [...paths].flatMap((path) => endpoints.find(path) ?? []);
  };

  const scheduleValues = (tx: Transaction, listeners: readonly ListenerRow[], now: number): void => {
    const newestSeq = events.readNewestSeq();
    const from = Math.min(...listeners.map((listener) => listener.events_to));
    if (newestSeq <= from) return;
    const changedEndpoints = events.findChangedEndpoints(from);
    for (const listener of changedEndpoints.size === 0 ? [] : listeners) {
      const debit = loadDebit(store, listener.key);
      if (debit === undefined) continue;
      const isAffected = endpointsOf(debit, now).some((id) => (changedEndpoints.get(id) ?? 0) > listener.events_to);
      if (!isAffected) continue;
      const earliestTime = (listener.last_notified ?? 0) + VALUES_MIN_INTERVAL_MS;
      store.scheduleNotification(tx, listener.id, Math.max(now, earliestTime));
    }
    store.setCheckedTo(tx, newestSeq);
  };

  const reportValues = (tx: Transaction, now: number): void => {
    const listeners = store.listeners();
    if (listeners.length > 0) scheduleValues(tx, listeners, now);
    for (const { id, key, notify_at: due, last_notified: lastNotified } of store.listeners()) {
      if (due === null || !isTimeDue(due, now, VALUES_MIN_INTERVAL_MS)) continue;
      const debit = loadDebit(store, key);
      const active = debit === undefined ? undefined : readablePermissionOf(debit, now);
      store.markNotified(tx, id, active === undefined ? (lastNotified ?? 0) : now);
      if (debit !== undefined && active !== undefined) publish(tx, debit, 'values-available', active.id);
    }
  };

  const rescheduleAfterCommit = (tx: Transaction): void => {
    tx.afterCommit(() => {
      hasListeners = store.listeners().length > 0;
      scheduleNext();
    });
  };

  const publish: DebitNotifier['publish'] = (tx, debit, event, permission, time) => {
    send(tx, debit, event, time);
    if (event !== 'values-available') {
      store.addHistory(tx, debit.id, { time: time ?? clock.now(), event, permission });
      updateListening(tx, debit);
      events.notify(tx, 'debits');
    }
    rescheduleAfterCommit(tx);
  };

  /** Reports what is due and returns the maximum number of milliseconds until the next check. */
  const flush = async (): Promise<number> => {
    const now = clock.now();
    const dueTime = store.nextDueTime();
    const isQuiet =
      (dueTime ?? now + 1) > now && store.listeners().every((row) => row.events_to >= events.readNewestSeq());
    if (isQuiet && renewals(now).length === 0)
      return Math.min(MAX_CHECK_INTERVAL_MS, Math.max(IDLE_CHECK_MIN_DELAY_MS, (dueTime ?? Infinity) - now));
    await writer.write((tx) => {
      // Resumptions are reported first, because a pause and then its permission can have ended while the PDA was not
      // running.
      reportResumptions(tx, clock.now());
      reportEnds(tx, clock.now());
      reportRenewals(tx, clock.now());
      reportValues(tx, clock.now());
      rescheduleAfterCommit(tx);
    });
    return MAX_CHECK_INTERVAL_MS;
  };

  const run = (): void => {
    timer = undefined;
    scheduledAt = Number.POSITIVE_INFINITY;
    currentFlush = flush()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'notifications of Data Debits failed; retrying');
        return MAX_CHECK_INTERVAL_MS;
      })
      .then((delayMs) => {
        currentFlush = undefined;
        scheduleFlush(delayMs);
      });
  };

  const scheduleFlush = (ms: number): void => {
    const delayMs = Math.max(0, ms);
    const time = performance.now() + delayMs;
    if (!isStarted || time >= scheduledAt) return;
    clearTimeout(timer);
    scheduledAt = time;
    timer = setTimeout(run, delayMs).unref();
  };

  const scheduleNext = (): void => {
    if (!isStarted) return;
    const dueTime = store.nextDueTime();
    scheduleFlush(
      dueTime === undefined ? MAX_CHECK_INTERVAL_MS : Math.min(MAX_CHECK_INTERVAL_MS, dueTime - clock.now()),
    );
  };

  const stopListening = events.listen((changes) => {
    if (hasListeners && changes.some(({ kind }) => kind !== 'deleted')) scheduleFlush(VALUES_CHECK_DELAY_MS);
  });

  return {
    publish,
    endPause: (tx, debit) => removePause(tx, debit, clock.now()),
    flushDue: async () => void (await flush()),
    start() {
      isStarted = true;
      hasListeners = store.listeners().length > 0;
      scheduleFlush(0);
    },
    async close() {
      isStarted = false;
      stopListening();
      clearTimeout(timer);
      await currentFlush;
    },
  };
};
