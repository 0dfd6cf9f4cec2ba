import type { ApplicationRights, NamedBundle, OwnerApplication } from '../../../../shared/api/contract.ts';
import { type Difference, findBundleDifferences } from '../../../consent/differences.ts';
import type { RightItem } from '../../../../shared/components/right-items.tsx';
import { rightsInWords } from './rights.ts';

/** What a newly published version asks beyond what the owner approved, and what it no longer asks. Only the differences. */
export interface ApplicationChanges {
  more: RightItem[];
  less: RightItem[];
  /** Of the data that leaves by its Data Debit. */
  data: Difference[];
}

/** An application with the role `owner` has all other rights already. */
function covers(before: ApplicationRights, right: RightItem): boolean {
  return before.actsAsOwner && right.kind !== 'files';
}

function beyond(now: ApplicationRights, before: ApplicationRights): RightItem[] {
  const known = new Set(rightsInWords(before).map(({ term }) => term));
  return rightsInWords(now).filter((right) => !known.has(right.term) && !covers(before, right));
}

/**
 * Undefined for an application that is not set up: there is nothing to compare with. `before` is the data that was asked for when it
 * was, null when none of it leaves now; without it, what was given stands for it.
 */
export function differences(
  application: OwnerApplication,
  before?: NamedBundle | null,
): ApplicationChanges | undefined {
  const { asks, asksData, approved } = application;
  if (approved === null) return undefined;
  const data = before === undefined ? approved.data : before;
  return {
    more: beyond(asks, approved.rights),
    less: beyond(approved.rights, asks),
    data: findBundleDifferences(data?.bundle ?? {}, asksData?.bundle ?? {}),
  };
}

/** How many things the owner would allow that they did not allow before. What is merely different counts: it was not agreed to. */
export function countMore({ more, data }: ApplicationChanges): number {
  return more.length + data.filter(({ kind }) => kind !== 'less').length;
}

export function isSame({ more, less, data }: ApplicationChanges): boolean {
  return more.length + less.length + data.length === 0;
}
