import { namespaceOf } from '../../../../../server/wire/display-name.ts';
import type { EndpointSummary, NamespaceDisplay } from '../../../../shared/api/contract.ts';
import { compare } from '../../../../shared/format/format.ts';

export interface Source {
  namespace: string;
  /** The owner's name for the source; otherwise the namespace. */
  title: string;
  /** Empty if the owner has chosen nothing. */
  display: NamespaceDisplay;
  endpoints: EndpointSummary[];
  records: number;
  bytes: number;
  lastChange: string | null;
}

function earliest(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

function latest(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

/** Sorts sources by title and endpoints by path. */
export function groupBySource(endpoints: readonly EndpointSummary[]): Source[] {
  const sources = new Map<string, Source>();
  for (const summary of endpoints) {
    const namespace = namespaceOf(summary.endpoint);
    const display = summary.namespaceDisplay ?? {};
    const source = sources.get(namespace) ?? {
      namespace,
      title: display.name ?? namespace,
      display,
      endpoints: [],
      records: 0,
      bytes: 0,
      lastChange: null,
    };
    source.endpoints.push(summary);
    source.records += summary.records;
    source.bytes += summary.bytes;
    source.lastChange = latest(source.lastChange, summary.lastChange);
    sources.set(namespace, source);
  }
  for (const source of sources.values()) source.endpoints.sort((a, b) => compare(a.endpoint, b.endpoint));
  return [...sources.values()].toSorted((a, b) => compare(a.title, b.title));
}

/** Returns the totals of the endpoints. `since` is the time of the oldest record. */
export function sumEndpoints(endpoints: readonly EndpointSummary[]): {
  records: number;
  bytes: number;
  since: string | null;
} {
  let records = 0;
  let bytes = 0;
  let since: string | null = null;
  for (const summary of endpoints) {
    records += summary.records;
    bytes += summary.bytes;
    since = earliest(since, summary.firstRecord);
  }
  return { records, bytes, since };
}
