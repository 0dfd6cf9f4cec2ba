import type { ApplicationRights, NamedBundle, OwnerApplication } from '../../../../shared/api/contract.ts';
import { type Difference, findBundleDifferences } from '../../../consent/differences.ts';
import { type DataNames, DERIVED_NAMES } from '../../../../shared/components/program-names.ts';
import type { RightItem } from '../../../../shared/components/right-items.tsx';
import { describeRights } from './rights.ts';

/** Differences between the approved version and a newly published version. */
export interface ApplicationChanges {
  more: RightItem[];
  less: RightItem[];
  data: Difference[];
}

/** Returns true if the earlier rights imply a right: the role `owner` implies all rights except file rights. */
function implies(previousRights: ApplicationRights, right: RightItem): boolean {
  return previousRights.actsAsOwner && right.kind !== 'files';
}

function addedRights(rights: ApplicationRights, previousRights: ApplicationRights): RightItem[] {
  const previousTerms = new Set(describeRights(previousRights).map(({ term }) => term));
  return describeRights(rights).filter((right) => !previousTerms.has(right.term) && !implies(previousRights, right));
}

/**
 * Returns undefined for an application that is not set up.
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
    more: addedRights(asks, approved.rights),
    less: addedRights(approved.rights, asks),
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
