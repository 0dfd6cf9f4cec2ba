import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Debit, Grant } from '../../wire/debits.ts';
import type { Transaction, Writer } from '../storage/index.ts';
import type { Changes } from './changes.ts';
import { narrow } from './narrowing-rules.ts';
import type { DebitEvent } from './notices.ts';
import { invalid } from './proposal-rules.ts';
import type { StoredDebit, StoredPermission } from './records.ts';
import { acceptedLast, enabling, waitingOf } from './rules.ts';
import type { DebitStore } from './store.ts';

/** Hears of a decision in the transaction that makes it, before it is made; what it throws is why nothing is decided. */
export type DecidedWithin = (tx: Transaction, debit: StoredDebit, waiting: StoredPermission) => void;

/** What the owner decides about Data Debits. */
export type Decisions = {
  /**
   * Approves what waits, as it was asked; without that, begins again what was stopped.
   * @param approve false: only begins again; what waits, perhaps since a moment ago, is refused
   * @throws Failure not_found | wrong_state
   */
  enable(key: string, approve?: boolean): Promise<Debit>;
  /** Approves the permission that the owner saw, or less. @throws Failure not_found | wrong_state | invalid_input */
  grant(key: string, grant: Grant, within?: DecidedWithin): Promise<void>;
  disable(key: string, atPeriodEnd: boolean): Promise<Debit>;
  reject(key: string, within?: DecidedWithin): Promise<Debit>;
  remove(key: string): Promise<Debit>;
};

type DecisionParts = {
  store: DebitStore;
  writer: Writer;
  clock: Clock;
  changes: Changes;
  /** @throws Failure not_found */
  required: (key: string) => StoredDebit;
  /** After a change within a transaction: the debit as it is now, and everybody told. */
  changed: (tx: Transaction, key: string, event: DebitEvent, permission: string | null) => StoredDebit;
  disable: (tx: Transaction, debit: StoredDebit, atPeriodEnd: boolean) => void;
  viewOf: (debit: StoredDebit) => Debit;
};

export const nothingWaits = (): Failure =>
  new Failure('wrong_state', 'No request waits for a decision here. Nothing was changed.');

export const createDecisions = (parts: DecisionParts): Decisions => {
  const { store, writer, clock, changes, required, changed, disable, viewOf } = parts;
  const { accept, beginAgain, cancel } = changes;
  return {
    enable: (key, approve = true) =>
      writer.write((tx) => {
        const debit = required(key);
        const waiting = waitingOf(debit);
        if (waiting !== undefined && !approve)
          throw new Failure(
            'wrong_state',
            'A request waits for a decision. Look at that one first. Nothing was changed.',
          );
        const last = acceptedLast(debit);
        switch (enabling(debit, clock.now())) {
          case 'approve':
            if (waiting === undefined) throw nothingWaits();
            accept(tx, waiting, {
              granted: waiting.asked,
              period: waiting.askedPeriod,
              cancelAtPeriodEnd: waiting.askedCancelAtPeriodEnd,
            });
            return viewOf(changed(tx, key, 'enabled', waiting.id));
          case 'again':
            if (last === undefined) throw nothingWaits();
            return viewOf(changed(tx, key, 'enabled', beginAgain(tx, debit, last)));
          case 'unchanged':
            return viewOf(debit);
          case 'impossible':
            throw nothingWaits();
        }
      }),

    grant: (key, { permissionId, narrowing, period, cancelAtPeriodEnd = false }, within) =>
      writer.write((tx) => {
        const debit = required(key);
        const waiting = waitingOf(debit);
        if (waiting === undefined) throw nothingWaits();
        if (waiting.id !== permissionId)
          throw new Failure(
            'wrong_state',
            'Another request waits by now. Look at that one first. Nothing was changed.',
          );
        if (period !== undefined && period > waiting.askedPeriod)
          throw invalid(
            'body.period',
            'longer than was asked',
            'The period can be shortened only. Nothing was changed.',
          );
        within?.(tx, debit, waiting);
        accept(tx, waiting, {
          granted: { name: waiting.asked.name, bundle: narrow(waiting.asked.bundle, narrowing) },
          period: period ?? waiting.askedPeriod,
          cancelAtPeriodEnd: cancelAtPeriodEnd || waiting.askedCancelAtPeriodEnd,
        });
        changed(tx, key, 'enabled', waiting.id);
      }),

    disable: (key, atPeriodEnd) =>
      writer.write((tx) => {
        disable(tx, required(key), atPeriodEnd);
        return viewOf(required(key));
      }),

    reject: (key, within) =>
      writer.write((tx) => {
        const debit = required(key);
        const waiting = waitingOf(debit);
        if (waiting === undefined) throw nothingWaits();
        within?.(tx, debit, waiting);
        store.reject(tx, waiting.id, clock.now());
        return viewOf(changed(tx, key, 'rejected', waiting.id));
      }),

    remove: (key) =>
      writer.write((tx) => {
        const debit = required(key);
        if (debit.removedAt !== null) return viewOf(debit);
        const waiting = waitingOf(debit);
        cancel(tx, debit, false);
        if (waiting !== undefined) store.reject(tx, waiting.id, clock.now());
        store.setRemoved(tx, debit.id, clock.now());
        // Nobody ever agreed to anything under them: a request that took the names of others is not to keep them.
        if (acceptedLast(debit) === undefined) store.freeNames(tx, debit.id);
        return viewOf(changed(tx, key, 'removed', null));
      }),
  };
};
