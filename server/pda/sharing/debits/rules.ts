// State of Data Debits and their permissions, as pure functions of stored facts and the current time. Correctness does
// not depend on timers.
//
// A permission is requested (pending), and is then accepted, rejected or withdrawn by a newer request. An accepted
// permission runs from its start to its end:
//
// | cancelled       | ends with its period | end                                                               |
// |-----------------|----------------------|-------------------------------------------------------------------|
// | no              | no                   | none: the permission renews                                       |
// | no              | yes                  | start + period                                                    |
// | immediately     | no                   | the cancellation                                                  |
// | immediately     | yes                  | the cancellation or start + period, whichever is earlier          |
// | at period end   | either               | end of the period in which it was cancelled; the cancellation, if |
// |                 |                      | that was before the start                                         |
//
// The start is inclusive and the end exclusive. If several permissions are accepted, only the newest permission that
// has started can be active: an older permission remains active until a newer permission starts, and does not resume
// when the newer permission ends. A scheduled permission never starts if a newer permission starts earlier or at the
// same time, unless the newer permission is cancelled first.
//
// | Data Debit | when                                                                  |
// |------------|-----------------------------------------------------------------------|
// | removed    | the owner removed it                                                  |
// | enabled    | a permission is active (even while paused) or scheduled               |
// | disabled   | otherwise, if the last accepted permission was cancelled              |
// | ended      | otherwise, if the last accepted permission has expired                |
// | pending    | none was ever accepted, and the newest is pending                     |
// | rejected   | none was ever accepted, and the newest was rejected                   |

import type { DebitState, Permission } from '../../../wire/debits.ts';

/** Times are Unix milliseconds. */
export type PermissionFacts = {
  readonly start: number;
  /** Length of a period in seconds, at least 1. */
  readonly period: number;
  readonly cancelAtPeriodEnd: boolean;
  readonly acceptedAt: number | null;
  readonly rejectedAt: number | null;
  readonly canceledAt: number | null;
  readonly canceledAtPeriodEnd: boolean;
  /** True if the permission was cancelled at period end before it was cancelled immediately. */
  readonly wasCanceledAtPeriodEnd: boolean;
};

/** Stored facts of a Data Debit. Times are Unix milliseconds. */
export type DebitFacts<P extends PermissionFacts = PermissionFacts> = {
  readonly removedAt: number | null;
  /** End of the pause, which may be in the past; null if there is no pause. */
  readonly pausedUntil: number | null;
  /** In the order of the requests. */
  readonly permissions: readonly P[];
};

type PermissionState = Permission['state'];

const periodEndAfter = ({ start, period }: PermissionFacts, time: number): number => {
  const periodMs = period * 1000;
  return start + (Math.floor((time - start) / periodMs) + 1) * periodMs;
};

/** Returns null if the accepted permission renews until it is cancelled. */
export const endOf = (permission: PermissionFacts): number | null => {
  const { start, period, cancelAtPeriodEnd, canceledAt, canceledAtPeriodEnd } = permission;
  const scheduledEnd = cancelAtPeriodEnd ? start + period * 1000 : null;
  if (canceledAt === null) return scheduledEnd;
  const endsWithPeriod = canceledAtPeriodEnd && canceledAt >= start;
  return Math.min(scheduledEnd ?? Infinity, endsWithPeriod ? periodEndAfter(permission, canceledAt) : canceledAt);
};

export const clearCancellation = <P extends PermissionFacts>(permission: P): P => ({
  ...permission,
  canceledAt: null,
  canceledAtPeriodEnd: false,
  wasCanceledAtPeriodEnd: false,
});

/**
 * Undoes the last cancellation. An earlier cancellation at period end was in the same period as a later immediate
 * cancellation, so the time of the immediate cancellation determines the same end.
 */
export const undoLastCancellation = <P extends PermissionFacts>(permission: P): P =>
  permission.wasCanceledAtPeriodEnd
    ? { ...permission, canceledAtPeriodEnd: true, wasCanceledAtPeriodEnd: false }
    : clearCancellation(permission);

/** Returns true if the permission would have ended by now without its last cancellation. */
export const wouldHaveEnded = (permission: PermissionFacts, now: number): boolean => {
  const end = endOf(undoLastCancellation(permission));
  return end !== null && end <= now;
};

/** Returns null if the permission does not expire by itself or was not accepted. */
export const endByTime = (permission: PermissionFacts): number | null => {
  const end = endOf(permission);
  if (permission.acceptedAt === null || end === null) return null;
  return permission.canceledAt !== null && end <= permission.canceledAt ? null : end;
};

