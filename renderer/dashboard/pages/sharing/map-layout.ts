import type { OwnerDebit } from '../../../shared/api/contract.ts';
import { plainBundle } from '../../../shared/consent/bundle-text.ts';
import { mainPermission } from './status-text.ts';

/** Who can see what, as two columns and lines between them. */

interface MapConsent {
  key: string;
  name: string;
  logo: string;
  item: OwnerDebit;
  places: { endpoint: string; entire: boolean; fields: number }[];
}

export interface MapPlace {
  /** An endpoint, or a source when there are too many endpoints for one picture. */
  id: string;
  /** Its shared endpoints. */
  endpoints: string[];
  /** Positions of the consents that see it. */
  seenBy: number[];
}

interface MapLine {
  from: number;
  to: number;
  entire: boolean;
}

export interface SharingMap {
  consents: MapConsent[];
  places: MapPlace[];
  lines: MapLine[];
  /** Consents that the picture has no room for. */
  hidden: number;
}

const MOST_CONSENTS = 14;
const MOST_PLACES = 18;

export function consentPlaces(item: OwnerDebit): MapConsent['places'] {
  const places = new Map<string, { endpoint: string; entire: boolean; fields: number }>();
  for (const entry of plainBundle(mainPermission(item).bundle.bundle).flatMap(({ entries }) => entries)) {
    const place = places.get(entry.endpoint) ?? { endpoint: entry.endpoint, entire: false, fields: 0 };
    places.set(entry.endpoint, {
      ...place,
      entire: place.entire || entry.fields === null,
      fields: place.fields + (entry.fields?.length ?? 0),
    });
  }
  return [...places.values()];
}

/** Says of a consent whether its holder has another one here: then the name alone does not tell them apart. */
export function sharedNames(items: readonly OwnerDebit[]): (name: string) => boolean {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { debit } of items) (seen.has(debit.requestClientName) ? twice : seen).add(debit.requestClientName);
  return (name) => twice.has(name);
}

const sourceOf = (endpoint: string): string => endpoint.split('/', 1)[0] ?? endpoint;

/** Those that looked last come first; each place stands near the middle of those that see it, so that few lines cross. */
export function layOut(items: readonly OwnerDebit[]): SharingMap {
  const all = items
    .toSorted((a, b) => (b.lastRead ?? '').localeCompare(a.lastRead ?? ''))
    .map((item) => ({
      key: item.debit.dataDebitKey,
      name: item.debit.requestClientName,
      logo: item.debit.requestClientLogoUrl,
      item,
      places: consentPlaces(item),
    }));
  const consents = all.slice(0, MOST_CONSENTS);
  const endpoints = new Set(consents.flatMap(({ places }) => places.map(({ endpoint }) => endpoint)));
  const idOf = endpoints.size > MOST_PLACES ? sourceOf : (endpoint: string) => endpoint;

  const found = new Map<string, { endpoints: Set<string>; seenBy: Set<number> }>();
  const entire = new Map<string, boolean>();
  for (const [from, consent] of consents.entries()) {
    for (const place of consent.places) {
      const id = idOf(place.endpoint);
      const one = found.get(id) ?? { endpoints: new Set(), seenBy: new Set() };
      one.endpoints.add(place.endpoint);
      one.seenBy.add(from);
      found.set(id, one);
      const line = `${from} ${id}`;
      entire.set(line, (entire.get(line) ?? false) || place.entire);
    }
  }
  const middle = ({ seenBy }: { seenBy: readonly number[] }): number =>
    seenBy.reduce((sum, at) => sum + at, 0) / seenBy.length;
  const places = [...found]
    .map(([id, one]) => ({ id, endpoints: [...one.endpoints], seenBy: [...one.seenBy] }))
    .toSorted((a, b) => middle(a) - middle(b) || a.id.localeCompare(b.id));
  const lines = places.flatMap(({ id, seenBy }, to) =>
    seenBy.map((from) => ({ from, to, entire: entire.get(`${from} ${id}`) === true })),
  );
  return { consents, places, lines, hidden: all.length - consents.length };
}
