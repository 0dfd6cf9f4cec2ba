/**
 * When a Data Debit shares, as pure functions of facts and the time. Nothing has to happen at a moment for this to be right.
 *
 * A permission is asked for (waits), and is then accepted or rejected once. An accepted one runs from its start to its end:
 *
 * | canceled        | ends with its period | end                                                                |
 * |-----------------|----------------------|--------------------------------------------------------------------|
 * | no              | no                   | none: it renews                                                    |
 * | no              | yes                  | start + period                                                     |
 * | at once         | either               | when it was canceled (or before that, with its period)             |
 * | at period end   | either               | the end of the period it was canceled in; at once before its start |
 *
 * It is active at its start and no longer active at its end. Of several accepted ones the newest that has begun counts, and no other: an
 * older one does not come back when a newer one ends. Until the newer one begins the older goes on.
 *
 * | Data Debit | when                                                                  |
 * |------------|-----------------------------------------------------------------------|
 * | removed    | the owner removed it                                                  |
 * | enabled    | a permission is active, or an accepted one will begin                 |
 * | disabled   | otherwise, and the owner canceled the one accepted last               |
 * | ended      | otherwise, and time ended the one accepted last                       |
 * | pending    | none was ever accepted, and the newest waits                          |
 * | rejected   | none was ever accepted, and the newest was rejected                   |
 */

import type { DebitState, Permission } from '../../../wire/debits.ts';

/** Times are Unix milliseconds. */
export type PermissionFacts = {
  readonly start: number;
  /** Seconds, at least one. */
  readonly period: number;
  readonly cancelAtPeriodEnd: boolean;
  readonly acceptedAt: number | null;
  readonly rejectedAt: number | null;
  readonly canceledAt: number | null;
  readonly canceledAtPeriodEnd: boolean;
};

export type DebitFacts<P extends PermissionFacts = PermissionFacts> = {
  readonly removedAt: number | null;
  /** In the order in which they were asked for. */
  readonly permissions: readonly P[];
};

export type PermissionState = Permission['state'];

/** The end of the period that a moment is in; the moment at which a period begins is in that period. */
const periodEndAfter = ({ start, period }: PermissionFacts, moment: number): number => {
  const length = period * 1000;
  return start + (Math.floor((moment - start) / length) + 1) * length;
};

const earlier = (a: number | null, b: number): number => (a === null ? b : Math.min(a, b));

/** When an accepted permission ends; null if it continues until it is ended. */
export const endOf = (permission: PermissionFacts): number | null => {
  const { start, period, cancelAtPeriodEnd, canceledAt, canceledAtPeriodEnd } = permission;
  const natural = cancelAtPeriodEnd ? start + period * 1000 : null;
  if (canceledAt === null) return natural;
  const waitsForPeriod = canceledAtPeriodEnd && canceledAt >= start;
  return earlier(natural, waitsForPeriod ? periodEndAfter(permission, canceledAt) : canceledAt);
};

/** When time alone ends it, without anybody doing anything at that moment; null: never. */
export const endByTime = (permission: PermissionFacts): number | null => {
  const end = endOf(permission);
  if (permission.acceptedAt === null || end === null) return null;
  return permission.canceledAt !== null && end <= permission.canceledAt ? null : end;
};

/**
 * One that was canceled before its start never begins. Canceled at its very start it began, or the one before it would come back. Of one that
 * was canceled the clock is not asked: what has ended stays so when the clock is set back.
 */
const hasBegun = ({ start, acceptedAt, canceledAt }: PermissionFacts, now: number): boolean =>
  acceptedAt !== null && (canceledAt === null ? start <= now : canceledAt >= start);

const hasEnded = (permission: PermissionFacts, now: number): boolean => {
  const { canceledAt, canceledAtPeriodEnd } = permission;
  if (canceledAt !== null && !canceledAtPeriodEnd) return true;
  const end = endOf(permission);
  return end !== null && end <= now;
};

/** The one permission under which values are shared now, if any. */
export const activeOf = <P extends PermissionFacts>(debit: DebitFacts<P>, now: number): P | undefined => {
  if (debit.removedAt !== null) return undefined;
  const newest = debit.permissions.findLast((permission) => hasBegun(permission, now));
  return newest === undefined || hasEnded(newest, now) ? undefined : newest;
};