/**
 * Returns true if an accepted permission has started. A permission that was cancelled exactly at its start has started,
 * because otherwise its predecessor would resume. The current time does not matter for a cancelled permission, so that
 * it stays ended when the clock is set back.
 */
const hasStarted = ({ start, acceptedAt, canceledAt }: PermissionFacts, now: number): boolean =>
  acceptedAt !== null && (canceledAt === null ? start <= now : canceledAt >= start);

const hasEnded = (permission: PermissionFacts, now: number): boolean => {
  const { canceledAt, canceledAtPeriodEnd } = permission;
  if (canceledAt !== null && !canceledAtPeriodEnd) return true;
  const end = endOf(permission);
  return end !== null && end <= now;
};

/** Returns the running permission. During a pause, the permission is active but no values are shared. */
export const activePermissionOf = <P extends PermissionFacts>(debit: DebitFacts<P>, now: number): P | undefined => {
  if (debit.removedAt !== null) return undefined;
  const newest = debit.permissions.findLast((permission) => hasStarted(permission, now));
  return newest === undefined || hasEnded(newest, now) ? undefined : newest;
};

export const isPaused = ({ removedAt, pausedUntil }: DebitFacts, now: number): boolean =>
  removedAt === null && pausedUntil !== null && now < pausedUntil;

/** Returns the active permission, unless the Data Debit is paused. Values can be read only under this permission. */
export const readablePermissionOf = <P extends PermissionFacts>(debit: DebitFacts<P>, now: number): P | undefined =>
  isPaused(debit, now) ? undefined : activePermissionOf(debit, now);

/** Returns undefined if the Data Debit can be paused until this time. */
export const pauseProblem = (
  debit: DebitFacts,
  until: number,
  now: number,
): 'not-running' | 'in-the-past' | 'after-the-end' | undefined => {
  const active = activePermissionOf(debit, now);
  if (active === undefined) return 'not-running';
  if (until <= now) return 'in-the-past';
  const end = endOf(active);
  return end !== null && until >= end ? 'after-the-end' : undefined;
};

/** Only the newest permission can be pending, because a new request withdraws the previous request. */
export const pendingPermission = <P extends PermissionFacts>(debit: DebitFacts<P>): P | undefined => {
  const newest = debit.permissions.at(-1);
  const isUndecided = newest !== undefined && newest.acceptedAt === null && newest.rejectedAt === null;
  return isUndecided && debit.removedAt === null ? newest : undefined;
};

export const lastAccepted = <P extends PermissionFacts>(debit: DebitFacts<P>): P | undefined =>
  debit.permissions.findLast((permission) => permission.acceptedAt !== null);

const listNewer = <P extends PermissionFacts>({ permissions }: DebitFacts<P>, permission: P): P[] =>
  permissions.slice(permissions.indexOf(permission) + 1);

/**
 * Returns the time at which a newer permission replaces this permission; undefined if none does. A permission that has
 * not started is replaced as soon as a newer permission with the same or an earlier start is accepted, even if both are
 * later cancelled together.
 */
export const replacedAt = (debit: DebitFacts, permission: PermissionFacts, now: number): number | undefined => {
  const startsFirst = ({ start, acceptedAt, canceledAt }: PermissionFacts): boolean =>
    acceptedAt !== null && (canceledAt === null || canceledAt === permission.canceledAt) && start <= permission.start;
  const successors = listNewer(debit, permission).filter((other) => hasStarted(other, now) || startsFirst(other));
  // When an earlier permission changes, a copy of this permission is inserted after it, with the original time of
  // acceptance. The copy does not show when this permission was replaced.
  const others = successors.filter(({ acceptedAt }) => acceptedAt !== permission.acceptedAt);
  const times = (others.length === 0 ? successors : others).map(({ start, acceptedAt }) => {
    const accepted = acceptedAt ?? start;
    // A permission that was accepted after its start time took effect when it was accepted.
    return start <= permission.start ? accepted : Math.max(start, accepted);
  });
  return times.length === 0 ? undefined : Math.min(...times);
};

export const permissionState = (debit: DebitFacts, permission: PermissionFacts, now: number): PermissionState => {
  if (permission.rejectedAt !== null) return 'rejected';
  if (permission.acceptedAt === null) return permission === pendingPermission(debit) ? 'waiting' : 'replaced';
  const end = endOf(permission);
  const replacementTime = replacedAt(debit, permission, now);
  if (end !== null && hasEnded(permission, now) && (replacementTime === undefined || end <= replacementTime))
    return permission.canceledAt === null ? 'ended' : 'disabled';
  if (replacementTime !== undefined) return 'replaced';
  return permission.start > now ? 'scheduled' : 'running';
};

