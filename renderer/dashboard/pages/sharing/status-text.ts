import { findCurrentPermission } from '../../../../server/wire/current-permission.ts';
import type { OwnerDebit, Permission } from '../../../shared/api/contract.ts';
import { toSentenceCase } from '../../../shared/components/display-names.ts';
import { endText, intervalText, nearTimeText } from '../../../shared/consent/timing-text.ts';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.sharing.state;

/** Returns true if the consent is enabled, even if it is paused or has not started. */
export function isEnabled({ debit }: OwnerDebit): boolean {
  return debit.state === 'enabled';
}

/** Returns true if the consent is enabled, has started and is not paused. */
export function isReadable(item: OwnerDebit): boolean {
  return isEnabled(item) && item.debit.pausedUntil === undefined && mainPermission(item).state !== 'scheduled';
}

/**
 * Returns true if a stop can be undone completely. This is not the case for a paused consent: an immediate stop also
 * ends the pause, and enabling the consent again does not restore the pause. If the consent was to stop at the end of
 * its period, enabling the consent again restores that end.
 */
export function canUndoStop({ pausedUntil }: OwnerDebit['debit']): boolean {
  return pausedUntil === undefined;
}

/** Returns the current permission, else the last accepted one, else the latest one. */
export function mainPermission({ debit }: OwnerDebit): Permission {
  return (
    findCurrentPermission(debit.permissions) ??
    debit.permissions.find(({ accepted }) => accepted) ??
    debit.permissionsLatest
  );
}

/** Returns the permission that a pending request would change, even if this permission is paused or has not started. */
export function permissionToChange(item: OwnerDebit): Permission | undefined {
  return isEnabled(item) ? mainPermission(item) : undefined;
}

/** Returns the permissions that will replace the main one, sorted by start. */
export function laterPermissions(item: OwnerDebit): Permission[] {
  const main = mainPermission(item);
  return scheduledPermissions(item.debit.permissions).filter(({ permissionId }) => permissionId !== main.permissionId);
}

/**
 * Returns the scheduled permissions, earliest start first. Of two scheduled permissions, the one that was requested
 * later starts later.
 * @param permissions newest request first
 */
export function scheduledPermissions(permissions: readonly Permission[]): Permission[] {
  return permissions.filter(({ state }) => state === 'scheduled').toReversed();
}

/**
 * Returns the requested period and renewal and the narrowing of a permission, as the basis of a change; undefined if
 * the permission cannot be changed.
 */
export function grantOf(
  { liveGrants, lastGranted }: OwnerDebit,
  { permissionId }: Permission,
): OwnerDebit['liveGrants'][number] | undefined {
  return [...liveGrants, lastGranted].find((grant) => grant?.permissionId === permissionId) ?? undefined;
}

/** Returns the end of a running or scheduled permission as a sentence, such as "Stops 3 March, as you chose." */
export function permissionEndText(permission: Permission, now: Date): string {
  const { canceledAt, end } = permission;
  return canceledAt === undefined || end === null
    ? endText(permission, now)
    : `${toSentenceCase(texts.stops(nearTimeText(new Date(end), now)))}.`;
}

export function debitStatusText(item: OwnerDebit, now: Date): string {
  const { debit, renews, endsAtPeriodEnd } = item;
  const permission = mainPermission(item);
  const formatTime = (iso: string): string => nearTimeText(new Date(iso), now);
  // The consent may have ended after `now`, the time at which the page was opened.
  const formatPastTime = (iso: string): string =>
    nearTimeText(new Date(iso), new Date(Math.max(now.getTime(), Date.parse(iso))));
  switch (debit.state) {
    case 'pending':
      return texts.pending;
    case 'rejected':
      return texts.rejected;
    case 'removed':
      return texts.removed;
    case 'disabled':
      return permission.canceledAt === undefined
        ? texts.disabledUnknown
        : // A stop at the end of the period takes effect later.
          texts.disabled(formatPastTime(permission.end ?? permission.canceledAt));
    case 'ended':
      return texts.ended(permission.end === null ? '' : formatPastTime(permission.end));
    case 'enabled':
      if (debit.pausedUntil !== undefined) return m.sharing.pause.pausedUntil(formatTime(debit.pausedUntil));
      if (permission.state === 'scheduled') return texts.begins(formatTime(permission.start));
      if (endsAtPeriodEnd && permission.canceledAt !== undefined && permission.end !== null) {
        return texts.stops(formatTime(permission.end));
      }
      if (permission.end !== null) return texts.until(formatTime(permission.end));
      return renews === null
        ? m.consent.time.untilStopped
        : texts.renews(formatTime(renews), intervalText(permission.period));
    default:
      return debit.state satisfies never;
  }
}