/** The newest permission, when it wants a decision. Only the newest can be decided on: an older one was taken back by asking again. */
export const waitingOf = <P extends PermissionFacts>(debit: DebitFacts<P>): P | undefined => {
  const newest = debit.permissions.at(-1);
  const undecided = newest !== undefined && newest.acceptedAt === null && newest.rejectedAt === null;
  return undecided && debit.removedAt === null ? newest : undefined;
};

/** The permission that was accepted last, whatever became of it. */
export const acceptedLast = <P extends PermissionFacts>(debit: DebitFacts<P>): P | undefined =>
  debit.permissions.findLast((permission) => permission.acceptedAt !== null);

/** When a newer permission took the place of this one; undefined: none has so far. */
export const replacedAt = (debit: DebitFacts, permission: PermissionFacts, now: number): number | undefined => {
  const newer = debit.permissions.slice(debit.permissions.indexOf(permission) + 1);
  const moments = newer
    .filter((other) => hasBegun(other, now))
    // One that was to begin before it was accepted began when it was accepted.
    .map((other) => Math.max(other.start, other.acceptedAt ?? other.start));
  return moments.length === 0 ? undefined : Math.min(...moments);
};

export const permissionState = (debit: DebitFacts, permission: PermissionFacts, now: number): PermissionState => {
  if (permission.rejectedAt !== null) return 'rejected';
  if (permission.acceptedAt === null) return permission === waitingOf(debit) ? 'waiting' : 'replaced';
  const end = endOf(permission);
  const replaced = replacedAt(debit, permission, now);
  if (end !== null && hasEnded(permission, now) && (replaced === undefined || end <= replaced))
    return permission.canceledAt === null ? 'ended' : 'disabled';
  if (replaced !== undefined) return 'replaced';
  return permission.start > now ? 'scheduled' : 'running';
};

/** Accepted permissions that share now or will. */
export const liveOf = <P extends PermissionFacts>(debit: DebitFacts<P>, now: number): P[] =>
  debit.removedAt !== null
    ? []
    : debit.permissions.filter((permission) => {
        const state = permissionState(debit, permission, now);
        return state === 'running' || state === 'scheduled';
      });

export const debitState = (debit: DebitFacts, now: number): DebitState => {
  if (debit.removedAt !== null) return 'removed';
  if (liveOf(debit, now).length > 0) return 'enabled';
  const last = acceptedLast(debit);
  if (last !== undefined) return last.canceledAt === null ? 'ended' : 'disabled';
  return waitingOf(debit) === undefined ? 'rejected' : 'pending';
};

/**
 * Decides what enabling does: approve the pending permission; resume the last one if it was stopped (even if its period is
 * still running); nothing if it already runs; or it is impossible.
 */
export const enabling = (debit: DebitFacts, now: number): 'approve' | 'again' | 'unchanged' | 'impossible' => {
  if (debit.removedAt !== null) return 'impossible';
  if (waitingOf(debit) !== undefined) return 'approve';
  const last = acceptedLast(debit);
  if (last === undefined) return 'impossible';
  return last.canceledAt === null && debitState(debit, now) === 'enabled' ? 'unchanged' : 'again';
};

/** The permissions that disabling cancels. Repeating it finds none, so no time is ever moved, except to end at once what was to run out. */
export const toCancel = <P extends PermissionFacts>(debit: DebitFacts<P>, now: number, atPeriodEnd: boolean): P[] =>
  liveOf(debit, now).filter((permission) => permission.canceledAt === null || !atPeriodEnd);

/** When a running permission begins its next period; null when it does not. */
export const renewsAt = (debit: DebitFacts, now: number): number | null => {
  const active = activeOf(debit, now);
  return active === undefined || endOf(active) !== null ? null : periodEndAfter(active, now);
};

/** When the period began that a moment is in. */
export const periodStartAt = (permission: PermissionFacts, moment: number): number =>
  periodEndAfter(permission, moment) - permission.period * 1000;
