import type { PermissionChange } from '../../../../wire/debits.ts';
import { narrow } from '../permissions/narrowing-rules.ts';
import type { StoredPermission } from '../permissions/mapping.ts';
import { invalid } from './proposal-rules.ts';
import type { GrantTerms } from './transitions.ts';

/**
 * Returns what the owner's change of a permission grants: anything up to what was requested. A running or scheduled
 * permission keeps its start, so that its periods stay the same. One that has stopped starts now.
 * @param isLive the permission is running or scheduled
 * @throws Failure invalid_input for a narrowing that does not match the request, or an end in the past or after the requested one
 */
export const changedGrant = (
  permission: StoredPermission,
  { narrowing, end }: Pick<PermissionChange, 'narrowing' | 'end'>,
  { now, isLive }: { now: number; isLive: boolean },
): GrantTerms & { start: number } => {
  const { asked, askedPeriod, askedCancelAtPeriodEnd } = permission;
  const start = isLive ? permission.start : Math.max(permission.start, now);
  const granted = { name: asked.name, bundle: narrow(asked.bundle, narrowing) };
  if (end === undefined) return { start, granted, period: askedPeriod, cancelAtPeriodEnd: askedCancelAtPeriodEnd };
  const period = Math.floor((end - start) / 1000);
  if (end <= now || period < 1)
    throw invalid('body.end', 'not in the future', 'The end must be in the future. Nothing was changed.');
  if (askedCancelAtPeriodEnd && period > askedPeriod)
    throw invalid(
      'body.end',
      'later than requested',
      'The permission cannot last longer than requested. Nothing was changed.',
    );
  return { start, granted, period, cancelAtPeriodEnd: true };
};

/** Returns true if a permission grants the same already. */
export const grantsSame = (permission: StoredPermission, grant: GrantTerms): boolean =>
  permission.canceledAt === null &&
  permission.period === grant.period &&
  permission.cancelAtPeriodEnd === grant.cancelAtPeriodEnd &&
  JSON.stringify(permission.granted) === JSON.stringify(grant.granted);
