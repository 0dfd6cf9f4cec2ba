import type { Permission } from './debits.ts';

// Without schemas, so that the dashboard does not bundle Zod.

/**
 * Returns the permission of a Data Debit that contains the owner's exclusions: the running one, else one that is
 * scheduled. The running permission of a paused Data Debit is not active, but its exclusions apply.
 */
export const findCurrentPermission = (permissions: readonly Permission[]): Permission | undefined =>
  permissions.find(({ state }) => state === 'running') ?? permissions.find(({ state }) => state === 'scheduled');
