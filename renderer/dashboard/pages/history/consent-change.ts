import type { Permission } from '../../../shared/api/contract.ts';
import { finalEnd } from '../../../shared/consent/timing-text.ts';
import { findBundleDifferences } from '../../consent/differences.ts';

/** How a change by the owner reduced a permission: less data, an earlier end, or both. */
export type ConsentChange = 'narrowed' | 'shortened' | 'narrowedAndShortened';

/**
 * Returns how a change of a running permission reduced it; undefined if it also extended it, if it had not started yet,
 * so that what the other side can see stayed the same, or if the permission that it replaced is not known.
 * @param permissions permissions of the consent, newest first
 * @param permissionId id of the permission that resulted from the change
 */
export function consentChangeOf(permissions: readonly Permission[], permissionId: string): ConsentChange | undefined {
  const index = permissions.findIndex((permission) => permission.permissionId === permissionId);
  const after = permissions[index];
  // A change keeps the start of the permission that it replaces.
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
