import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { Transaction } from '../../../storage/index.ts';
import type { Consent, LedgerEntry, Party } from '../entry.ts';
import type { LedgerStore } from '../store.ts';

/** What rows of the same kind of call share, as it is stored: once for all of them. */
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
  /** What a user was called then: readable also when there is no such user any more. */
  person?: string,
];

const MAX_KEPT = 2000;

/** Calls that read, by their action (those of contracts carry their credentials in a body), and what is handed to a function elsewhere. */
const isRead = (action: string): boolean =>
  action.startsWith('GET ') || action === 'function run' || action.startsWith('POST /api/v2.6/contract-data/read/');

/** Interns what rows are searched by (groups) and what they say in common (shapes). */
export const createShapes = (store: LedgerStore) => {
  /** Ids of what is committed. */
  const groups = new Map<string, number>();
  const ids = new Map<string, number>();
  const shapes = new Map<number, Shape>();

  const interned = (tx: Transaction, known: Map<string, number>, key: string, make: () => number): number => {
    const id = known.get(key);
    if (id !== undefined) return id;
    const made = make();
    tx.afterCommit(() => setBounded(known, key, made, MAX_KEPT));
    return made;
  };

  return {
    /** @param holds whether the row names records */
    groupOf(tx: Transaction, { who, consent, reason, action }: LedgerEntry, holds: boolean): number {
      const group = {
        who_kind: who.kind,
        who_name: who.name,
        consent_kind: consent?.kind ?? '',
        consent_name: consent?.name ?? '',
        refused: reason === null ? 0 : 1,
        reads: isRead(action) ? 1 : 0,
        holds: holds ? 1 : 0,
      };
      return interned(tx, groups, JSON.stringify(group), () => store.group(tx, group));
    },

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
      return interned(tx, ids, text, () => store.shape(tx, text));
    },

    read(id: number): Shape {
      const known = shapes.get(id);
      if (known !== undefined) return known;
      const text = store.shapeOf(id);
      if (text === undefined) throw new Error(`the ledger has no shape ${id}`);
      // The column holds a serialised Shape.
      const shape = JSON.parse(text) as Shape;
      setBounded(shapes, id, shape, MAX_KEPT);
      return shape;
    },
  };
};
