import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { OutboxService } from '../../webhooks/service.ts';
import type { Endpoints } from '../../../data/records/service.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import { loadDebit, readingOf, type StoredDebit } from '../permissions/mapping.ts';
import { activeOf, liveOf, permissionState } from '../rules.ts';
import type { DebitStore, ListenerRow } from '../store.ts';

export type DebitEvent =
  | 'created'
  | 'enabled'
  | 'disabled'
  | 'rejected'
  | 'updated'
  | 'ended'
  | 'removed'
  | 'values-available';

/** Tells the requester and the owner's pages what happens to Data Debits, also when it is time that makes it happen. */
export type Notices = {
  /** Keeps it in the history and tells the requester, in the transaction of what happened. Call it with the debit as it is afterwards. */
  tell(tx: Transaction, debit: StoredDebit, event: DebitEvent, permission: string | null, time?: number): void;
  /** Tells what is due by now: permissions that time has ended, values that came, to the owner what has renewed. */
  sweep(): Promise<void>;
  start(): void;
  close(): Promise<void>;
};

/** Milliseconds between two messages that there are new values, for one Data Debit. A run of writes is one thing that happened. */
const VALUES_EVERY_MS = 60_000;
/** Milliseconds between two reminders that one permission renewed: a period can be a second. */
const REMIND_EVERY_MS = 86_400_000;
/** Milliseconds in which writes gather before anybody looks which Data Debits they concern. */
const GATHER_MS = 1000;
/** Milliseconds after which the time is looked at again at the latest: a machine sleeps, and a clock is set. */
const LOOK_EVERY_MS = 60_000;
/** Milliseconds after which it is looked again, where a timer was early. */
const EARLY_MS = 20;

