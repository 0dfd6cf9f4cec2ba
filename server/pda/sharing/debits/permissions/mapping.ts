import { isoTime } from '../../../../platform/clock.ts';
import type { Debit, OwnerDebit, Permission } from '../../../../wire/debits.ts';
import type { NamedBundle } from '../../../../wire/query.ts';
import type { LedgerSummary } from '../../access-log/service.ts';
import { shownBundle, type GrantedBundle } from './narrowing-rules.ts';
import {
  acceptedLast,
  activeOf,
  debitState,
  endOf,
  permissionState,
  renewsAt,
  replacedAt,
  waitingOf,
  type DebitFacts,
  type PermissionFacts,
} from '../rules.ts';
import type { DebitRow, DebitStore, PermissionRow } from '../store.ts';

/** Name, purpose and terms that a requester states. Stored with each permission, so that an approved one keeps its label. */
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

export type Granted = { name: string; bundle: GrantedBundle };

export type StoredPermission = PermissionFacts & {
  readonly id: string;
  readonly created: number;
  readonly askedPeriod: number;
  readonly askedCancelAtPeriodEnd: boolean;
  readonly terms: Terms;
  readonly asked: NamedBundle;
  readonly conditions: NamedBundle | null;
  readonly granted: Granted | null;
};

export type StoredDebit = DebitFacts<StoredPermission> & {
  readonly id: number;
  readonly key: string;
  readonly requester: { kind: 'owner' | 'application' | 'offer'; name: string };
  readonly application: string | null;
  readonly created: number;
};

/** The JSON in a row is what the room wrote there itself. */
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
  askedPeriod: row.asked_period,
  askedCancelAtPeriodEnd: row.asked_cancel === 1,
  terms: JSON.parse(row.terms) as Terms,
  asked: JSON.parse(row.asked) as NamedBundle,
  conditions: row.conditions === null ? null : (JSON.parse(row.conditions) as NamedBundle),
  granted: row.granted === null ? null : (JSON.parse(row.granted) as Granted),
});

const debitOf = ({ debit, permissions }: { debit: DebitRow; permissions: PermissionRow[] }): StoredDebit => ({
  id: debit.id,
  key: debit.key,
  requester: { kind: debit.requester_kind, name: debit.requester_name },
  application: debit.application,
  created: debit.created,
  removedAt: debit.removed,
  permissions: permissions.map(permissionOf),
});

/** As it is on the disk, or in the transaction that changes it. */
export const loadDebit = (store: Pick<DebitStore, 'find'>, key: string): StoredDebit | undefined => {
  const found = store.find(key);
  return found === undefined ? undefined : debitOf(found);
};

/** What a permission gives to read: as granted, before that as asked. */
export const readingOf = ({ granted, asked }: StoredPermission): Granted => granted ?? asked;

/** The permission that a Data Debit is known by: the active one, else the newest. */
const foremost = (debit: StoredDebit, now: number): StoredPermission => {
  const permission = activeOf(debit, now) ?? debit.permissions.at(-1);
  if (permission === undefined) throw new Error('a Data Debit without a permission');
  return permission;
};

/** When it ends or ended. One that was replaced ended then, whatever its own time was. */
const endShown = (debit: StoredDebit, permission: StoredPermission, now: number): number | null =>
  permissionState(debit, permission, now) === 'replaced' && permission.acceptedAt !== null
    ? (replacedAt(debit, permission, now) ?? null)
    : endOf(permission);

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

export const toPermission = (debit: StoredDebit, permission: StoredPermission, now: number): Permission => {
  const { granted, asked, conditions, acceptedAt, canceledAt } = permission;
  const shown = granted === null ? asked : { name: granted.name, bundle: shownBundle(granted.bundle) };
  const less =
    granted !== null &&
    Object.values(granted.bundle).some(({ endpoints }) => endpoints.some(({ show }) => show !== undefined));
  const fewer = granted !== null && Object.keys(granted.bundle).length < Object.keys(asked.bundle).length;
  const state = permissionState(debit, permission, now);
  return {
    permissionId: permission.id,
    state,
    dateCreated: isoTime(permission.created),
    purpose: permission.terms.purpose,
    start: isoTime(permission.start),
    period: permission.period,
    cancelAtPeriodEnd: permission.cancelAtPeriodEnd,
    termsUrl: permission.terms.termsUrl,
    bundle: shown,
    ...(conditions === null ? {} : { conditions }),
    accepted: acceptedAt !== null,
    active: permission === activeOf(debit, now),
    end: isoOrNull(endShown(debit, permission, now)),
    ...(acceptedAt === null ? {} : { grantedAt: isoTime(acceptedAt) }),
    ...(canceledAt === null ? {} : { canceledAt: isoTime(canceledAt) }),
    ...(less || fewer ? { asked } : {}),
  };
};

export const toDebit = (debit: StoredDebit, now: number): Debit => {
  const active = activeOf(debit, now);
  const known = foremost(debit, now);
  const latest = debit.permissions.at(-1) ?? known;
  const { terms } = known;
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
    accepted: acceptedLast(debit) !== undefined,
    start: isoTime(known.start),
    end: isoOrNull(endShown(debit, known, now)),
  };
};

/** @param renewed when the period began of which the owner is reminded */
export const toOwnerDebit = (
  debit: StoredDebit,
  now: number,
  ledger: LedgerSummary,
  renewed: number | null,
): OwnerDebit => {
  const active = activeOf(debit, now);
  const waiting = waitingOf(debit);
  return {
    debit: toDebit(debit, now),
    requester: { ...debit.requester, site: URL.parse(foremost(debit, now).terms.requestClientUrl)?.host ?? '' },
    waiting: waiting?.id ?? null,
    waitingAs: waiting === undefined ? null : labelsOf(waiting.terms),
    tells: URL.parse(debit.permissions.at(-1)?.terms.requestClientCallbackUrl ?? '')?.host ?? null,
    renews: isoOrNull(renewsAt(debit, now)),
    renewed: isoOrNull(renewed),
    endsAtPeriodEnd: active !== undefined && endOf(active) !== null,
    lastRead: isoOrNull(ledger.lastRead),
    reads: ledger.reads,
    recordsShared: ledger.records,
    refused: ledger.refused,
  };
};

const labelsOf = (terms: Terms): NonNullable<OwnerDebit['waitingAs']> => ({
  requestClientName: terms.requestClientName,
  requestClientUrl: terms.requestClientUrl,
  requestClientLogoUrl: terms.requestClientLogoUrl,
  ...(terms.requestDescription === undefined ? {} : { requestDescription: terms.requestDescription }),
});
