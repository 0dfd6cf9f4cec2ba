import type { Permission } from '../../../shared/api/contract.ts';
import { finalEnd } from '../../../shared/consent/timing-text.ts';
import { findBundleDifferences } from '../../consent/differences.ts';

export type ConsentChange = 'narrowed' | 'shortened' | 'narrowedAndShortened';

/**
 * Returns how a change reduced a running permission. Returns undefined if the change reduced nothing or also extended
 * the permission, if the previous permission had not started (the requester then saw no difference) or was stopped, or
 * if either permission is unknown.
 * @param permissions newest first
 * @param permissionId id of the permission that the change created
 */
export function consentChangeOf(permissions: readonly Permission[], permissionId: string): ConsentChange | undefined {
  const index = permissions.findIndex((permission) => permission.permissionId === permissionId);
  const current = permissions[index];
  // A change to a running or scheduled permission keeps its start.
  const previous = permissions.slice(index + 1).find(({ accepted, start }) => accepted && start === current?.start);
  if (current === undefined || previous === undefined || previous.canceledAt !== undefined) return undefined;
  if (current.grantedAt !== undefined && current.start > current.grantedAt) return undefined;
  const differences = findBundleDifferences(previous.bundle.bundle, current.bundle.bundle);
  const isExtended = differences.some(({ kind }) => kind !== 'less') || finalEnd(current) > finalEnd(previous);
  if (isExtended) return undefined;
  const isShortened = finalEnd(current) < finalEnd(previous);
  if (differences.length > 0) return isShortened ? 'narrowedAndShortened' : 'narrowed';
  return isShortened ? 'shortened' : undefined;
}
