import { randomUUID } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { DebitProposal } from '../../wire/debits.ts';
import type { Transaction } from '../storage/index.ts';
import { termsOf } from './proposal-rules.ts';
import { readingOf, type Granted, type StoredDebit, type StoredPermission } from './records.ts';
import { endByTime, toCancel } from './rules.ts';
import type { DebitStore } from './store.ts';

/** The steps that change a Data Debit, each within a transaction. They tell nobody. */
export type Changes = ReturnType<typeof createChanges>;

export type Agreed = { granted: Granted; period: number; cancelAtPeriodEnd: boolean };

export const createChanges = (parts: { store: DebitStore; clock: Clock; isPlainBundle: (name: string) => boolean }) => {
  const { store, clock, isPlainBundle } = parts;

  const bindNames = (tx: Transaction, debit: number, proposal: DebitProposal): void => {
    const names = [proposal.bundle.name, ...(proposal.conditions ? [proposal.conditions.name] : [])];
    for (const [index, name] of names.entries()) {
      const taken = names.indexOf(name) !== index || isPlainBundle(name) || !store.bindName(tx, name, debit);
      if (taken)
        throw new Failure('already_exists', `There is a bundle with the name ${name} already. Nothing was changed.`);
    }
  };

  const addPermission = (
    tx: Transaction,
    debit: number,
    proposal: DebitProposal,
    application: string | null,
  ): string => {
    const id = randomUUID();
    const { start, period, cancelAtPeriodEnd, bundle, conditions } = proposal;
    bindNames(tx, debit, proposal);
    store.insertPermission(tx, {
      id,
      debit,
      created: clock.now(),
      start,
      asked_period: period,
      asked_cancel: cancelAtPeriodEnd ? 1 : 0,
      terms: JSON.stringify(termsOf(proposal, application)),
      asked: JSON.stringify(bundle),
      conditions: conditions === null || conditions === undefined ? null : JSON.stringify(conditions),
      period,
      cancel_at_period_end: cancelAtPeriodEnd ? 1 : 0,
    });
    return id;
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
    return addPermission(tx, id, proposal, application);
  };

  /** What the owner agrees to, at this moment. */
  const accept = (
    tx: Transaction,
    permission: StoredPermission,
    { granted, period, cancelAtPeriodEnd }: Agreed,
  ): void => {
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

  /** A new entry under what was agreed last: the old one stays in the history as it was. */
  const beginAgain = (tx: Transaction, debit: StoredDebit, last: StoredPermission): string => {
    const id = randomUUID();
    const now = clock.now();
    store.insertPermission(tx, {
      id,
      debit: debit.id,
      created: now,
      start: now,
      asked_period: last.askedPeriod,
      asked_cancel: last.askedCancelAtPeriodEnd ? 1 : 0,
      terms: JSON.stringify(last.terms),
      asked: JSON.stringify(last.asked),
      conditions: last.conditions === null ? null : JSON.stringify(last.conditions),
      period: last.period,
      cancel_at_period_end: last.cancelAtPeriodEnd ? 1 : 0,
    });
    accept(
      tx,
      { ...last, id, start: now, canceledAt: null, canceledAtPeriodEnd: false },
      {
        granted: readingOf(last),
        period: last.period,
        cancelAtPeriodEnd: last.cancelAtPeriodEnd,
      },
    );
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
