import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { type Difference, findBundleDifferences } from '../../../consent/differences.ts';
import { type DataNames, DERIVED_NAMES } from '../../../../shared/components/program-names.ts';
import { m } from '../../../../shared/messages/texts.ts';

export function findFunctionChanges(
  { approved, configuration, asksForMore, place, writes }: OwnerFunction,
  names: DataNames = DERIVED_NAMES,
): Difference[] {
  if (approved === null || configuration === null) return [];
  const data = findBundleDifferences(approved.dataBundle.bundle, configuration.dataBundle.bundle, names);
  const texts = m.functions.enable;
  const additions: Difference[] = [];
  if (approved.writes !== writes) additions.push({ kind: 'more', text: texts.storesInOtherEndpoint(writes) });
  if (approved.trigger === 'manual' && configuration.trigger.triggerType !== 'manual')
    additions.push({ kind: 'more', text: texts.runsAutomatically });
  // If a function asks for more, but neither its data, its trigger nor its endpoint adds anything, it has moved.
  const hasMoved = asksForMore && additions.length === 0 && !data.some(({ kind }) => kind !== 'less');
  if (!hasMoved) return [...additions, ...data];
  const text = place.kind === 'here' ? texts.movedHere : texts.movedTo(place.host);
  return [{ kind: place.kind === 'here' ? 'other' : 'more', text }, ...data];
}
