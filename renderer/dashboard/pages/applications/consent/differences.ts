import type { ApplicationRights, NamedBundle, OwnerApplication } from '../../../../shared/api/contract.ts';
import { type Difference, findBundleDifferences } from '../../../consent/differences.ts';
import { type DataNames, DERIVED_NAMES } from '../../../../shared/components/display-names.ts';
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

/** Counts new and different items, because the owner has approved neither. */
export function countAdditions({ more, data }: ApplicationChanges): number {
  return more.length + data.filter(({ kind }) => kind !== 'less').length;
}

export function isUnchanged({ more, less, data }: ApplicationChanges): boolean {
  return more.length + less.length + data.length === 0;
}
