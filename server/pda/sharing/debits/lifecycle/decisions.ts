import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Debit, Grant } from '../../../../wire/debits.ts';
import type { ReviewApproval, ReviewService } from '../../reviews/service.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { Changes } from './transitions.ts';
import { narrow } from '../permissions/narrowing-rules.ts';
import type { DebitEvent } from './notifier.ts';
import { invalid } from './proposal-rules.ts';
import type { StoredDebit, StoredPermission } from '../permissions/mapping.ts';
import { acceptedLast, enabling, waitingOf } from '../rules.ts';
import type { DebitStore } from '../store.ts';
import type { Review } from '../../reviews/service.ts';

/**
 * Returns the version of a Data Debit that enabling it would activate: the pending permission, else the one accepted last.
 * Empty for a rejected request, which has neither.
 */
export const reviewOf = ({ dataDebitKey, permissions }: Debit): Review => ({
  subject: `debit:${dataDebitKey}`,
  version: permissions.find(({ state, accepted }) => accepted || state === 'waiting')?.permissionId ?? '',
});

/** Called in the transaction of a decision, before it takes effect. If it throws, the decision fails with that error. */
export type DecidedWithin = (tx: Transaction, debit: StoredDebit, waiting: StoredPermission) => void;

/** What the owner decides about Data Debits. */
export type Decisions = {
  /**
   * Approves the pending permission as it was asked; without one, restarts what was stopped.
   * @param approve false: only restarts; a pending permission, however new, is refused
   * @param approval `version` is the id of the permission that enabling is expected to approve or restart
   * @throws Failure not_found | wrong_state | already_exists
   */
  enable(key: string, approve?: boolean, approval?: ReviewApproval): Promise<Debit>;
  /** Approves the permission that the owner saw, or less. @throws Failure not_found | wrong_state | invalid_input | already_exists */
  grant(key: string, grant: Grant, within?: DecidedWithin, session?: string): Promise<void>;
  /** @param session the owner session that is shown the result, here and below */
  disable(key: string, atPeriodEnd: boolean, session?: string): Promise<Debit>;
  reject(key: string, within?: DecidedWithin, session?: string): Promise<Debit>;
  remove(key: string, session?: string): Promise<Debit>;
};

type DecisionParts = {
  store: DebitStore;
  writer: Writer;
  clock: Clock;
  changes: Changes;
  reviews: Pick<ReviewService, 'requireReviewed'>;
  /** @throws Failure not_found */
  required: (key: string) => StoredDebit;
  /** After a change within a transaction: the debit as it is now, and everybody told. */
  changed: (tx: Transaction, key: string, event: DebitEvent, permission: string | null) => StoredDebit;
  disable: (tx: Transaction, debit: StoredDebit, atPeriodEnd: boolean) => void;
  viewOf: (debit: StoredDebit) => Debit;
  /** What a change answers with. For an owner session that has read the Data Debit, it counts as read. */
  shownTo: (tx: Transaction, debit: StoredDebit, session: string | undefined) => Debit;
};

export const nothingWaits = (): Failure =>
  new Failure('wrong_state', 'No request waits for a decision here. Nothing was changed.');

export const createDecisions = (parts: DecisionParts): Decisions => {
  const { store, writer, clock, changes, reviews, required, changed, disable, viewOf, shownTo } = parts;
  const { accept, beginAgain, cancel } = changes;

  return {
    enable: (key, approve = true, approval = {}) =>
      writer.write((tx) => {
        const debit = required(key);
        const waiting = waitingOf(debit);
        if (waiting !== undefined && !approve)
          throw new Failure(
            'wrong_state',
            'A request waits for a decision. Look at that one first. Nothing was changed.',
          );
        const last = acceptedLast(debit);
        const outcome = enabling(debit, clock.now());
        if (outcome === 'impossible') throw nothingWaits();
        const { subject, version } = reviewOf(viewOf(debit));
        // Enabling again what runs changes nothing, so there is nothing to review.
        if (outcome !== 'unchanged' || approval.version !== undefined)
          reviews.requireReviewed(tx, subject, version, approval);
        switch (outcome) {
          case 'approve':
            if (waiting === undefined) throw nothingWaits();
            accept(tx, debit.id, waiting, {
              granted: waiting.asked,
              period: waiting.askedPeriod,
              cancelAtPeriodEnd: waiting.askedCancelAtPeriodEnd,
            });
            return shownTo(tx, changed(tx, key, 'enabled', waiting.id), approval.session);
          case 'again':
            if (last === undefined) throw nothingWaits();
            return shownTo(tx, changed(tx, key, 'enabled', beginAgain(tx, debit, last)), approval.session);
          case 'unchanged':
            return shownTo(tx, debit, approval.session);
        }
      }),

    grant: (key, { permissionId, narrowing, period, cancelAtPeriodEnd = false }, within, session) =>
      writer.write((tx) => {
        const debit = required(key);
        const waiting = waitingOf(debit);
        if (waiting === undefined) throw nothingWaits();
        reviews.requireReviewed(tx, reviewOf(viewOf(debit)).subject, waiting.id, { version: permissionId });
        if (period !== undefined && period > waiting.askedPeriod)
          throw invalid(
            'body.period',
            'longer than was asked',
            'The period can be shortened only. Nothing was changed.',
          );
        within?.(tx, debit, waiting);
        accept(tx, debit.id, waiting, {
          granted: { name: waiting.asked.name, bundle: narrow(waiting.asked.bundle, narrowing) },
          period: period ?? waiting.askedPeriod,
          cancelAtPeriodEnd: cancelAtPeriodEnd || waiting.askedCancelAtPeriodEnd,
        });
        shownTo(tx, changed(tx, key, 'enabled', waiting.id), session);
      }),

    disable: (key, atPeriodEnd, session) =>
      writer.write((tx) => {
        disable(tx, required(key), atPeriodEnd);
        return shownTo(tx, required(key), session);
      }),

    reject: (key, within, session) =>
      writer.write((tx) => {
        const debit = required(key);
        const waiting = waitingOf(debit);
        if (waiting === undefined) throw nothingWaits();
        within?.(tx, debit, waiting);
        store.reject(tx, waiting.id, clock.now());
        return shownTo(tx, changed(tx, key, 'rejected', waiting.id), session);
      }),

    remove: (key, session) =>
      writer.write((tx) => {
        const debit = required(key);
        if (debit.removedAt !== null) return shownTo(tx, debit, session);
        const waiting = waitingOf(debit);
        cancel(tx, debit, false);
        if (waiting !== undefined) store.reject(tx, waiting.id, clock.now());
        store.setRemoved(tx, debit.id, clock.now());
        return shownTo(tx, changed(tx, key, 'removed', null), session);
      }),
  };
};
