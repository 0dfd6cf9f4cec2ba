import type { OwnerDebit } from '../../../shared/api/contract.ts';
import { plainBundle } from '../../../shared/consent/bundle-text.ts';
import { mainPermission } from './status-text.ts';

/** Layout of the sharing map: consents and endpoints in two columns, connected by lines. */

interface MapConsent {
  key: string;
  name: string;
  logo: string;
  item: OwnerDebit;
  targets: { endpoint: string; entire: boolean; fields: number }[];
}

export interface MapTarget {
  /** An endpoint, or a source if there are too many endpoints. */
  id: string;
  /** Shared endpoints of the target. */
  endpoints: string[];
  /** Indexes of the consents that can read the target. */
  readers: number[];
}

interface MapLine {
  from: number;
  to: number;
  entire: boolean;
}

export interface SharingMap {
  consents: MapConsent[];
  targets: MapTarget[];
  lines: MapLine[];
  /** Number of consents that do not fit into the map. */
  hidden: number;
}

const MAX_CONSENTS = 14;
const MAX_TARGETS = 18;

export function listConsentTargets(item: OwnerDebit): MapConsent['targets'] {
  const targets = new Map<string, { endpoint: string; entire: boolean; fields: number }>();
  for (const entry of plainBundle(mainPermission(item).bundle.bundle).flatMap(({ entries }) => entries)) {
    const target = targets.get(entry.endpoint) ?? { endpoint: entry.endpoint, entire: false, fields: 0 };
    targets.set(entry.endpoint, {
      ...target,
      entire: target.entire || entry.fields === null,
      fields: target.fields + (entry.fields?.length ?? 0),
    });
  }
  return [...targets.values()];
}

/** Returns a predicate that accepts names that several consents share. */
export function createDuplicateNameCheck(items: readonly OwnerDebit[]): (name: string) => boolean {
  const names = new Set<string>();
  const duplicates = new Set<string>();
  for (const { debit } of items) (names.has(debit.requestClientName) ? duplicates : names).add(debit.requestClientName);
  return (name) => duplicates.has(name);
}

const sourceOf = (endpoint: string): string => endpoint.split('/', 1)[0] ?? endpoint;

/** Lays out the map: recent readers first, each target near the mean of its readers so that few lines cross. */
export function layOutMap(items: readonly OwnerDebit[]): SharingMap {
  const allConsents = items
    .toSorted((a, b) => (b.lastRead ?? '').localeCompare(a.lastRead ?? ''))
    .map((item) => ({
      key: item.debit.dataDebitKey,
      name: item.debit.requestClientName,
      logo: item.debit.requestClientLogoUrl,
      item,
      targets: listConsentTargets(item),
    }));
  const consents = allConsents.slice(0, MAX_CONSENTS);
  const endpoints = new Set(consents.flatMap(({ targets }) => targets.map(({ endpoint }) => endpoint)));
  const idOf = endpoints.size > MAX_TARGETS ? sourceOf : (endpoint: string) => endpoint;

  const targetsById = new Map<string, { endpoints: Set<string>; readers: Set<number> }>();
  const isEntireByLine = new Map<string, boolean>();
  for (const [from, consent] of consents.entries()) {
    for (const target of consent.targets) {
      const id = idOf(target.endpoint);
      const mapTarget = targetsById.get(id) ?? { endpoints: new Set(), readers: new Set() };
      mapTarget.endpoints.add(target.endpoint);
      mapTarget.readers.add(from);
      targetsById.set(id, mapTarget);
      const lineKey = `${from} ${id}`;
      isEntireByLine.set(lineKey, (isEntireByLine.get(lineKey) ?? false) || target.entire);
    }
  }
  const meanPosition = ({ readers }: { readers: readonly number[] }): number =>
    readers.reduce((sum, index) => sum + index, 0) / readers.length;
  const targets = [...targetsById]
    .map(([id, mapTarget]) => ({ id, endpoints: [...mapTarget.endpoints], readers: [...mapTarget.readers] }))
    .toSorted((a, b) => meanPosition(a) - meanPosition(b) || a.id.localeCompare(b.id));
  const lines = targets.flatMap(({ id, readers }, to) =>
    readers.map((from) => ({ from, to, entire: isEntireByLine.get(`${from} ${id}`) === true })),
  );
  return { consents, targets, lines, hidden: allConsents.length - consents.length };
}
