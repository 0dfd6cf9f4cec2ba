import type { OwnerApplication } from '../../../shared/api/contract.ts';
import { compare } from '../../../shared/format/format.ts';

/** A stopped application stays `stopped` even if its new version needs approval. */
export type ApplicationState = 'approval' | 'problem' | 'running' | 'stopped' | 'available';

export function applicationStateOf({ item, status }: OwnerApplication): ApplicationState {
  if (!item.setup) return 'available';
  if (!item.enabled) return 'stopped';
  if (item.needsUpdating === true) return 'approval';
  if (!item.active || status?.ok === false) return 'problem';
  return 'running';
}

export type ApplicationGroup = 'connected' | 'stopped' | 'available';

const GROUP_OF_STATE: Record<ApplicationState, ApplicationGroup> = {
  approval: 'connected',
  problem: 'connected',
  running: 'connected',
  stopped: 'stopped',
  available: 'available',
};

const STATE_ORDER: readonly ApplicationState[] = ['approval', 'problem', 'running', 'stopped', 'available'];

function matches({ item: { application } }: OwnerApplication, search: string): boolean {
  const { info, id, kind, developer } = application;
  const text = [info.name, info.headline, id, kind.kind, developer?.name ?? ''].join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function groupApplications(
  applications: readonly OwnerApplication[],
  search: string,
): Map<ApplicationGroup, OwnerApplication[]> {
  const groups = new Map<ApplicationGroup, OwnerApplication[]>();
  const matchingApplications = applications
    .filter((application) => matches(application, search))
    .toSorted(
      (a, b) =>
        STATE_ORDER.indexOf(applicationStateOf(a)) - STATE_ORDER.indexOf(applicationStateOf(b)) ||
        compare(a.item.application.info.name, b.item.application.info.name),
    );
  for (const application of matchingApplications) {
    const group = GROUP_OF_STATE[applicationStateOf(application)];
    groups.set(group, [...(groups.get(group) ?? []), application]);
  }
  return groups;
}
