import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { Consent, LedgerEntry, Party } from '../entry.ts';
import type { LedgerStore } from '../store.ts';

/** Attributes that rows of similar requests have in common, in the stored form. Interned: stored once. */
export type Shape = [
  whoKind: Party['kind'],
  whoName: string,
  action: string,
  status: number,
  reason: string | null,
  consent: [kind: Consent['kind'], name: string, detail: string] | null,
  endpoints: string[],
  fields: readonly string[] | null,
  address: string,
  /** Name of the user at the time of the request, so that it can be shown after the user was deleted. */
  person?: string,
];

/** Maximum number of entries per cache. */
const MAX_CACHED_ENTRIES = 2000;

/**
 * Returns true for reads, which include contract reads (POST, because the credentials are in the body) and records sent
 * to a remote function.
 */
export const isRead = (action: string): boolean =>
  action.startsWith('GET ') || action === 'function run' || action.startsWith('POST /api/v2.6/contract-data/read/');

/** Interns the attributes by which rows are searched (groups) and those that rows share (shapes). */
export const createInterning = (store: LedgerStore) => {
  // The caches contain only committed rows.
  const groups = new Map<string, number>();
  const shapeIds = new Map<string, number>();
  const shapes = new Map<number, Shape>();

  const intern = (tx: Transaction, cache: Map<string, number>, key: string, findOrInsert: () => number): number => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const id = findOrInsert();
    tx.afterCommit(() => setBounded(cache, key, id, MAX_CACHED_ENTRIES));
    return id;
  };

  return {
    /** Returns the id of the group of an entry. @param hasRecords whether the row has a set of records */
    groupOf(tx: Transaction, { who, consent, reason, action }: LedgerEntry, hasRecords: boolean): number {
      const group = {
        who_kind: who.kind,
        who_name: who.name,
        consent_kind: consent?.kind ?? '',
        consent_name: consent?.name ?? '',
        refused: reason === null ? 0 : 1,
        // Decisions of the owner are not reads, although some of them are GET requests.
        reads: who.kind !== 'owner' && isRead(action) ? 1 : 0,
        holds: hasRecords ? 1 : 0,
      };
      return intern(tx, groups, JSON.stringify(group), () => store.group(tx, group));
    },

    /** Returns the id of the shape of an entry. */
    shapeOf(tx: Transaction, entry: LedgerEntry): number {
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
      return intern(tx, shapeIds, text, () => store.shape(tx, text));
    },

    /** Returns a stored shape. @throws Error if there is none with this id */
    read(id: number): Shape {
      const cached = shapes.get(id);
      if (cached !== undefined) return cached;
      const text = store.shapeOf(id);
      if (text === undefined) throw new Error(`the access log has no shape ${id}`);
      // The column contains a serialised Shape.
      const shape = JSON.parse(text) as Shape;
      setBounded(shapes, id, shape, MAX_CACHED_ENTRIES);
      return shape;
    },
  };
};

export type Interning = ReturnType<typeof createInterning>;
