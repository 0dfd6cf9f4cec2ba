import type { Permission } from './debits.ts';

// This file contains no schemas, so that the dashboard can import it without bundling Zod.

/**
 * Returns the permission whose data is shared now or, if none is running, will be shared next: the running permission,
 * else the scheduled one that starts first. The running permission of a paused Data Debit is not active, but it is the
 * current one. For the exclusions that the next version of an application starts with, use `findApprovedPermission`.
 * @param permissions newest request first. Of two scheduled permissions, the one that was requested later starts later.
 */
export const findCurrentPermission = (permissions: readonly Permission[]): Permission | undefined =>
  permissions.find(({ state }) => state === 'running') ?? permissions.findLast(({ state }) => state === 'scheduled');

/**
 * Returns the permission of the approved version of an application: the newest one that runs or is scheduled. Its
 * exclusions are the owner's last decision, so the next version starts with them, as in a set-up without a narrowing.
 * It differs from the current permission if the approved version requests its data from a later date.
 * @param permissions newest request first
 */
export const findApprovedPermission = (permissions: readonly Permission[]): Permission | undefined =>
  permissions.find(({ state }) => state === 'running' || state === 'scheduled');
