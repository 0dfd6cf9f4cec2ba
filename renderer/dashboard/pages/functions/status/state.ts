import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { compare } from '../../../../shared/format/format.ts';

/** Where a function stands, in the one word that the owner needs first. */
export type FunctionState =
  | 'decision'
  | 'failing'
  | 'circle'
  | 'unavailable'
  | 'running'
  | 'queued'
  | 'waiting'
  | 'on'
  | 'off'
  | 'removed';

function isCircling({ cycle, lastRun }: OwnerFunction): boolean {
  return cycle !== null && (lastRun === null || lastRun.outcome === 'stopped' || cycle.time >= lastRun.started);
}

export function isOn({ configuration, registered }: OwnerFunction): boolean {
  return registered && configuration?.status.enabled === true;
}

export function isAvailable({ configuration, registered }: OwnerFunction): boolean {
  return registered && configuration?.status.available === true;
}

export function functionStateOf(one: OwnerFunction): FunctionState {
  const { registered, configuration, asksForMore, failures, waiting, queued } = one;
  if (!registered) return 'removed';
  if (configuration?.status.executionStarted !== undefined) return 'running';
  if (!isAvailable(one)) return 'unavailable';
  if (!isOn(one)) return 'off';
  if (asksForMore) return 'decision';
  if (queued) return 'queued';
  if (failures > 0) return 'failing';
  if (isCircling(one)) return 'circle';
  return waiting ? 'waiting' : 'on';
}

export type FunctionGroup = 'on' | 'off' | 'removed';

function groupOf(one: OwnerFunction): FunctionGroup {
  if (!one.registered) return 'removed';
  return isOn(one) ? 'on' : 'off';
}

const GROUPS: readonly FunctionGroup[] = ['on', 'off', 'removed'];
const ORDER: readonly FunctionState[] = ['decision', 'failing', 'circle', 'unavailable'];

const rank = (one: OwnerFunction): number => {
  const at = ORDER.indexOf(functionStateOf(one));
  return at === -1 ? ORDER.length : at;
};

/** Those that are on first, and of these what wants something first. */
export function groupFunctions(all: readonly OwnerFunction[]): Map<FunctionGroup, OwnerFunction[]> {
  const name = ({ id, configuration }: OwnerFunction) => configuration?.info.name ?? id;
  const sorted = all.toSorted((a, b) => rank(a) - rank(b) || compare(name(a), name(b)));
  const found = GROUPS.map((group) => [group, sorted.filter((one) => groupOf(one) === group)] as const);
  return new Map(found.filter(([, some]) => some.length > 0));
}
