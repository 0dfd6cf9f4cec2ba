import type { Permission } from '../../../shared/api/contract.ts';
import { finalEnd } from '../../../shared/consent/timing-text.ts';
import { findBundleDifferences } from '../../consent/differences.ts';

export type ConsentChange = 'narrowed' | 'shortened' | 'narrowedAndShortened';

/**
 * Returns how a change reduced a running permission. Returns undefined if the change reduced nothing or also extended
 * the permission, if the permission had not started (so that the requester saw no difference), or if the previous
 * permission was stopped or is unknown.
 * @param permissions newest first
 * @param permissionId id of the changed permission
 */
export function consentChangeOf(permissions: readonly Permission[], permissionId: string): ConsentChange | undefined {
  const index = permissions.findIndex((permission) => permission.permissionId === permissionId);
  const after = permissions[index];
  // A changed permission keeps the start of the previous one.
  const before = permissions.slice(index + 1).find(({ accepted, start }) => accepted && start === after?.start);
  if (after === undefined || before === undefined || before.canceledAt !== undefined) return undefined;
  if (after.grantedAt !== undefined && after.start > after.grantedAt) return undefined;
  const differences = findBundleDifferences(before.bundle.bundle, after.bundle.bundle);
  const isExtended = differences.some(({ kind }) => kind !== 'less') || finalEnd(after) > finalEnd(before);
  if (isExtended) return undefined;
  const isShortened = finalEnd(after) < finalEnd(before);
  if (differences.length > 0) return isShortened ? 'narrowedAndShortened' : 'narrowed';
  return isShortened ? 'shortened' : undefined;
}
