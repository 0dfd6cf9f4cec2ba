import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { compare } from '../../../../shared/format/format.ts';

export type FunctionState =
  | 'decision'
  | 'failing'
  | 'cycle'
  | 'unavailable'
  | 'running'
  | 'queued'
  | 'waiting'
  | 'on'
  | 'off'
  | 'removed';

/** Returns true after a cycle was stopped, until the function runs again. Runs that were stopped do not count. */
function isInCycle({ configuration, cycle, lastRun }: OwnerFunction): boolean {
  if (cycle === null) return false;
  const lastSuccess = configuration?.status.lastExecution;
  if (lastSuccess !== undefined && lastSuccess > cycle.time) return false;
  return lastRun === null || lastRun.outcome === 'stopped' || cycle.time >= lastRun.started;
}

export function isOn({ configuration, registered }: OwnerFunction): boolean {
  return registered && configuration?.status.enabled === true;
}

export function isAvailable({ configuration, registered }: OwnerFunction): boolean {
  return registered && configuration?.status.available === true;
}

export function functionStateOf(ownerFunction: OwnerFunction): FunctionState {
  const { registered, configuration, asksForMore, failures, waiting, queued } = ownerFunction;
  if (!registered) return 'removed';
  if (configuration?.status.executionStarted !== undefined) return 'running';
  if (!isAvailable(ownerFunction)) return 'unavailable';
  if (!isOn(ownerFunction)) return 'off';
  if (asksForMore) return 'decision';
  if (queued) return 'queued';
  if (failures > 0) return 'failing';
  if (isInCycle(ownerFunction)) return 'cycle';
  return waiting ? 'waiting' : 'on';
}

export type FunctionGroup = 'on' | 'off' | 'removed';

function groupOf(ownerFunction: OwnerFunction): FunctionGroup {
  if (!ownerFunction.registered) return 'removed';
  return isOn(ownerFunction) ? 'on' : 'off';
}

const GROUPS: readonly FunctionGroup[] = ['on', 'off', 'removed'];
const URGENCY_ORDER: readonly FunctionState[] = ['decision', 'failing', 'cycle', 'unavailable'];

const urgencyRank = (ownerFunction: OwnerFunction): number => {
  const index = URGENCY_ORDER.indexOf(functionStateOf(ownerFunction));
  return index === -1 ? URGENCY_ORDER.length : index;
};

/** Groups functions, enabled ones first. Sorts each group by urgency, then by name. Omits empty groups. */
export function groupFunctions(functions: readonly OwnerFunction[]): Map<FunctionGroup, OwnerFunction[]> {
  const name = ({ id, configuration }: OwnerFunction) => configuration?.info.name ?? id;
  const sortedFunctions = functions.toSorted((a, b) => urgencyRank(a) - urgencyRank(b) || compare(name(a), name(b)));
  const groups = GROUPS.map(
    (group) => [group, sortedFunctions.filter((ownerFunction) => groupOf(ownerFunction) === group)] as const,
  );
  return new Map(groups.filter(([, members]) => members.length > 0));
}
