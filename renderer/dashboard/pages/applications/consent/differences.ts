import { requestedTermsOf } from '../../../../../server/wire/requested-terms.ts';
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
  const requested = requestedTermsOf(item.application);
  const differences = [
    ...renewalDifferences(permission, requested),
    ...conditionDifferences(permission.conditions?.bundle, requested.conditions?.bundle),
  ];
  if (
    permission.cancelAtPeriodEnd &&
    requested.cancelAtPeriodEnd &&
    permission.end !== null &&
    requested.end !== undefined
  ) {
    const [before, after] = [day(permission.end), day(new Date(requested.end).toISOString())];
    if (before !== after)
      differences.push({
        kind: requested.end > Date.parse(permission.end) ? 'more' : 'less',
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