/** Returns the running and scheduled permissions in the order of their requests and starts. */
export const livePermissionsOf = <P extends PermissionFacts>(debit: DebitFacts<P>, now: number): P[] =>
  debit.removedAt !== null
    ? []
    : debit.permissions.filter((permission) => {
        const state = permissionState(debit, permission, now);
        return state === 'running' || state === 'scheduled';
      });

/**
 * Returns the scheduled permissions that will replace `permission`, which is running or scheduled, in the order of
 * requests.
 */
export const scheduledAfter = <P extends PermissionFacts>(debit: DebitFacts<P>, permission: P, now: number): P[] => {
  const newer = new Set(listNewer(debit, permission));
  return livePermissionsOf(debit, now).filter((other) => newer.has(other));
};

export const debitState = (debit: DebitFacts, now: number): DebitState => {
  if (debit.removedAt !== null) return 'removed';
  if (livePermissionsOf(debit, now).length > 0) return 'enabled';
  const last = lastAccepted(debit);
  if (last !== undefined) return last.canceledAt === null ? 'ended' : 'disabled';
  return pendingPermission(debit) === undefined ? 'rejected' : 'pending';
};

/** Returns the effect of enabling. `restart`: the last accepted permission was cancelled or has ended. */
export const enableOutcome = (debit: DebitFacts, now: number): 'approve' | 'restart' | 'unchanged' | 'impossible' => {
  if (debit.removedAt !== null) return 'impossible';
  if (pendingPermission(debit) !== undefined) return 'approve';
  const last = lastAccepted(debit);
  if (last === undefined) return 'impossible';
  return last.canceledAt === null && debitState(debit, now) === 'enabled' ? 'unchanged' : 'restart';
};

/** Returns the newest started permission and all newer permissions; all permissions if none has started. */
const listSinceNewestStart = <P extends PermissionFacts>({ permissions }: DebitFacts<P>, now: number): P[] => {
  const newestStarted = permissions.findLastIndex((permission) => hasStarted(permission, now));
  return permissions.slice(Math.max(0, newestStarted));
};

/**
 * Returns the permissions that disabling cancels: the running permission and all newer accepted permissions; all
 * accepted permissions if none has started. Includes scheduled permissions that a newer permission replaces, because
 * they would start in place of the cancelled newer permission.
 * Omits cancelled permissions, so that their cancellation times never change, unless a permission that was cancelled at
 * period end is now cancelled immediately.
 */
export const permissionsToCancel = <P extends PermissionFacts>(
  debit: DebitFacts<P>,
  now: number,
  atPeriodEnd: boolean,
): P[] =>
  debit.removedAt !== null
    ? []
    : listSinceNewestStart(debit, now).filter(
        (permission) =>
          permission.acceptedAt !== null &&
          !hasEnded(permission, now) &&
          (permission.canceledAt === null || !atPeriodEnd),
      );

/**
 * Returns the permissions that enabling restarts, in the order of their requests and starts: the permissions that were
 * running or scheduled before the newest cancellation. Omits permissions that would have been replaced by now. If
 * others follow, also omits a first permission that would have ended by now. If nothing has been cancelled since the
 * last start, returns only the last accepted permission.
 */
export const permissionsToRestart = <P extends PermissionFacts>(debit: DebitFacts<P>, now: number): P[] => {
  const { permissions } = debit;
  const last = lastAccepted(debit);
  const canceledTimes = listSinceNewestStart(debit, now).flatMap(({ canceledAt }) => canceledAt ?? []);
  const stoppedAt = Math.max(...canceledTimes);
  const permissionsBeforeStop = permissions.map((permission) =>
    permission.canceledAt === stoppedAt ? undoLastCancellation(permission) : permission,
  );
  const liveBeforeStop = livePermissionsOf({ ...debit, permissions: permissionsBeforeStop }, stoppedAt);
  const stoppedPermissions = permissions.filter(
    ({ canceledAt }, index) =>
      canceledAt === stoppedAt && liveBeforeStop.some((other) => other === permissionsBeforeStop[index]),
  );
  if (stoppedPermissions.length === 0) return last === undefined ? [] : [last];
  const newestDue = stoppedPermissions.findLastIndex(({ start }) => start <= now);
  const duePermissions = stoppedPermissions.slice(Math.max(0, newestDue));
  const [first, ...later] = duePermissions;
  return first !== undefined && later.length > 0 && wouldHaveEnded(first, now) ? later : duePermissions;
};

export const renewsAt = (debit: DebitFacts, now: number): number | null => {
  const active = activePermissionOf(debit, now);
  return active === undefined || endOf(active) !== null ? null : periodEndAfter(active, now);
};

export const periodStartAt = (permission: PermissionFacts, time: number): number =>
  periodEndAfter(permission, time) - permission.period * 1000;
