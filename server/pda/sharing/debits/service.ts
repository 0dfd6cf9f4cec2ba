import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { hasScope, ownerSessionOf, type Principal } from '../../../platform/auth/principal.ts';
import type { Debit, DebitProposal, DebitState, Narrowing, OwnerDebit } from '../../../wire/debits.ts';
import type { Bundle, NamedBundle } from '../../../wire/query.ts';
import type { AccessSummary } from '../access-log/service.ts';
import type { ReviewService } from '../reviews/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { refuseTooLong, refuseTooManyChanges, refuseTooManyRequests } from './lifecycle/proposal-limits.ts';
import { createTransitions } from './lifecycle/transitions.ts';
import { createDecisions, nothingPending, reviewOf, type Decisions } from './lifecycle/decisions.ts';
import { narrow, narrowingOf, visibleBundle } from './permissions/narrowing-rules.ts';
import type { DebitCache } from './debit-cache.ts';
import type { DebitEvent, DebitNotifier } from './lifecycle/notifier.ts';
import {
  loadDebit,
  sharedBundleOf,
  toDebit,
  toOwnerDebit,
  type NamedGrantedBundle,
  type StoredDebit,
  type StoredPermission,
} from './permissions/mapping.ts';
import {
  requestsSameData,
  checkProposal,
  isUnchangedBy,
  refuseReservedKey,
  requireOwnApplication,
  isSameApplicationId,
} from './lifecycle/proposal-rules.ts';
import {
  activePermissionOf,
  debitState,
  livePermissionsOf,
  periodStartAt,
  renewsAt,
  pendingPermission,
} from './rules.ts';
import type { DebitStore, HistoryEntry, HistoryRow } from './store.ts';

export type { DecisionGuard } from './lifecycle/decisions.ts';
export type { StoredDebit, StoredPermission } from './permissions/mapping.ts';

export type Requester = { kind: 'owner' | 'application' | 'offer'; name: string };

export type Renewal = {
  debit: StoredDebit;
  permission: StoredPermission;
  /** Start of the renewed period in Unix milliseconds. */
  periodStart: number;
};

export type DebitService = Decisions & {
  /**
   * @param session owner session that receives the result
   * @throws Failure already_exists | invalid_input | rate_limited | too_large
   */
  propose(key: string, proposal: DebitProposal, requester: Requester, session?: string): Promise<Debit>;
  /** @throws Failure not_found if the Data Debit does not exist or the caller has no access to it */
  find(key: string, caller: Principal): Debit;
  /**
   * Proposes a Data Debit, or a new permission for an existing one, and approves it in the same transaction: the
   * owner's set-up of the application is the approval. Has no effect if the newest permission is active, is not
   * cancelled and grants exactly this proposal.
   * @param narrowing default: the narrowing of the newest running or scheduled permission, if it requests the same data
   * @throws Failure already_exists | invalid_input
   */
  proposeAndApproveWithin(
    tx: Transaction,
    key: string,
    proposal: DebitProposal,
    requester: Requester,
    narrowing?: Narrowing,
  ): void;
  disableWithin(tx: Transaction, key: string): void;
  /** Erases a Data Debit with its permissions and its history. Only for examples. */
  eraseWithin(tx: Transaction, key: string): void;
  /** @param bundleName required name of the active permission's bundle. Default: any */
  isRunning(key: string, bundleName?: string): boolean;
  /** Returns true if a permission with this bundle runs, or is accepted and starts later. */
  isGranted(key: string, bundleName: string): boolean;
  stateOf(key: string): { state: DebitState; requester: Requester } | undefined;
  requesterNameOf(key: string): string | undefined;
  /** Returns the application's Data Debits in all states, including the one that its set-up created (`app-<id>`). */
  listByApplication(id: string): { dataDebitKey: string; state: string }[];
  /**
   * Returns the bundles and conditions of running and scheduled permissions, for the index manager. Omits pending
   * requests, because indexes slow down writes.
   */
  bundles(): NamedBundle[];

  /** @throws Failure not_found | wrong_state | already_exists | invalid_input | rate_limited | too_large */
  update(key: string, proposal: DebitProposal, caller: Principal): Promise<Debit>;
  /** Yields Data Debits, newest first: all for the owner, its own for an application, none for other principals. */
  list(caller: Principal, skip: number, take: number): IteratorObject<Debit, undefined>;
  /** Records that the caller's owner session has received these Data Debits. */
  recordReviews(principal: Principal, debits: readonly Debit[]): Promise<void>;
  /** @throws Failure not_found */
  ownerView(key: string): OwnerDebit;
  /** Newest first. */
  ownerList(skip: number, take: number): IteratorObject<OwnerDebit, undefined>;
  /** Newest first. `total` can exceed `limit`. */
  pendingRequests(limit: number): { total: number; requests: { debit: StoredDebit; permission: StoredPermission }[] };
  /** Returns the renewals of which the owner is reminded, newest first. */
  recentRenewals(limit: number): Renewal[];
  /** @throws Failure not_found if the Data Debit does not exist or the caller has no access to it */
  findStored(key: string, caller: Principal): StoredDebit;
  /** Oldest first. */
  history(debit: StoredDebit): HistoryRow[];
  /** Returns entries of all Data Debits in the order of their sequence numbers. */
  historyAfter(seq: number, count: number): HistoryEntry[];
  readNewestHistorySeq(): number;
  bundleOfPermission(key: string, permission: string): Bundle | undefined;
};

