import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { Consent, AccessLogEntry, LoggedPrincipal } from '../entry.ts';
import type { AccessLogStore } from '../store.ts';

/** Attributes that the rows of repeated requests share. Stored once. */
export type Shape = [
  whoKind: LoggedPrincipal['kind'],
  whoName: string,
  action: string,
  status: number,
  reason: string | null,
  consent: [kind: Consent['kind'], name: string, detail: string] | null,
  endpoints: string[],
  fields: readonly string[] | null,
  address: string,
  /** Name of the user at the time of the request. */
  person?: string,
];

const MAX_CACHED_ENTRIES = 2000;

/**
 * Returns true for actions that count as reads: all GET requests, contract reads (POST requests, because their body
 * contains credentials) and function runs (the log contains only those of remote functions, which receive records).
 */
export const isRead = (action: string): boolean =>
  action.startsWith('GET ') || action === 'function run' || action.startsWith('POST /api/v2.6/contract-data/read/');

/** Interns the attributes by which rows are searched (groups) and the attributes that rows share (shapes). */
export const createInterning = (store: AccessLogStore) => {
  const groups = new Map<string, number>();
  const shapeIds = new Map<string, number>();
  const shapes = new Map<number, Shape>();

  const intern = (tx: Transaction, cache: Map<string, number>, key: string, findOrInsert: () => number): number => {
    const cachedId = cache.get(key);
    if (cachedId !== undefined) return cachedId;
    const id = findOrInsert();
    // Cached only after the commit, because the transaction may be rolled back.
    tx.afterCommit(() => setBounded(cache, key, id, MAX_CACHED_ENTRIES));
    return id;
  };

  return {
    internGroup(tx: Transaction, { who, consent, reason, action }: AccessLogEntry, hasRecords: boolean): number {
      const group = {
        who_kind: who.kind,
        who_name: who.name,
        consent_kind: consent?.kind ?? '',
        consent_name: consent?.name ?? '',
        refused: reason === null ? 0 : 1,
        // The owner's decisions are not reads, although some are GET requests.
        reads: who.kind !== 'owner' && isRead(action) ? 1 : 0,
        has_records: hasRecords ? 1 : 0,
      };
      return intern(tx, groups, JSON.stringify(group), () => store.findOrInsertGroup(tx, group));
    },

    internShape(tx: Transaction, entry: AccessLogEntry): number {
      const { who, action, status, reason, consent, fields, address } = entry;
      const shape: Shape = [
        who.kind,
        who.name,
        action,
        status,
        reason,
        consent === null ? null : [consent.kind, consent.name, consent.detail],
        [...entry.records.keys()].toSorted(),
        fields,
        address,
      ];
      const text = JSON.stringify(who.kind === 'user' ? [...shape, who.person] : shape);
      return intern(tx, shapeIds, text, () => store.findOrInsertShape(tx, text));
    },

    read(id: number): Shape {
      const cachedShape = shapes.get(id);
      if (cachedShape !== undefined) return cachedShape;
      const text = store.shapeOf(id);
      if (text === undefined) throw new Error(`the access log has no shape ${id}`);
      const shape = JSON.parse(text) as Shape;
      setBounded(shapes, id, shape, MAX_CACHED_ENTRIES);
      return shape;
    },
  };
};

export type Interning = ReturnType<typeof createInterning>;
