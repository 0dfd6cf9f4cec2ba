import type { ApplicationRights, NamedBundle, OwnerApplication } from '../../../../shared/api/contract.ts';
import { type Difference, findBundleDifferences } from '../../../consent/differences.ts';
import { type DataNames, DERIVED_NAMES } from '../../../../shared/components/program-names.ts';
import type { RightItem } from '../../../../shared/components/right-items.tsx';
import { describeRights } from './rights.ts';

/** Differences between what the owner approved and what a newly published version requests. */
export interface ApplicationChanges {
  more: RightItem[];
  less: RightItem[];
  /** Differences in the data shared through the Data Debit. */
  data: Difference[];
}

/** Returns true if the earlier rights imply a right: the role `owner` implies all rights except those to files. */
function implies(before: ApplicationRights, right: RightItem): boolean {
  return before.actsAsOwner && right.kind !== 'files';
}

/** Returns the rights of `now` that `before` neither includes nor implies. */
function addedRights(now: ApplicationRights, before: ApplicationRights): RightItem[] {
  const previousTerms = new Set(describeRights(before).map(({ term }) => term));
  return describeRights(now).filter((right) => !previousTerms.has(right.term) && !implies(before, right));
}

/**
 * Compares what an application requests with what the owner approved.
 *
 * @param before data to compare with; null if no data is shared now. Default: the approved data
 * @returns undefined for an application that is not set up
 */
export function findApplicationChanges(
  application: OwnerApplication,
  before?: NamedBundle | null,
  names: DataNames = DERIVED_NAMES,
): ApplicationChanges | undefined {
  const { asks, asksData, approved } = application;
  if (approved === null) return undefined;
  const data = before === undefined ? approved.data : before;
  return {
    more: addedRights(asks, approved.rights),
    less: addedRights(approved.rights, asks),
    data: findBundleDifferences(data?.bundle ?? {}, asksData?.bundle ?? {}, names),
  };
}

/**
 * Returns the number of items that the owner would newly allow. Data that is merely different counts too, because the
 * owner has not approved it yet.
 */
export function countAdditions({ more, data }: ApplicationChanges): number {
  return more.length + data.filter(({ kind }) => kind !== 'less').length;
}

/** Returns true if the application requests exactly what the owner approved. */
export function isUnchanged({ more, less, data }: ApplicationChanges): boolean {
  return more.length + less.length + data.length === 0;
}
