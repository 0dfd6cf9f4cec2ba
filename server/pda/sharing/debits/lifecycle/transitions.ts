import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { DebitProposal } from '../../../../wire/debits.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import { isOwnersBundleName, termsOf } from './proposal-rules.ts';
import {
  sharedBundleOf,
  type NamedGrantedBundle,
  type StoredDebit,
  type StoredPermission,
} from '../permissions/mapping.ts';
import {
  endByTime,
  endOf,
  pendingPermission,
  permissionsToCancel,
  scheduledAfter,
  clearCancellation,
  undoLastCancellation,
} from '../rules.ts';
import type { DebitStore } from '../store.ts';

/** State transitions of Data Debits. They send no notifications. */
export type Transitions = ReturnType<typeof createTransitions>;

type RequestedPermission = Pick<
  StoredPermission,
  | 'start'
  | 'requestedPeriod'
  | 'requestedCancelAtPeriodEnd'
  | 'terms'
  | 'requestedBundle'
  | 'conditions'
  | 'period'
  | 'cancelAtPeriodEnd'
>;

/** `period` is in seconds. */
export type Grant = { granted: NamedGrantedBundle; period: number; cancelAtPeriodEnd: boolean };

export const createTransitions = (parts: {
  store: DebitStore;
  clock: Clock;
  isPlainBundle: (name: string) => boolean;
}) => {
  const { store, clock, isPlainBundle } = parts;

  const nameInUse = (name: string): Failure =>
    new Failure('already_exists', `Another Data Debit or bundle has the name ${name}. Nothing was changed.`);

  const namesOf = ({ name }: NamedBundle, conditions: NamedBundle | null): string[] => {
    if (name === conditions?.name)
      throw new Failure(
        'already_exists',
        `The bundle and its conditions have the same name ${name}. Nothing was changed.`,
      );
    return conditions === null ? [name] : [name, conditions.name];
  };

  /**
   * While a request is pending, its requester cannot use its names for another Data Debit. Other requesters can use
   * them until the request is approved.
   */
  const requireFreeNames = (proposal: DebitProposal, requester: StoredDebit['requester'], debit: number): void => {
    for (const name of namesOf(proposal.bundle, proposal.conditions ?? null)) {
      const boundDebit = store.holderOf(name);
      const isInUse =
        isPlainBundle(name) ||
        (boundDebit !== undefined && boundDebit !== debit) ||
        store.isPendingName(name, requester, debit);
      if (isInUse) throw nameInUse(name);
    }
  };

  const bindNames = (tx: Transaction, debit: number, { requestedBundle, conditions }: StoredPermission): void => {
    for (const name of namesOf(requestedBundle, conditions)) {
      if (isOwnersBundleName(name) || isPlainBundle(name) || !store.bindName(tx, name, debit)) throw nameInUse(name);
    }
  };

  const insertPermission = (
    tx: Transaction,
    debit: number,
    permission: RequestedPermission,
    created = clock.now(),
  ): string => {
    const id = randomUUID();
    store.insertPermission(tx, {
      id,
      debit,
      created,
      start: permission.start,
      asked_period: permission.requestedPeriod,
      asked_cancel: permission.requestedCancelAtPeriodEnd ? 1 : 0,
      terms: JSON.stringify(permission.terms),
      asked: JSON.stringify(permission.requestedBundle),
      conditions: permission.conditions === null ? null : JSON.stringify(permission.conditions),
      period: permission.period,
      cancel_at_period_end: permission.cancelAtPeriodEnd ? 1 : 0,
    });
    return id;
  };

  /** Adds a pending permission and returns its id. @throws Failure already_exists */
  const addPermission = (
    tx: Transaction,
    debit: number,
    proposal: DebitProposal,
    { requester, application }: Pick<StoredDebit, 'requester' | 'application'>,
  ): string => {
    const { start, period, cancelAtPeriodEnd, bundle, conditions = null } = proposal;
    requireFreeNames(proposal, requester, debit);
    return insertPermission(tx, debit, {
      start,
      requestedPeriod: period,
      requestedCancelAtPeriodEnd: cancelAtPeriodEnd,
      terms: termsOf(proposal, application),
      requestedBundle: bundle,
      conditions,
      period,
      cancelAtPeriodEnd,
    });
  };

  /** Inserts a Data Debit with a pending permission and returns the permission's id. @throws Failure already_exists */
  const insert = (
    tx: Transaction,
    key: string,
    proposal: DebitProposal,
    requester: StoredDebit['requester'],
  ): string => {
    // Only the owner can request on behalf of an application. Applications named by other requesters get no access.
    const application =
      requester.kind === 'application'
        ? requester.name
        : requester.kind === 'owner'
          ? (proposal.requestApplicationId ?? null)
          : null;
    const id = store.insert(tx, {
      key,
      requester_kind: requester.kind,
      requester_name: requester.name,
      application,
      created: clock.now(),
    });
    return addPermission(tx, id, proposal, { requester, application });
  };

  /** @param accepted Unix milliseconds; default: now @throws Failure already_exists if a bundle name is in use */
  const accept = (
    tx: Transaction,
    debit: number,
    permission: StoredPermission,
    { granted, period, cancelAtPeriodEnd }: Grant,
    accepted = clock.now(),
  ): void => {
    bindNames(tx, debit, permission);
    store.accept(tx, {
      id: permission.id,
      accepted,
      granted: JSON.stringify(granted),
      period,
      cancel_at_period_end: cancelAtPeriodEnd ? 1 : 0,
      ends: endByTime({ ...permission, period, cancelAtPeriodEnd, acceptedAt: accepted }),
    });
  };

  /**
   * Accepts the request of an earlier permission again, with a different start or grant, and returns the id of the new
   * permission. Scheduled successors are inserted again, because an older permission does not replace a newer
   * permission. A pending request is also inserted again, because only the newest permission can be pending.
   */
  const replace = (
    tx: Transaction,
    debit: StoredDebit,
    permission: StoredPermission,
    { start, ...grant }: Grant & { start: number },
    successors = scheduledAfter(debit, permission, clock.now()),
  ): string => {
    const request = { ...clearCancellation(permission), start };
    const id = insertPermission(tx, debit.id, request);
    accept(tx, debit.id, { ...request, id }, grant);
    for (const successor of successors) {
      const { period, cancelAtPeriodEnd, created, acceptedAt } = successor;
      const copy = { ...successor, id: insertPermission(tx, debit.id, successor, created) };
      const successorGrant = { granted: sharedBundleOf(successor), period, cancelAtPeriodEnd };
      accept(tx, debit.id, copy, successorGrant, acceptedAt ?? clock.now());
    }
    const pending = pendingPermission(debit);
    if (pending !== undefined) insertPermission(tx, debit.id, pending, pending.created);
    return id;
  };

  const cancelPermission = (
    tx: Transaction,
    permission: StoredPermission,
    canceledAt: number,
    atPeriodEnd: boolean,
  ): void =>
    store.cancel(tx, {
      id: permission.id,
      canceled: canceledAt,
      canceled_at_period_end: atPeriodEnd ? 1 : 0,
      was_canceled_at_period_end: permission.canceledAtPeriodEnd ? 1 : 0,
      ends: endByTime({ ...permission, canceledAt, canceledAtPeriodEnd: atPeriodEnd }),
    });

  /**
   * Accepts `first` and `later` again, and returns the id of the first new permission. If the end of the first
   * permission is still ahead, the permission keeps its start and its end, even if a cancellation at period end
   * determined the end. Otherwise, it starts now, or at its start if that is later.
   */
  const restart = (
    tx: Transaction,
    debit: StoredDebit,
    first: StoredPermission,
    later: readonly StoredPermission[],
  ): string => {
    const now = clock.now();
    const { period, cancelAtPeriodEnd } = first;
    const permissionBeforeStop = undoLastCancellation(first);
    const isEndAhead = (endOf(permissionBeforeStop) ?? now) > now;
    const start = isEndAhead ? first.start : Math.max(first.start, now);
    const grant = { start, granted: sharedBundleOf(first), period, cancelAtPeriodEnd };
    const successors = later.map((permission) => ({ ...clearCancellation(permission), acceptedAt: now }));
    const id = replace(tx, debit, first, grant, successors);
    if (isEndAhead && permissionBeforeStop.canceledAt !== null) cancelPermission(tx, { ...first, id }, now, true);
    return id;
  };

  /** Returns the cancelled permissions as they were before the cancellation. */
  const cancel = (tx: Transaction, debit: StoredDebit, atPeriodEnd: boolean): StoredPermission[] => {
    const canceledAt = clock.now();
    const permissions = permissionsToCancel(debit, canceledAt, atPeriodEnd);
    for (const permission of permissions) cancelPermission(tx, permission, canceledAt, atPeriodEnd);
    return permissions;
  };

  return { insert, addPermission, accept, replace, restart, cancel };
};
