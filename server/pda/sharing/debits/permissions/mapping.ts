import { isoTime, isoTimeOrNull } from '../../../../platform/clock.ts';
import type { Debit, OwnerDebit, Permission } from '../../../../wire/debits.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import type { AccessSummary } from '../../access-log/service.ts';
import { narrowingOf, visibleBundle, type GrantedBundle } from './narrowing-rules.ts';
import {
  lastAccepted,
  activePermissionOf,
  debitState,
  endOf,
  isPaused,
  livePermissionsOf,
  permissionState,
  readablePermissionOf,
  renewsAt,
  replacedAt,
  pendingPermission,
  type DebitFacts,
  type PermissionFacts,
} from '../rules.ts';
import type { DebitRow, DebitStore, PermissionRow } from '../store.ts';

/** Statements of the requester. They are stored with each permission, so that they do not change after the approval. */
export type Terms = {
  purpose: string;
  termsUrl: string;
  requestClientName: string;
  requestClientUrl: string;
  requestClientLogoUrl: string;
  requestClientCallbackUrl?: string;
  requestApplicationId?: string;
  requestDescription?: string;
};

export type NamedGrantedBundle = { name: string; bundle: GrantedBundle };

/** Times are Unix milliseconds, periods are seconds. */
export type StoredPermission = PermissionFacts & {
  readonly id: string;
  readonly created: number;
  readonly requestedPeriod: number;
  readonly requestedCancelAtPeriodEnd: boolean;
  readonly terms: Terms;
  readonly requestedBundle: NamedBundle;
  readonly conditions: NamedBundle | null;
  /** Null until the permission is accepted. */
  readonly granted: NamedGrantedBundle | null;
};

export type StoredDebit = DebitFacts<StoredPermission> & {
  readonly id: number;
  readonly key: string;
  readonly requester: { kind: 'owner' | 'application' | 'offer'; name: string };
  readonly application: string | null;
  readonly created: number;
};

const permissionOf = (row: PermissionRow): StoredPermission => ({
  id: row.id,
  created: row.created,
  start: row.start,
  period: row.period,
  cancelAtPeriodEnd: row.cancel_at_period_end === 1,
  acceptedAt: row.accepted,
  rejectedAt: row.rejected,
  canceledAt: row.canceled,
  canceledAtPeriodEnd: row.canceled_at_period_end === 1,
  wasCanceledAtPeriodEnd: row.was_canceled_at_period_end === 1,
  requestedPeriod: row.asked_period,
  requestedCancelAtPeriodEnd: row.asked_cancel === 1,
  terms: JSON.parse(row.terms) as Terms,
  requestedBundle: JSON.parse(row.asked) as NamedBundle,
  conditions: row.conditions === null ? null : (JSON.parse(row.conditions) as NamedBundle),
  granted: row.granted === null ? null : (JSON.parse(row.granted) as NamedGrantedBundle),
});

const debitOf = ({ debit, permissions }: { debit: DebitRow; permissions: PermissionRow[] }): StoredDebit => ({
  id: debit.id,
  key: debit.key,
  requester: { kind: debit.requester_kind, name: debit.requester_name },
  application: debit.application,
  created: debit.created,
  removedAt: debit.removed,
  pausedUntil: debit.paused_until,
  permissions: permissions.map(permissionOf),
});

/** Includes uncommitted changes of the current transaction. */
export const loadDebit = (store: Pick<DebitStore, 'find'>, key: string): StoredDebit | undefined => {
  const rows = store.find(key);
  return rows === undefined ? undefined : debitOf(rows);
};

export const sharedBundleOf = ({ granted, requestedBundle }: StoredPermission): NamedGrantedBundle =>
  granted ?? requestedBundle;

const currentPermission = (debit: StoredDebit, now: number): StoredPermission => {
  const permission = activePermissionOf(debit, now) ?? debit.permissions.at(-1);
  if (permission === undefined) throw new Error(`the Data Debit ${debit.key} has no permission`);
  return permission;
};

/** An accepted permission ends at the latest when a newer permission replaces it. */
const effectiveEnd = (debit: StoredDebit, permission: StoredPermission, now: number): number | null =>
  permissionState(debit, permission, now) === 'replaced' && permission.acceptedAt !== null
    ? (replacedAt(debit, permission, now) ?? null)
    : endOf(permission);

