import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { DebitProposal } from '../../../../wire/debits.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import { isOwnersName, termsOf } from './proposal-rules.ts';
import { readingOf, type Granted, type StoredDebit, type StoredPermission } from '../permissions/mapping.ts';
import { endByTime, toCancel } from '../rules.ts';
import type { DebitStore } from '../store.ts';

/** State changes of a Data Debit, each within a transaction. They send no notifications. */
export type Changes = ReturnType<typeof createChanges>;

type Wanted = Pick<
  StoredPermission,
  'start' | 'askedPeriod' | 'askedCancelAtPeriodEnd' | 'terms' | 'asked' | 'conditions' | 'period' | 'cancelAtPeriodEnd'
>;

export type Agreed = { granted: Granted; period: number; cancelAtPeriodEnd: boolean };

export const createChanges = (parts: { store: DebitStore; clock: Clock; isPlainBundle: (name: string) => boolean }) => {
  const { store, clock, isPlainBundle } = parts;

  const nameTaken = (name: string): Failure =>
    new Failure('already_exists', `Another Data Debit or bundle has the name ${name}. Nothing was changed.`);

  const namesOf = ({ name }: NamedBundle, conditions: NamedBundle | null): string[] => {
    if (name === conditions?.name) throw nameTaken(name);
    return conditions === null ? [name] : [name, conditions.name];
  };

  /**
   * Refuses names that are in use. Pending requests reserve names only against their own requester: an unapproved request must
   * not block names for others.
   */
  const requireFreeNames = (proposal: DebitProposal, requester: StoredDebit['requester'], debit: number): void => {
    for (const name of namesOf(proposal.bundle, proposal.conditions ?? null)) {
      const holder = store.holderOf(name);
      const isTaken =
        isPlainBundle(name) ||
        (holder !== undefined && holder !== debit) ||
        store.isPendingName(name, requester, debit);
      if (isTaken) throw nameTaken(name);
    }
  };

  /** Names belong to a Data Debit from its first approval on. */
  const bindNames = (tx: Transaction, debit: number, { asked, conditions }: StoredPermission): void => {
    for (const name of namesOf(asked, conditions)) {
      if (isOwnersName(name) || isPlainBundle(name) || !store.bindName(tx, name, debit)) throw nameTaken(name);
    }
  };

  /** Adds a request to the history; earlier ones stay unchanged. */
  const enter = (tx: Transaction, debit: number, wanted: Wanted): string => {
    const id = randomUUID();
    store.insertPermission(tx, {
      id,
      debit,
      created: clock.now(),
      start: wanted.start,
      asked_period: wanted.askedPeriod,
      asked_cancel: wanted.askedCancelAtPeriodEnd ? 1 : 0,
      terms: JSON.stringify(wanted.terms),
      asked: JSON.stringify(wanted.asked),
      conditions: wanted.conditions === null ? null : JSON.stringify(wanted.conditions),
      period: wanted.period,
      cancel_at_period_end: wanted.cancelAtPeriodEnd ? 1 : 0,
    });
    return id;
  };

  const addPermission = (
    tx: Transaction,
    debit: number,
    proposal: DebitProposal,
    { requester, application }: Pick<StoredDebit, 'requester' | 'application'>,
  ): string => {
    const { start, period, cancelAtPeriodEnd, bundle, conditions = null } = proposal;
    requireFreeNames(proposal, requester, debit);
    return enter(tx, debit, {
      start,
      askedPeriod: period,
      askedCancelAtPeriodEnd: cancelAtPeriodEnd,
      terms: termsOf(proposal, application),
      asked: bundle,
      conditions,
      period,
      cancelAtPeriodEnd,
    });
  };

  const insert = (
    tx: Transaction,
    key: string,
    proposal: DebitProposal,
    requester: StoredDebit['requester'],
  ): string => {
    // An owner who asks on behalf of an application names it; of anybody else the name of another one gives that one nothing.
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

  /** Accepts a permission now. @throws Failure already_exists when one of its bundle names was taken since it was proposed */
  const accept = (
    tx: Transaction,
    debit: number,
    permission: StoredPermission,
    { granted, period, cancelAtPeriodEnd }: Agreed,
  ): void => {
    bindNames(tx, debit, permission);
    const accepted = clock.now();
    store.accept(tx, {
      id: permission.id,
      accepted,
      granted: JSON.stringify(granted),
      period,
      cancel_at_period_end: cancelAtPeriodEnd ? 1 : 0,
      ends: endByTime({ ...permission, period, cancelAtPeriodEnd, acceptedAt: accepted }),
    });
  };

  /** Under what was agreed last, from now on. */
  const beginAgain = (tx: Transaction, debit: StoredDebit, last: StoredPermission): string => {
    const again = { ...last, start: clock.now(), canceledAt: null, canceledAtPeriodEnd: false };
    const id = enter(tx, debit.id, again);
    const { period, cancelAtPeriodEnd } = last;
    accept(tx, debit.id, { ...again, id }, { granted: readingOf(last), period, cancelAtPeriodEnd });
    return id;
  };

  const cancel = (tx: Transaction, debit: StoredDebit, atPeriodEnd: boolean): StoredPermission[] => {
    const canceledAt = clock.now();
    const permissions = toCancel(debit, canceledAt, atPeriodEnd);
    for (const permission of permissions) {
      const after = { ...permission, canceledAt, canceledAtPeriodEnd: atPeriodEnd };
      store.cancel(tx, {
        id: permission.id,
        canceled: canceledAt,
        canceled_at_period_end: atPeriodEnd ? 1 : 0,
        ends: endByTime(after),
      });
    }
    return permissions;
  };

  return { insert, addPermission, accept, beginAgain, cancel };
};
