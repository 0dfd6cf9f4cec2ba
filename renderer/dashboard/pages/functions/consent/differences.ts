import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { type Difference, findBundleDifferences } from '../../../consent/differences.ts';
import { type DataNames, DERIVED_NAMES } from '../../../../shared/components/display-names.ts';
import { m } from '../../../../shared/messages/texts.ts';

export function findFunctionChanges(
  { approved, configuration, place, writes }: OwnerFunction,
  names: DataNames = DERIVED_NAMES,
): Difference[] {
  if (approved === null || configuration === null) return [];
  const data = findBundleDifferences(approved.dataBundle.bundle, configuration.dataBundle.bundle, names);
  const texts = m.functions.enable;
  const additions: Difference[] = [];
  if (approved.writes !== writes) additions.push({ kind: 'more', text: texts.storesInOtherEndpoint(writes) });
  if (approved.trigger === 'manual' && configuration.trigger.triggerType !== 'manual')
    additions.push({ kind: 'more', text: texts.runsAutomatically });
  return [...findMove(approved.place, place), ...additions, ...data];
}

function findMove(approved: OwnerFunction['place'], current: OwnerFunction['place']): Difference[] {
  const texts = m.functions.enable;
  if (current.kind === 'here') return approved.kind === 'here' ? [] : [{ kind: 'less', text: texts.movedHere }];
  const isSameHost = approved.kind === 'elsewhere' && approved.host === current.host;
  return isSameHost ? [] : [{ kind: 'more', text: texts.movedTo(current.host) }];
}
