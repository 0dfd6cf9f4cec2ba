import type { OwnerApplication } from '../../../shared/api/contract.ts';
import { compare } from '../../../shared/format/format.ts';

/** Where an application stands, in the one word that the owner needs first. */
export type State = 'approval' | 'problem' | 'running' | 'stopped' | 'available';

export function stateOf({ item, status }: OwnerApplication): State {
  if (!item.setup) return 'available';
  if (!item.enabled) return 'stopped';
  if (item.needsUpdating === true) return 'approval';
  if (!item.active || status?.ok === false) return 'problem';
  return 'running';
}

export type Group = 'connected' | 'stopped' | 'available';

const GROUP: Record<State, Group> = {
  approval: 'connected',
  problem: 'connected',
  running: 'connected',
  stopped: 'stopped',
  available: 'available',
};

const ORDER: readonly State[] = ['approval', 'problem', 'running', 'stopped', 'available'];

function matches({ item: { application } }: OwnerApplication, find: string): boolean {
  const { info, id, kind, developer } = application;
  const text = [info.name, info.headline, id, kind.kind, developer?.name ?? ''].join('\n').toLowerCase();
  return find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Those that a search finds, what wants something first. */
export function grouped(all: readonly OwnerApplication[], find: string): Map<Group, OwnerApplication[]> {
  const groups = new Map<Group, OwnerApplication[]>();
  const found = all
    .filter((application) => matches(application, find))
    .toSorted(
      (a, b) =>
        ORDER.indexOf(stateOf(a)) - ORDER.indexOf(stateOf(b)) ||
        compare(a.item.application.info.name, b.item.application.info.name),
    );
  for (const application of found) {
    const group = GROUP[stateOf(application)];
    groups.set(group, [...(groups.get(group) ?? []), application]);
  }
  return groups;
}