const toPermission = (debit: StoredDebit, permission: StoredPermission, now: number): Permission => {
  const { granted, requestedBundle, conditions, acceptedAt, canceledAt } = permission;
  const bundle = granted === null ? requestedBundle : { name: granted.name, bundle: visibleBundle(granted.bundle) };
  const hidesFields =
    granted !== null &&
    Object.values(granted.bundle).some(({ endpoints }) => endpoints.some(({ show }) => show !== undefined));
  const dropsProperties =
    granted !== null && Object.keys(granted.bundle).length < Object.keys(requestedBundle.bundle).length;
  const state = permissionState(debit, permission, now);
  const end = effectiveEnd(debit, permission, now);
  // A permission that was replaced before its start is cancelled with its successor, so that it never starts. It is
  // shown as replaced, without this cancellation.
  const isCanceled = canceledAt !== null && !(state === 'replaced' && end !== null && end < canceledAt);
  return {
    permissionId: permission.id,
    state,
    dateCreated: isoTime(permission.created),
    purpose: permission.terms.purpose,
    start: isoTime(permission.start),
    period: permission.period,
    cancelAtPeriodEnd: permission.cancelAtPeriodEnd,
    termsUrl: permission.terms.termsUrl,
    bundle,
    ...(conditions === null ? {} : { conditions }),
    accepted: acceptedAt !== null,
    active: permission === readablePermissionOf(debit, now),
    end: isoTimeOrNull(end),
    ...(acceptedAt === null ? {} : { grantedAt: isoTime(acceptedAt) }),
    ...(isCanceled ? { canceledAt: isoTime(canceledAt) } : {}),
    ...(hidesFields || dropsProperties ? { asked: requestedBundle } : {}),
  };
};

export const toDebit = (debit: StoredDebit, now: number): Debit => {
  const active = readablePermissionOf(debit, now);
  const current = currentPermission(debit, now);
  const latest = debit.permissions.at(-1) ?? current;
  const { terms } = current;
  const application = debit.application ?? terms.requestApplicationId;
  return {
    dataDebitKey: debit.key,
    state: debitState(debit, now),
    dateCreated: isoTime(debit.created),
    permissions: debit.permissions.toReversed().map((permission) => toPermission(debit, permission, now)),
    ...(active === undefined ? {} : { permissionsActive: toPermission(debit, active, now) }),
    permissionsLatest: toPermission(debit, latest, now),
    requestClientName: terms.requestClientName,
    requestClientUrl: terms.requestClientUrl,
    requestClientLogoUrl: terms.requestClientLogoUrl,
    ...(application === undefined ? {} : { requestApplicationId: application }),
    ...(terms.requestDescription === undefined ? {} : { requestDescription: terms.requestDescription }),
    active: active !== undefined,
    ...(isPaused(debit, now) && activePermissionOf(debit, now) !== undefined
      ? { pausedUntil: isoTime(debit.pausedUntil ?? now) }
      : {}),
    accepted: lastAccepted(debit) !== undefined,
    start: isoTime(current.start),
    end: isoTimeOrNull(effectiveEnd(debit, current, now)),
  };
};

/** @param renewalStart start of the renewed period of which the owner is reminded, in Unix milliseconds */
export const toOwnerDebit = (
  debit: StoredDebit,
  now: number,
  accessSummary: AccessSummary,
  renewalStart: number | null,
): OwnerDebit => {
  const active = activePermissionOf(debit, now);
  const pending = pendingPermission(debit);
  const last = lastAccepted(debit);
  return {
    debit: toDebit(debit, now),
    requester: {
      ...debit.requester,
      site: URL.parse(currentPermission(debit, now).terms.requestClientUrl)?.host ?? '',
    },
    waiting: pending?.id ?? null,
    pendingRequester: pending === undefined ? null : labelsOf(pending.terms),
    callbackHost: URL.parse(debit.permissions.at(-1)?.terms.requestClientCallbackUrl ?? '')?.host ?? null,
    renews: isoTimeOrNull(renewsAt(debit, now)),
    renewed: isoTimeOrNull(renewalStart),
    endsAtPeriodEnd: active !== undefined && endOf(active) !== null,
    lastGranted: last === undefined ? null : changeableGrant(last),
    liveGrants: livePermissionsOf(debit, now).map(changeableGrant),
    lastRead: isoTimeOrNull(accessSummary.lastRead),
    reads: accessSummary.reads,
    recordsShared: accessSummary.records,
    refused: accessSummary.refused,
  };
};

const changeableGrant = (permission: StoredPermission): OwnerDebit['liveGrants'][number] => ({
  permissionId: permission.id,
  requestedPeriod: permission.requestedPeriod,
  requestedCancelAtPeriodEnd: permission.requestedCancelAtPeriodEnd,
  narrowing: narrowingOf(permission.requestedBundle.bundle, sharedBundleOf(permission).bundle),
});

const labelsOf = (terms: Terms): NonNullable<OwnerDebit['pendingRequester']> => ({
  requestClientName: terms.requestClientName,
  requestClientUrl: terms.requestClientUrl,
  requestClientLogoUrl: terms.requestClientLogoUrl,
  ...(terms.requestDescription === undefined ? {} : { requestDescription: terms.requestDescription }),
});
