import { setBounded } from '../../../platform/limits/bounded-map.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { hasScope, ownerSessionOf, type Principal } from '../../../platform/auth/principal.ts';
import type { Debit, DebitProposal, DebitState, Narrowing, OwnerDebit } from '../../../wire/debits.ts';
import type { Bundle, NamedBundle } from '../../../wire/query.ts';
import type { LedgerSummary } from '../access-log/service.ts';
import type { ReviewService } from '../reviews/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { refuseTooLong, refuseTooManyPermissions, refuseTooManyWaiting } from './lifecycle/proposal-limits.ts';
import { createChanges } from './lifecycle/transitions.ts';
import { createDecisions, nothingWaits, type Decisions } from './lifecycle/decisions.ts';
import { narrow, shownBundle } from './permissions/narrowing-rules.ts';
import type { DebitEvent, Notices } from './lifecycle/notifier.ts';
import {
  loadDebit,
  readingOf,
  toDebit,
  toOwnerDebit,
  type Granted,
  type StoredDebit,
  type StoredPermission,
} from './permissions/mapping.ts';
import {
  asksForTheSame,
  checkProposal,
  isTheSame,
  requireFreeKey,
  requireOwnApplication,
  sameName,
} from './lifecycle/proposal-rules.ts';
import { reviewOf } from './lifecycle/decisions.ts';
import { activeOf, debitState, liveOf, periodStartAt, renewsAt, waitingOf } from './rules.ts';
import type { DebitStore, HistoryEntry, HistoryRow } from './store.ts';

export type { DecidedWithin } from './lifecycle/decisions.ts';
export type { StoredDebit, StoredPermission } from './permissions/mapping.ts';

/** Who asked for a Data Debit. */
export type Requester = { kind: 'owner' | 'application' | 'offer'; name: string };

/** A permission that went on by itself, and when (Unix milliseconds) its present period began. */
export type Renewal = { debit: StoredDebit; permission: StoredPermission; began: number };

/** What other rooms may do with Data Debits. */
export type DebitService = Decisions & {
  /** @param session the owner session that is shown the result @throws Failure already_exists | invalid_input */
  propose(key: string, proposal: DebitProposal, requester: Requester, session?: string): Promise<Debit>;
  /** @throws Failure not_found, also for a caller who may not know of it */
  find(key: string, caller: Principal): Debit;
  /**
   * Proposes (or updates, if the key belongs to this application) and enables in one step, within a transaction of another
   * room: the owner's set-up of an application is the approval. A request equal to the running one changes nothing.
   */
  agreeWithin(tx: Transaction, key: string, proposal: DebitProposal, requester: Requester, narrowing?: Narrowing): void;
  /** Ends it now (when there is one), within a transaction that another room leads. */
  disableWithin(tx: Transaction, key: string): void;
  /** Erases a Data Debit and its history, within a transaction of another room. For example requests. */
  eraseWithin(tx: Transaction, key: string): void;
  /** Whether a permission of this Data Debit runs whose bundle has this name (any, when none is given). */
  isRunning(key: string, bundleName?: string): boolean;
  /** State and requester of a key; undefined if it never existed. */
  stateOf(key: string): { state: DebitState; requester: Requester } | undefined;
  /** Keys of the Data Debits that an application asked for, its own `app-<id>` included, with their states. */
  ofApplication(id: string): { dataDebitKey: string; state: string }[];
  /** Bundles whose filters get an index. Pending requests get none: before approval they must not slow down writes. */
  bundles(): NamedBundle[];

  /** Adds a permission that waits for the owner. @throws Failure not_found | wrong_state | already_exists | invalid_input */
  update(key: string, proposal: DebitProposal, caller: Principal): Promise<Debit>;
  /** Newest first: of the owner all, of an application its own. */
  list(caller: Principal, skip: number, take: number): Debit[];
  /** Records that a response shows these to the owner session that calls. */
  recordReviews(principal: Principal, shown: readonly Debit[]): Promise<void>;
  /** With what only the owner sees. */
  ownerView(key: string): OwnerDebit;
  ownerList(skip: number, take: number): OwnerDebit[];
  /** Pending decisions, newest first, and their total number. */
  waiting(most: number): { total: number; debits: { debit: StoredDebit; waiting: StoredPermission }[] };
  /** Data Debits that renewed and of which the owner is reminded, newest first. */
  renewed(most: number): Renewal[];
  /** What is stored of it, for a caller who may know of it. @throws Failure not_found */
  stored(key: string, caller: Principal): StoredDebit;
  history(debit: StoredDebit): HistoryRow[];
  /** History of all Data Debits after an entry, in order. */
  historyAfter(entry: number, count: number): HistoryEntry[];
  /** The newest entry; 0 before the first. */
  newestHistory(): number;
  /** What a permission shares, or shared; undefined when there is no such permission. */
  sharedBy(key: string, permission: string): Bundle | undefined;
};

