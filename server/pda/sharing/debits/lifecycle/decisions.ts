import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Debit, Grant, PermissionChange } from '../../../../wire/debits.ts';
import type { Review, ReviewApproval, ReviewService } from '../../reviews/service.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { Transitions } from './transitions.ts';
import { applyPermissionChange, isSameGrant } from './change-rules.ts';
import { narrow } from '../permissions/narrowing-rules.ts';
import type { DebitEvent } from './notifier.ts';
import { invalidInput } from './proposal-rules.ts';
import type { StoredDebit, StoredPermission } from '../permissions/mapping.ts';
import {
  activePermissionOf,
  enableOutcome,
  isPaused,
  lastAccepted,
  livePermissionsOf,
  pauseProblem,
  pendingPermission,
  permissionsToRestart,
  wouldHaveEnded,
} from '../rules.ts';
import type { DebitStore } from '../store.ts';

/**
 * Identifies the version that `enable` would activate: the pending permission, otherwise the last accepted one. The
 * version is empty if there is neither.
 */
export const reviewOf = ({ dataDebitKey, permissions }: Debit): Review => ({
  subject: `debit:${dataDebitKey}`,
  version: permissions.find(({ state, accepted }) => accepted || state === 'waiting')?.permissionId ?? '',
});

/** Runs in the transaction before the decision takes effect, and throws to prevent the decision. */
export type DecisionGuard = (tx: Transaction, debit: StoredDebit, pending: StoredPermission) => void;

export type Decisions = {
  /**
   * Approves the pending permission as requested. If none is pending, restarts what was stopped or has ended: the
   * permission that was running applies again at once, and scheduled permissions start at their times. If a permission
   * is running or scheduled and none was stopped, only ends a pause.
   * @param approve if false, fails if a permission is pending, or if the stopped permission would have ended by now
   * @param approval `version` is the id of the permission that the caller expects to be pending or accepted last
   * @throws Failure not_found | wrong_state | already_exists
   */
  enable(key: string, approve?: boolean, approval?: ReviewApproval): Promise<Debit>;
  /**
   * Approves the pending permission, optionally narrowed.
   * @throws Failure not_found | wrong_state | invalid_input | already_exists
   */
  grant(key: string, grant: Grant, guard?: DecisionGuard, session?: string): Promise<void>;
  /**
   * Replaces a permission with one that shares different parts of the request or ends at a different time. Restarts the
   * permission if it has stopped. Later scheduled permissions and a pending request keep their terms and get new ids.
   * @returns the id of the new permission; the same id if nothing changed
   * @throws Failure not_found | wrong_state | invalid_input
   */
  change(key: string, change: PermissionChange, session?: string): Promise<string>;
  /** @param session owner session that receives the result, as in the other methods @throws Failure not_found */
  disable(key: string, atPeriodEnd: boolean, session?: string): Promise<Debit>;
  /**
   * Stops sharing until a time. Replaces an earlier pause.
   * @param until Unix milliseconds
   * @throws Failure not_found | wrong_state | invalid_input
   */
  pause(key: string, until: number, session?: string): Promise<void>;
  /** Ends a pause immediately. @throws Failure not_found | wrong_state if the Data Debit is not paused */
  resume(key: string, session?: string): Promise<void>;
  /** @throws Failure not_found | wrong_state */
  reject(key: string, guard?: DecisionGuard, session?: string): Promise<Debit>;
  /** Stops sharing. Afterwards, only a set-up of the application can use this key again. @throws Failure not_found */
  remove(key: string, session?: string): Promise<Debit>;
};