export type DebitParts = {
  store: DebitStore;
  cache: DebitCache<StoredDebit>;
  writer: Writer;
  notifier: DebitNotifier;
  reviews: ReviewService;
  clock: Clock;
  accessSummaryOf: (key: string) => AccessSummary;
  /** A plain bundle is a bundle without a Data Debit. */
  isPlainBundle: (name: string) => boolean;
  /** Called after each commit that changes a Data Debit. */
  reconcileIndexes: () => void;
};

const REMINDER_SHOWN_MS = 3 * 86_400_000;

const unknownKey = (key: string): Failure => new Failure('not_found', `There is no Data Debit with the key ${key}.`);
const alreadyExists = (key: string): Failure =>
  new Failure('already_exists', `A Data Debit with the key ${key} already exists. Nothing was changed.`);

export const createDebitService = (parts: DebitParts): DebitService => {
  const { store, cache, writer, notifier, reviews, clock } = parts;
  const transitions = createTransitions(parts);
  const { insert, addPermission, accept, cancel } = transitions;
  const load = (key: string): StoredDebit | undefined => loadDebit(store, key);
  const loadCached = cache.find;

  const loadExisting = (key: string): StoredDebit => {
    const debit = load(key);
    if (debit === undefined) throw unknownKey(key);
    return debit;
  };

  const publishChange = (tx: Transaction, key: string, event: DebitEvent, permission: string | null): StoredDebit => {
    const debit = loadExisting(key);
    notifier.publish(tx, debit, event, permission);
    cache.delete(key);
    tx.afterCommit(parts.reconcileIndexes);
    return debit;
  };

  const isOwnApplication = (debit: StoredDebit, caller: Principal): boolean =>
    caller.kind === 'application' &&
    hasScope(caller, 'debits:own') &&
    isSameApplicationId(debit.application, caller.application);

  /**
   * Apart from the owner, only the application itself can read its Data Debit, even if another application's scopes
   * name the key.
   */
  const mayRead = (debit: StoredDebit, caller: Principal): boolean =>
    caller.kind === 'owner' ||
    isOwnApplication(debit, caller) ||
    (debit.application === null && hasScope(caller, `debits:read:${debit.key}`));

  const mayChange = (debit: StoredDebit, caller: Principal): boolean =>
    caller.kind === 'owner' ||
    isOwnApplication(debit, caller) ||
    (debit.requester.kind === 'offer' && hasScope(caller, `debits:propose:${debit.key}`));

  const findStored = (key: string, caller: Principal): StoredDebit => {
    const debit = loadCached(key);
    if (debit === undefined || !mayRead(debit, caller)) throw unknownKey(key);
    return debit;
  };

  const disable = (tx: Transaction, debit: StoredDebit, atPeriodEnd: boolean): void => {
    const canceledPermissions = cancel(tx, debit, atPeriodEnd);
    const last = canceledPermissions.at(-1);
    if (last !== undefined) publishChange(tx, debit.key, 'disabled', last.id);
  };

  const viewOf = (debit: StoredDebit): Debit => toDebit(debit, clock.now());
  const respondTo = (tx: Transaction, debit: StoredDebit, session: string | undefined): Debit => {
    const view = viewOf(debit);
    reviews.recordWithin(tx, session, reviewOf(view));
    return view;
  };
  const renewalOf = (debit: StoredDebit): Renewal | undefined => {
    const now = clock.now();
    const active = activePermissionOf(debit, now);
    if (active === undefined || renewsAt(debit, now) === null) return undefined;
    const reminder = store.lastReminder(debit.id, active.id, now - REMINDER_SHOWN_MS, now);
    if (reminder === undefined) return undefined;
    return { debit, permission: active, periodStart: periodStartAt(active, reminder) };
  };
  const ownerViewOf = (debit: StoredDebit): OwnerDebit =>
    toOwnerDebit(debit, clock.now(), parts.accessSummaryOf(debit.key), renewalOf(debit)?.periodStart ?? null);
  /** Loads Data Debits individually, because a requester's Data Debits can take many megabytes. */
  function* listStored(application: string | undefined, skip: number, take: number): Generator<StoredDebit, undefined> {
    for (const key of store.keys(application, skip, take)) {
      const debit = cache.findWithoutCaching(key);
      if (debit !== undefined) yield debit;
    }
  }

  const isRunningUnchanged = (debit: StoredDebit, proposal: DebitProposal, granted: NamedGrantedBundle): boolean => {
    const active = activePermissionOf(debit, clock.now());
    if (active === undefined || active.canceledAt !== null || active !== debit.permissions.at(-1)) return false;
    return isUnchangedBy(active, { ...proposal, requestApplicationId: debit.application }, granted);
  };

  return {
    propose(key, proposal, requester, session) {
      checkProposal(key, proposal);
      refuseReservedKey(key);
      if (requester.kind !== 'owner') refuseTooLong(proposal);
      if (requester.kind === 'application') requireOwnApplication(requester.name, proposal);
      return writer.write((tx) => {
        if (store.find(key) !== undefined) throw alreadyExists(key);
        if (requester.kind !== 'owner') refuseTooManyRequests(store, requester);
        const permission = insert(tx, key, proposal, requester);
        return respondTo(tx, publishChange(tx, key, 'created', permission), session);
      });
    },

    update(key, proposal, caller) {
      const debit = loadCached(key);
      if (debit === undefined || !mayChange(debit, caller)) throw unknownKey(key);
      checkProposal(key, proposal);
      refuseReservedKey(key);
      requireOwnApplication(debit.application, proposal);
      if (caller.kind !== 'owner') refuseTooLong(proposal);
      return writer.write((tx) => {
        const existing = loadExisting(key);
        if (existing.removedAt !== null)
          throw new Failure('wrong_state', 'The owner has removed this Data Debit. Nothing was changed.');
        if (caller.kind !== 'owner')
          refuseTooManyChanges(store, existing, caller.kind === 'application' ? caller.application : undefined);
        const permission = addPermission(tx, debit.id, proposal, debit);
        return respondTo(tx, publishChange(tx, key, 'updated', permission), ownerSessionOf(caller));
      });
    },

    find: (key, caller) => viewOf(findStored(key, caller)),
    findStored,
    history: (debit) => store.history(debit.id),
    historyAfter: store.historyAfter,
    readNewestHistorySeq: store.readNewestHistorySeq,
    bundleOfPermission(key, id) {
      const permission = loadCached(key)?.permissions.find((candidate) => candidate.id === id);
      return permission === undefined ? undefined : visibleBundle(sharedBundleOf(permission).bundle);
    },

    list: (caller, skip, take) =>
      caller.kind === 'owner'
        ? listStored(undefined, skip, take).map(viewOf)
        : caller.kind === 'application'
          ? listStored(caller.application, skip, take).map(viewOf)
          : [].values(),

    ...createDecisions({
      ...parts,
      transitions,
      loadExisting,
      publishChange,
      disable,
      endPause: notifier.endPause,
      viewOf,
      respondTo,
    }),

    recordReviews: (principal, viewed) => reviews.record(principal, viewed.map(reviewOf)),

    eraseWithin(tx, key) {
      const debit = load(key);
      if (debit === undefined) return;
      store.erase(tx, debit.id);
      reviews.removeWithin(tx, `debit:${key}`);
      cache.delete(key);
      tx.afterCommit(parts.reconcileIndexes);
    },

    ownerView(key) {
      const debit = loadCached(key);
      if (debit === undefined) throw unknownKey(key);
      return ownerViewOf(debit);
    },
    requesterNameOf: (key) => loadCached(key)?.permissions.at(-1)?.terms.requestClientName,
    ownerList: (skip, take) => listStored(undefined, skip, take).map(ownerViewOf),

    pendingRequests(limit) {
      const keys = store.pendingKeys();
      const requests = keys.slice(0, limit).flatMap((key) => {
        const debit = loadCached(key);
        const permission = debit === undefined ? undefined : pendingPermission(debit);
        return debit === undefined || permission === undefined ? [] : [{ debit, permission }];
      });
      return { total: keys.length, requests };
    },

    recentRenewals(limit) {
      const now = clock.now();
      const renewals: Renewal[] = [];
      for (const key of store.remindedKeys(now - REMINDER_SHOWN_MS, now)) {
        const debit = loadCached(key);
        const renewal = debit === undefined ? undefined : renewalOf(debit);
        if (renewal !== undefined) renewals.push(renewal);
        if (renewals.length === limit) break;
      }
      return renewals;
    },

    proposeAndApproveWithin(tx, key, proposal, requester, narrowing) {
      checkProposal(key, proposal);
      const existing = load(key);
      const current = existing === undefined ? undefined : livePermissionsOf(existing, clock.now()).at(-1);
      // The owner's earlier narrowing stays in force while the same data is requested.
      const earlierNarrowing =
        current !== undefined && requestsSameData(current, proposal)
          ? narrowingOf(current.requestedBundle.bundle, sharedBundleOf(current).bundle)
          : undefined;
      const granted = {
        name: proposal.bundle.name,
        bundle: narrow(proposal.bundle.bundle, narrowing ?? earlierNarrowing),
      };
      if (
        existing !== undefined &&
        !(requester.kind === 'application' && isSameApplicationId(existing.application, requester.name))
      )
        throw alreadyExists(key);
      if (existing !== undefined && isRunningUnchanged(existing, proposal, granted)) return;
      if (existing !== undefined) notifier.endPause(tx, existing);
      const id =
        existing === undefined
          ? insert(tx, key, proposal, requester)
          : addPermission(tx, existing.id, proposal, existing);
      // The owner sets the application up again. The removal stays in the history.
      if (existing !== undefined && existing.removedAt !== null) store.setRemoved(tx, existing.id, null);
      publishChange(tx, key, existing === undefined ? 'created' : 'updated', id);
      const pending = pendingPermission(loadExisting(key));
      if (pending === undefined) throw nothingPending();
      const { period, cancelAtPeriodEnd } = proposal;
      accept(tx, loadExisting(key).id, pending, { granted, period, cancelAtPeriodEnd });
      publishChange(tx, key, 'enabled', id);
    },

    disableWithin(tx, key) {
      const debit = load(key);
      if (debit === undefined) return;
      notifier.endPause(tx, debit);
      disable(tx, debit, false);
    },

    stateOf(key) {
      const debit = loadCached(key);
      return debit === undefined ? undefined : { state: debitState(debit, clock.now()), requester: debit.requester };
    },

    isRunning(key, bundleName) {
      const debit = loadCached(key);
      const active = debit === undefined ? undefined : activePermissionOf(debit, clock.now());
      return active !== undefined && (bundleName === undefined || active.requestedBundle.name === bundleName);
    },

    isGranted(key, bundleName) {
      const debit = loadCached(key);
      return (
        debit !== undefined &&
        livePermissionsOf(debit, clock.now()).some(({ requestedBundle: { name } }) => name === bundleName)
      );
    },

    listByApplication: (id) =>
      Array.from(listStored(id, 0, Number.MAX_SAFE_INTEGER), (debit) => ({
        dataDebitKey: debit.key,
        state: debitState(debit, clock.now()),
      })),

    bundles: () =>
      store.openKeys().flatMap((key) => {
        const debit = loadCached(key);
        if (debit === undefined) return [];
        return livePermissionsOf(debit, clock.now()).flatMap((permission) => [
          sharedBundleOf(permission),
          ...(permission.conditions === null ? [] : [permission.conditions]),
        ]);
      }),
  };
};