export type DebitParts = {
  store: DebitStore;
  writer: Writer;
  notices: Notices;
  reviews: ReviewService;
  clock: Clock;
  /** Of the calls of `values` of a Data Debit. */
  ledgerOf: (key: string) => LedgerSummary;
  /** Whether a bundle or combinator room knows a bundle of this name. */
  isPlainBundle: (name: string) => boolean;
  /** Hears that other indexes may be needed. */
  settleIndexes: () => void;
};

const MAX_KEPT = 500;
/** Milliseconds for which a reminder stands. */
const REMINDED_FOR_MS = 3 * 86_400_000;

const unknownKey = (key: string): Failure => new Failure('not_found', `There is no Data Debit with the key ${key}.`);
const alreadyThere = (key: string): Failure =>
  new Failure('already_exists', `There is a Data Debit with the key ${key} already. Nothing was changed.`);

export const createDebitService = (parts: DebitParts): DebitService => {
  const { store, writer, notices, reviews, clock } = parts;
  const changes = createChanges(parts);
  const { insert, addPermission, accept, cancel } = changes;
  /** As they are on the disk. Forgotten at each change. */
  const known = new Map<string, StoredDebit>();

  const load = (key: string): StoredDebit | undefined => loadDebit(store, key);

  const remembered = (key: string): StoredDebit | undefined => {
    // What a transaction has changed may yet be undone.
    if (store.inTransaction()) return load(key);
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const debit = load(key);
    if (debit === undefined) return undefined;
    setBounded(known, key, debit, MAX_KEPT);
    return debit;
  };

  const required = (key: string): StoredDebit => {
    const debit = load(key);
    if (debit === undefined) throw unknownKey(key);
    return debit;
  };

  /** After a change within a transaction: the debit as it is now, and everybody told. */
  const changed = (tx: Transaction, key: string, event: DebitEvent, permission: string | null): StoredDebit => {
    const debit = required(key);
    notices.tell(tx, debit, event, permission);
    known.delete(key);
    tx.afterCommit(parts.settleIndexes);
    return debit;
  };

  const asksFor = (debit: StoredDebit, caller: Principal): boolean =>
    caller.kind === 'application' && hasScope(caller, 'debits:own') && sameName(debit.application, caller.application);

  /** What one application asked for is no other's to read, whatever key its rights name: the owner agreed to share with the one. */
  const mayRead = (debit: StoredDebit, caller: Principal): boolean =>
    caller.kind === 'owner' ||
    asksFor(debit, caller) ||
    (debit.application === null && hasScope(caller, `debits:read:${debit.key}`));

  const mayChange = (debit: StoredDebit, caller: Principal): boolean =>
    caller.kind === 'owner' ||
    asksFor(debit, caller) ||
    (debit.requester.kind === 'offer' && hasScope(caller, `debits:propose:${debit.key}`));

  const stored = (key: string, caller: Principal): StoredDebit => {
    const debit = remembered(key);
    if (debit === undefined || !mayRead(debit, caller)) throw unknownKey(key);
    return debit;
  };

  const disable = (tx: Transaction, debit: StoredDebit, atPeriodEnd: boolean): void => {
    const canceled = cancel(tx, debit, atPeriodEnd);
    const last = canceled.at(-1);
    if (last !== undefined) changed(tx, debit.key, 'disabled', last.id);
  };

  const viewOf = (debit: StoredDebit): Debit => toDebit(debit, clock.now());
  /** What a change answers with. For an owner session that has read the Data Debit, it counts as read. */
  const shownTo = (tx: Transaction, debit: StoredDebit, session: string | undefined): Debit => {
    const view = viewOf(debit);
    reviews.recordWithin(tx, session, reviewOf(view));
    return view;
  };
  /** The permission that went on by itself, and when its period began, as long as the owner is reminded of it. */
  const renewalOf = (debit: StoredDebit): Renewal | undefined => {
    const now = clock.now();
    const active = activeOf(debit, now);
    if (active === undefined || renewsAt(debit, now) === null) return undefined;
    const reminded = store.reminded(debit.id, active.id, now - REMINDED_FOR_MS, now);
    return reminded === undefined ? undefined : { debit, permission: active, began: periodStartAt(active, reminded) };
  };
  const ownerViewOf = (debit: StoredDebit): OwnerDebit =>
    toOwnerDebit(debit, clock.now(), parts.ledgerOf(debit.key), renewalOf(debit)?.began ?? null);
  const listed = (application: string | undefined, skip: number, take: number): StoredDebit[] =>
    store.keys(application, skip, take).flatMap((key) => remembered(key) ?? []);

  const runsUnchanged = (debit: StoredDebit, proposal: DebitProposal, granted: Granted): boolean => {
    const active = activeOf(debit, clock.now());
    if (active === undefined || active.canceledAt !== null || active !== debit.permissions.at(-1)) return false;
    return isTheSame(active, { ...proposal, requestApplicationId: debit.application }, granted);
  };

  return {
    propose(key, proposal, requester, session) {
      checkProposal(key, proposal);
      requireFreeKey(key);
      if (requester.kind !== 'owner') refuseTooLong(proposal);
      if (requester.kind === 'application') requireOwnApplication(requester.name, proposal);
      return writer.write((tx) => {
        if (store.find(key) !== undefined) throw alreadyThere(key);
        if (requester.kind !== 'owner') refuseTooManyWaiting(store.waiting(requester));
        const permission = insert(tx, key, proposal, requester);
        return shownTo(tx, changed(tx, key, 'created', permission), session);
      });
    },

    update(key, proposal, caller) {
      const debit = remembered(key);
      if (debit === undefined || !mayChange(debit, caller)) throw unknownKey(key);
      checkProposal(key, proposal);
      requireFreeKey(key);
      requireOwnApplication(debit.application, proposal);
      if (caller.kind !== 'owner') refuseTooLong(proposal);
      return writer.write((tx) => {
        const { removedAt, permissions } = required(key);
        if (removedAt !== null)
          throw new Failure('wrong_state', 'The owner has removed this Data Debit. Nothing was changed.');
        if (caller.kind !== 'owner') refuseTooManyPermissions(permissions.length);
        const permission = addPermission(tx, debit.id, proposal, debit);
        return shownTo(tx, changed(tx, key, 'updated', permission), ownerSessionOf(caller));
      });
    },

    find: (key, caller) => viewOf(stored(key, caller)),
    stored,
    history: (debit) => store.history(debit.id),
    historyAfter: store.historyAfter,
    newestHistory: store.newestHistory,
    sharedBy(key, id) {
      const permission = remembered(key)?.permissions.find((candidate) => candidate.id === id);
      return permission === undefined ? undefined : shownBundle(readingOf(permission).bundle);
    },

    list: (caller, skip, take) =>
      caller.kind === 'owner'
        ? listed(undefined, skip, take).map(viewOf)
        : caller.kind === 'application'
          ? listed(caller.application, skip, take).map(viewOf)
          : [],

    ...createDecisions({ store, writer, clock, changes, reviews, required, changed, disable, viewOf, shownTo }),

    recordReviews: (principal, shown) => reviews.record(principal, shown.map(reviewOf)),

    eraseWithin(tx, key) {
      const debit = load(key);
      if (debit === undefined) return;
      store.erase(tx, debit.id);
      reviews.removeWithin(tx, `debit:${key}`);
      known.delete(key);
      tx.afterCommit(() => {
        known.delete(key);
        parts.settleIndexes();
      });
    },

    ownerView(key) {
      const debit = remembered(key);
      if (debit === undefined) throw unknownKey(key);
      return ownerViewOf(debit);
    },
    ownerList: (skip, take) => listed(undefined, skip, take).map(ownerViewOf),

    waiting(most) {
      const keys = store.waitingKeys();
      const debits = keys.slice(0, most).flatMap((key) => {
        const debit = remembered(key);
        const waiting = debit === undefined ? undefined : waitingOf(debit);
        return debit === undefined || waiting === undefined ? [] : [{ debit, waiting }];
      });
      return { total: keys.length, debits };
    },

    renewed(most) {
      const now = clock.now();
      const found: Renewal[] = [];
      for (const key of store.remindedKeys(now - REMINDED_FOR_MS, now)) {
        const debit = remembered(key);
        const renewal = debit === undefined ? undefined : renewalOf(debit);
        if (renewal !== undefined) found.push(renewal);
        if (found.length === most) break;
      }
      return found;
    },

    agreeWithin(tx, key, proposal, requester, narrowing) {
      checkProposal(key, proposal);
      const before = load(key);
      const running = before === undefined ? undefined : activeOf(before, clock.now());
      // While the same data is asked for, what the owner made less of stays less.
      const kept = narrowing === undefined && running !== undefined && asksForTheSame(running, proposal);
      const granted = kept
        ? readingOf(running)
        : { name: proposal.bundle.name, bundle: narrow(proposal.bundle.bundle, narrowing) };
      if (before !== undefined && !(requester.kind === 'application' && sameName(before.application, requester.name)))
        throw alreadyThere(key);
      if (before !== undefined && runsUnchanged(before, proposal, granted)) return;
      const id =
        before === undefined ? insert(tx, key, proposal, requester) : addPermission(tx, before.id, proposal, before);
      // The owner sets it up again; the earlier removal stays in the history.
      if (before !== undefined && before.removedAt !== null) store.setRemoved(tx, before.id, null);
      changed(tx, key, before === undefined ? 'created' : 'updated', id);
      const waiting = waitingOf(required(key));
      if (waiting === undefined) throw nothingWaits();
      const { period, cancelAtPeriodEnd } = proposal;
      accept(tx, required(key).id, waiting, { granted, period, cancelAtPeriodEnd });
      changed(tx, key, 'enabled', id);
    },

    disableWithin(tx, key) {
      const debit = load(key);
      if (debit !== undefined) disable(tx, debit, false);
    },

    stateOf(key) {
      const debit = remembered(key);
      return debit === undefined ? undefined : { state: debitState(debit, clock.now()), requester: debit.requester };
    },

    isRunning(key, bundleName) {
      const debit = remembered(key);
      const active = debit === undefined ? undefined : activeOf(debit, clock.now());
      return active !== undefined && (bundleName === undefined || active.asked.name === bundleName);
    },

    ofApplication: (id) =>
      listed(id, 0, Number.MAX_SAFE_INTEGER).map((debit) => ({
        dataDebitKey: debit.key,
        state: debitState(debit, clock.now()),
      })),

    bundles: () =>
      store.openKeys().flatMap((key) => {
        const debit = remembered(key);
        if (debit === undefined) return [];
        return liveOf(debit, clock.now()).flatMap((permission) => [
          readingOf(permission),
          ...(permission.conditions === null ? [] : [permission.conditions]),
        ]);
      }),
  };
};