type DecisionParts = {
  store: DebitStore;
  writer: Writer;
  clock: Clock;
  transitions: Transitions;
  reviews: Pick<ReviewService, 'requireReviewed'>;
  /** @throws Failure not_found */
  loadExisting: (key: string) => StoredDebit;
  publishChange: (tx: Transaction, key: string, event: DebitEvent, permission: string | null) => StoredDebit;
  disable: (tx: Transaction, debit: StoredDebit, atPeriodEnd: boolean) => void;
  endPause: (tx: Transaction, debit: StoredDebit) => void;
  viewOf: (debit: StoredDebit) => Debit;
  /**
   * Returns the response to a change. A session that reviewed the Data Debit before the change has also reviewed the
   * new version.
   */
  respondTo: (tx: Transaction, debit: StoredDebit, session: string | undefined) => Debit;
};

const PAUSE_PROBLEMS = {
  'in-the-past': { problem: 'in the past', reason: 'The pause must end in the future. Nothing was changed.' },
  'after-the-end': {
    problem: 'not before the end of the permission',
    reason: 'The permission would end during the pause. Stop sharing instead. Nothing was changed.',
  },
} as const;

export const nothingPending = (): Failure => new Failure('wrong_state', 'No request is pending. Nothing was changed.');

export const createDecisions = (parts: DecisionParts): Decisions => {
  const { store, writer, clock, transitions, reviews } = parts;
  const { loadExisting, publishChange, disable, endPause, viewOf, respondTo } = parts;
  const { accept, replace, restart, cancel } = transitions;

  const resumeWithin = (tx: Transaction, debit: StoredDebit): StoredDebit => {
    endPause(tx, debit);
    return publishChange(tx, debit.key, 'resumed', activePermissionOf(debit, clock.now())?.id ?? null);
  };

  return {
    enable: (key, approve = true, approval = {}) =>
      writer.write((tx) => {
        const debit = loadExisting(key);
        const pending = pendingPermission(debit);
        if (pending !== undefined && !approve)
          throw new Failure('wrong_state', 'Another request is pending. Review that one first. Nothing was changed.');
        const outcome = enableOutcome(debit, clock.now());
        if (outcome === 'impossible') throw nothingPending();
        const resumesSharing = outcome === 'unchanged' && isPaused(debit, clock.now());
        const { subject, version } = reviewOf(viewOf(debit));
        // If what was accepted already runs or is scheduled, enabling changes nothing, so no review is needed.
        if (outcome !== 'unchanged' || resumesSharing || approval.version !== undefined)
          reviews.requireReviewed(tx, subject, version, approval);
        // Revoking a stop at the end of the period does not end a pause.
        if (outcome === 'approve' || (outcome === 'restart' && activePermissionOf(debit, clock.now()) === undefined))
          endPause(tx, debit);
        switch (outcome) {
          case 'approve':
            if (pending === undefined) throw nothingPending();
            accept(tx, debit.id, pending, {
              granted: pending.requestedBundle,
              period: pending.requestedPeriod,
              cancelAtPeriodEnd: pending.requestedCancelAtPeriodEnd,
            });
            return respondTo(tx, publishChange(tx, key, 'enabled', pending.id), approval.session);
          case 'restart': {
            const [first, ...later] = permissionsToRestart(debit, clock.now());
            if (first === undefined) throw nothingPending();
            if (!approve && first.canceledAt !== null && wouldHaveEnded(first, clock.now()))
              throw new Failure('wrong_state', 'This permission would have ended by now. Nothing was changed.');
            const restartedId = restart(tx, debit, first, later);
            return respondTo(tx, publishChange(tx, key, 'enabled', restartedId), approval.session);
          }
          case 'unchanged':
            return respondTo(tx, resumesSharing ? resumeWithin(tx, debit) : debit, approval.session);
        }
      }),

    grant: (key, { permissionId, narrowing, period, cancelAtPeriodEnd = false }, guard, session) =>
      writer.write((tx) => {
        const debit = loadExisting(key);
        const pending = pendingPermission(debit);
        if (pending === undefined) throw nothingPending();
        reviews.requireReviewed(tx, reviewOf(viewOf(debit)).subject, pending.id, { version: permissionId });
        if (period !== undefined && period > pending.requestedPeriod)
          throw invalidInput(
            'body.period',
            'longer than the requested period',
            'The period cannot be longer than requested. Nothing was changed.',
          );
        guard?.(tx, debit, pending);
        endPause(tx, debit);
        accept(tx, debit.id, pending, {
          granted: { name: pending.requestedBundle.name, bundle: narrow(pending.requestedBundle.bundle, narrowing) },
          period: period ?? pending.requestedPeriod,
          cancelAtPeriodEnd: cancelAtPeriodEnd || pending.requestedCancelAtPeriodEnd,
        });
        respondTo(tx, publishChange(tx, key, 'enabled', pending.id), session);
      }),

    change: (key, { permissionId, ...change }, session) =>
      writer.write((tx) => {
        const debit = loadExisting(key);
        const last = lastAccepted(debit);
        if (last === undefined || debit.removedAt !== null)
          throw new Failure('wrong_state', 'This Data Debit was never granted, or was removed. Nothing was changed.');
        const now = clock.now();
        const livePermissions = livePermissionsOf(debit, now);
        const permission = livePermissions.find(({ id }) => id === permissionId) ?? last;
        reviews.requireReviewed(tx, reviewOf(viewOf(debit)).subject, permission.id, { version: permissionId });
        const isLive = livePermissions.includes(permission);
        const grant = applyPermissionChange(permission, change, { now, isLive });
        if (isLive && isSameGrant(permission, grant)) return permission.id;
        if (!isLive) endPause(tx, debit);
        const id = replace(tx, debit, permission, grant);
        respondTo(tx, publishChange(tx, key, isLive ? 'updated' : 'enabled', id), session);
        return id;
      }),

    disable: (key, atPeriodEnd, session) =>
      writer.write((tx) => {
        if (!atPeriodEnd) endPause(tx, loadExisting(key));
        disable(tx, loadExisting(key), atPeriodEnd);
        return respondTo(tx, loadExisting(key), session);
      }),

    pause: (key, until, session) =>
      writer.write((tx) => {
        const debit = loadExisting(key);
        const now = clock.now();
        const problem = pauseProblem(debit, until, now);
        if (problem === 'not-running')
          throw new Failure('wrong_state', 'This Data Debit shares nothing at the moment. Nothing was changed.');
        if (problem !== undefined)
          throw invalidInput('body.until', PAUSE_PROBLEMS[problem].problem, PAUSE_PROBLEMS[problem].reason);
        endPause(tx, debit);
        store.setPausedUntil(tx, debit.id, until);
        respondTo(tx, publishChange(tx, key, 'paused', activePermissionOf(debit, now)?.id ?? null), session);
      }),

    resume: (key, session) =>
      writer.write((tx) => {
        const debit = loadExisting(key);
        if (!isPaused(debit, clock.now()) || activePermissionOf(debit, clock.now()) === undefined)
          throw new Failure('wrong_state', 'This Data Debit is not paused. Nothing was changed.');
        respondTo(tx, resumeWithin(tx, debit), session);
      }),

    reject: (key, guard, session) =>
      writer.write((tx) => {
        const debit = loadExisting(key);
        const pending = pendingPermission(debit);
        if (pending === undefined) throw nothingPending();
        guard?.(tx, debit, pending);
        store.reject(tx, pending.id, clock.now());
        return respondTo(tx, publishChange(tx, key, 'rejected', pending.id), session);
      }),

    remove: (key, session) =>
      writer.write((tx) => {
        const debit = loadExisting(key);
        if (debit.removedAt !== null) return respondTo(tx, debit, session);
        const pending = pendingPermission(debit);
        endPause(tx, debit);
        cancel(tx, debit, false);
        if (pending !== undefined) store.reject(tx, pending.id, clock.now());
        store.setRemoved(tx, debit.id, clock.now());
        return respondTo(tx, publishChange(tx, key, 'removed', null), session);
      }),
  };
};
