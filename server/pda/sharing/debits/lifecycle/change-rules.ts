import type { PermissionChange } from '../../../../wire/debits.ts';
import { narrow } from '../permissions/narrowing-rules.ts';
import type { StoredPermission } from '../permissions/mapping.ts';
import { invalidInput } from './proposal-rules.ts';
import type { Grant } from './transitions.ts';

/**
 * Returns the terms of a permission after the owner's change. A running or scheduled permission (`isLive`) keeps its
 * start. Any other permission starts now, or at its start if that is later.
 * @throws Failure invalid_input
 */
export const applyPermissionChange = (
  permission: StoredPermission,
  { narrowing, end }: Pick<PermissionChange, 'narrowing' | 'end'>,
  { now, isLive }: { now: number; isLive: boolean },
): Grant & { start: number } => {
  const { requestedBundle, requestedPeriod, requestedCancelAtPeriodEnd } = permission;
  const start = isLive ? permission.start : Math.max(permission.start, now);
  const granted = { name: requestedBundle.name, bundle: narrow(requestedBundle.bundle, narrowing) };
  if (end === undefined)
    return { start, granted, period: requestedPeriod, cancelAtPeriodEnd: requestedCancelAtPeriodEnd };
  const period = Math.floor((end - start) / 1000);
  if (end <= now || period < 1)
    throw invalidInput(
      'body.end',
      'not in the future or not after the start',
      'The end must be in the future and after the start. Nothing was changed.',
    );
  if (requestedCancelAtPeriodEnd && period > requestedPeriod)
    throw invalidInput(
      'body.end',
      'later than requested',
      'The permission cannot last longer than requested. Nothing was changed.',
    );
  return { start, granted, period, cancelAtPeriodEnd: true };
};

export const isSameGrant = (permission: StoredPermission, grant: Grant): boolean =>
  permission.canceledAt === null &&
  permission.period === grant.period &&
  permission.cancelAtPeriodEnd === grant.cancelAtPeriodEnd &&
  JSON.stringify(permission.granted) === JSON.stringify(grant.granted);
