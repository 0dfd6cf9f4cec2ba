import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { type Difference, findBundleDifferences } from '../../../consent/differences.ts';
import { m } from '../../../../shared/messages/texts.ts';

/** What a function publishes by now beside what the owner approved: what is more first. */
export function changesOf({ approved, configuration, asksForMore, place, writes }: OwnerFunction): Difference[] {
  if (approved === null || configuration === null) return [];
  const data = findBundleDifferences(approved.dataBundle.bundle, configuration.dataBundle.bundle);
  const words = m.functions.enable;
  const other: Difference[] = [];
  if (approved.writes !== writes) other.push({ kind: 'more', text: words.storesElsewhere(writes) });
  if (approved.trigger === 'manual' && configuration.trigger.triggerType !== 'manual')
    other.push({ kind: 'more', text: words.byItself });
  // Something is more than was approved, and it is none of these: it moved.
  const moved = asksForMore && other.length === 0 && !data.some(({ kind }) => kind !== 'less');
  if (!moved) return [...other, ...data];
  const text = place.kind === 'here' ? words.movedHere : words.movedTo(place.host);
  return [{ kind: place.kind === 'here' ? 'other' : 'more', text }, ...data];
}
