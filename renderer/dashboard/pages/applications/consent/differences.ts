import type { ApplicationRights, NamedBundle, OwnerApplication, Permission } from '../../../../shared/api/contract.ts';
import {
  type Difference,
  conditionDifferences,
  findBundleDifferences,
  renewalDifferences,
} from '../../../consent/differences.ts';
import { type DataNames, DERIVED_NAMES } from '../../../../shared/components/display-names.ts';
import { day } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import type { RightItem } from '../../../../shared/components/right-items.tsx';
import { describeRights } from './rights.ts';

/** Differences between the approved version and a newly published version. */
export interface ApplicationChanges {
  more: RightItem[];
  less: RightItem[];
  data: Difference[];
}

/** Returns true if the role `owner` makes the right redundant. It gives access to all records, but not to files. */
function implies(rights: ApplicationRights, right: RightItem): boolean {
  return rights.actsAsOwner && right.kind !== 'files';
}

/** Returns the rights that `otherRights` neither contain nor imply. */
function subtractRights(rights: ApplicationRights, otherRights: ApplicationRights): RightItem[] {
  const otherTerms = new Set(describeRights(otherRights).map(({ term }) => term));
  return describeRights(rights).filter((right) => !otherTerms.has(right.term) && !implies(otherRights, right));
}

/**
 * Returns undefined for an application that is not set up or is stopped.
 * @param previousData data to compare with; null if no data is shared; default: the approved data
 */
export function findApplicationChanges(
  application: OwnerApplication,
  previousData?: NamedBundle | null,
  names: DataNames = DERIVED_NAMES,
): ApplicationChanges | undefined {
  const { asks, asksData, approved } = application;
  if (approved === null) return undefined;
  const data = previousData === undefined ? approved.data : previousData;
  return {
    more: subtractRights(asks, approved.rights),
    less: subtractRights(approved.rights, asks),
    data: findBundleDifferences(data?.bundle ?? {}, asksData?.bundle ?? {}, names),
  };
}

/** Returns the conditions and the end (ISO 8601) that a version requests. Only the older request format has them. */
function requestedTerms({ permissions }: OwnerApplication['item']['application']) {
  const request = permissions.dataRetrieved == null ? permissions.dataRequired : undefined;
  const endMs = request?.endDate == null ? Number.NaN : new Date(request.endDate).getTime();
  const hasEnd = !Number.isNaN(endMs);
  return {
    conditions: request?.conditions?.bundle,
    cancelAtPeriodEnd: request?.rolling === false || (hasEnd && request?.rolling !== true),
    end: hasEnd ? new Date(endMs).toISOString() : undefined,
  };
}

/**
 * Adds differences in the conditions and the end of the sharing, which an approval replaces together with the data.
 * @param permission undefined if no data is shared now
 */
export function withTermDifferences(
  changes: ApplicationChanges,
  { item, asksData }: OwnerApplication,
  permission: Permission | undefined,
): ApplicationChanges {
  if (permission === undefined || asksData === null) return changes;
  const requested = requestedTerms(item.application);
  const differences = [
    ...renewalDifferences(permission, requested),
    ...conditionDifferences(permission.conditions?.bundle, requested.conditions),
  ];
  if (
    permission.cancelAtPeriodEnd &&
    requested.cancelAtPeriodEnd &&
    permission.end !== null &&
    requested.end !== undefined
  ) {
    const [before, after] = [day(permission.end), day(requested.end)];
    if (before !== after)
      differences.push({
        kind: Date.parse(requested.end) > Date.parse(permission.end) ? 'more' : 'less',
        text: m.requests.differences.end(before, after),
      });
  }
  return { ...changes, data: [...changes.data, ...differences] };
}

/** Counts new and different items, because the owner has approved neither. */
export function countAdditions({ more, data }: ApplicationChanges): number {
  return more.length + data.filter(({ kind }) => kind !== 'less').length;
}

export function isUnchanged({ more, less, data }: ApplicationChanges): boolean {
  return more.length + less.length + data.length === 0;
}