export const createNotices = (parts: {
  store: DebitStore;
  writer: Writer;
  events: EventService;
  endpoints: Endpoints;
  outbox: OutboxService;
  clock: Clock;
  log: Log;
  /** host[:port] of this PDA as others know it. */
  address: () => string;
}): Notices => {
  const { store, writer, events, endpoints, outbox, clock, log } = parts;
  let timer: NodeJS.Timeout | undefined;
  let wakesAt = Number.POSITIVE_INFINITY;
  let started = false;
  let sweeping: Promise<void> | undefined;
  /** True if any Data Debit listens for new values; otherwise writes skip the check. */
  let heard = false;

  const callbackOf = (debit: StoredDebit): string | undefined =>
    debit.permissions.at(-1)?.terms.requestClientCallbackUrl;

  /** Change notifications go to the URL that the owner approved, never to a pending one. */
  const valuesCallbackOf = (debit: StoredDebit): string | undefined =>
    activeOf(debit, clock.now())?.terms.requestClientCallbackUrl;

  const send = (tx: Transaction, debit: StoredDebit, event: DebitEvent, time: number | undefined): void => {
    const url = event === 'values-available' ? valuesCallbackOf(debit) : callbackOf(debit);
    if (url === undefined) return;
    outbox.enqueue(tx, {
      lane: debit.key,
      event,
      url,
      body: { dataDebitKey: debit.key, pda: parts.address() },
      ...(time === undefined ? {} : { time }),
      ...(event === 'values-available' ? { coalesce: true } : {}),
    });
  };

  /** Decides whether this Data Debit listens for new values from now on. */
  const listen = (tx: Transaction, debit: StoredDebit): void => {
    const wants = liveOf(debit, clock.now()).some(({ terms }) => terms.requestClientCallbackUrl !== undefined);
    store.setListening(tx, debit.id, wants ? events.newest() : undefined);
  };

  const tellEnds = (tx: Transaction, now: number): void => {
    for (const { id, key, ends } of store.ended(now)) {
      store.endTold(tx, id);
      const debit = loadDebit(store, key);
      if (debit === undefined) continue;
      const permission = debit.permissions.find((one) => one.id === id);
      if (permission === undefined || permissionState(debit, permission, now) === 'replaced') continue;
      tell(tx, debit, 'ended', id, ends);
    }
  };

  /** Permissions that go on by themselves into a period of which the owner was not reminded. */
  const renewals = (now: number): { id: string; debit: StoredDebit }[] =>
    store.renewed(now, REMIND_EVERY_MS).flatMap(({ id, key }) => {
      const debit = loadDebit(store, key);
      return debit === undefined || activeOf(debit, now)?.id !== id ? [] : [{ id, debit }];
    });

  /** For the owner alone: for the requester nothing has changed. */
  const remind = (tx: Transaction, now: number): void => {
    for (const { id, debit } of renewals(now)) {
      store.addHistory(tx, debit.id, { time: now, event: 'renewed', permission: id });
      events.tell(tx, 'debits');
    }
  };

  /** The endpoints of an active permission, by their numbers. */
  const endpointsOf = (debit: StoredDebit, now: number): number[] => {
    const active = activeOf(debit, now);
    if (active === undefined) return [];
    const shown = Object.values(readingOf(active).bundle).flatMap((property) => property.endpoints);
    const paths = new Set(shown.filter(({ show }) => show !== 'nothing').map(({ endpoint }) => endpoint));
    return [...paths].flatMap((path) => endpoints.find(path) ?? []);
  };

  const noteValues = (tx: Transaction, listeners: readonly ListenerRow[], now: number): void => {
    const newest = events.newest();
    const from = Math.min(...listeners.map((listener) => listener.events_to));
    if (newest <= from) return;
    const changed = events.changedSince(from);
    for (const listener of changed.size === 0 ? [] : listeners) {
      const debit = loadDebit(store, listener.key);
      if (debit === undefined) continue;
      const touched = endpointsOf(debit, now).some((id) => (changed.get(id) ?? 0) > listener.events_to);
      if (touched) store.tellAt(tx, listener.id, Math.max(now, (listener.told ?? 0) + VALUES_EVERY_MS));
    }
    store.lookedAt(tx, newest);
  };

  const tellValues = (tx: Transaction, now: number): void => {
    const listeners = store.listeners();
    if (listeners.length > 0) noteValues(tx, listeners, now);
    for (const { id, key, tell_at: due, told } of store.listeners()) {
      // Later than a whole turn from now was set by a clock that has been set back since.
      if (due === null || (due > now && due <= now + VALUES_EVERY_MS)) continue;
      const debit = loadDebit(store, key);
      const active = debit === undefined ? undefined : activeOf(debit, now);
      store.told(tx, id, active === undefined ? (told ?? 0) : now);
      if (debit !== undefined && active !== undefined) tell(tx, debit, 'values-available', active.id);
    }
  };

  /** The subscription is durable; from here on the listeners only have to be read again. */
  const lookAgain = (tx: Transaction): void => {
    tx.afterCommit(() => {
      heard = store.listeners().length > 0;
      arrange();
    });
  };

  const tell: Notices['tell'] = (tx, debit, event, permission, time) => {
    send(tx, debit, event, time);
    if (event !== 'values-available') {
      store.addHistory(tx, debit.id, { time: time ?? clock.now(), event, permission });
      listen(tx, debit);
      events.tell(tx, 'debits');
    }
    lookAgain(tx);
  };

  /** Tells what is due. Resolves with how long nothing will be. */
  const look = async (): Promise<number> => {
    // Nothing due is nothing to write.
    const now = clock.now();
    const moment = store.nextMoment();
    const isQuiet = (moment ?? now + 1) > now && store.listeners().every((row) => row.events_to >= events.newest());
    if (isQuiet && renewals(now).length === 0)
      // A timer may fire a moment early: what it was for is still to come then, in a millisecond and not in a minute.
      return Math.min(LOOK_EVERY_MS, Math.max(EARLY_MS, (moment ?? Infinity) - now));
    await writer.write((tx) => {
      tellEnds(tx, clock.now());
      remind(tx, clock.now());
      tellValues(tx, clock.now());
      lookAgain(tx);
    });
    return LOOK_EVERY_MS;
  };

  const run = (): void => {
    timer = undefined;
    wakesAt = Number.POSITIVE_INFINITY;
    sweeping = look()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'what Data Debits have to tell waits for a better moment');
        return LOOK_EVERY_MS;
      })
      .then((quietMs) => {
        sweeping = undefined;
        wakeIn(quietMs);
      });
  };

  /** Schedules a flush within `ms` milliseconds. */
  const wakeIn = (ms: number): void => {
    const at = performance.now() + Math.max(0, ms);
    if (!started || at >= wakesAt) return;
    clearTimeout(timer);
    wakesAt = at;
    timer = setTimeout(run, Math.max(0, at - performance.now()));
    timer.unref();
  };

  const arrange = (): void => {
    if (!started) return;
    const moment = store.nextMoment();
    wakeIn(moment === undefined ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, moment - clock.now()));
  };

  const stopListening = events.listen((changes) => {
    if (heard && changes.some(({ kind }) => kind !== 'deleted')) wakeIn(GATHER_MS);
  });

  return {
    tell,
    sweep: async () => void (await look()),
    start() {
      started = true;
      heard = store.listeners().length > 0;
      wakeIn(0);
    },
    async close() {
      started = false;
      stopListening();
      clearTimeout(timer);
      await sweeping;
    },
  };
};
