import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { Transaction } from '../../../storage/index.ts';
import { pack, runsOf, type Packed } from '../rules.ts';
import type { LedgerStore } from '../store.ts';

/** What the ledger must know of records and their ids. */
export type KnownRecords = {
  /** Id and endpoint path of a record that is here. */
  at(seq: number): { id: string; endpoint: string | undefined } | undefined;
  /** The place in the order of creation that an id names. */
  seqOf(id: string): number | undefined;
  /** The part of an id that follows from its place: all but the last seventeen characters. */
  idHead(seq: number): string;
};

/** Neighbours that are read together. */
const AT_ONCE = 500;
/** Adjacent rows whose sequential read costs as much as one look-up. */
const WORTH_IT = 5;
const TAIL_CHARS = 17;
const UNKNOWN_TAIL = '8000-000000000000';
/** Sets of the last calls: a program that asks again and again mostly gets the same records. */
const MAX_KEPT_SETS = 200;

const tailOf = (id: string): Uint8Array => Buffer.from(id.slice(-TAIL_CHARS).replace('-', ''), 'hex');
const tailText = (tail: Uint8Array | null): string => {
  if (tail === null) return UNKNOWN_TAIL;
  const hex = Buffer.from(tail).toString('hex');
  return `${hex.slice(0, 4)}-${hex.slice(4)}`;
};

const sameList = (a: readonly number[], b: readonly number[]): boolean => {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
};

/**
 * The ledger's own numbers of records. A record gets the next one when it is first seen, so that records which leave together are
 * neighbours, however far apart they came; and its id is kept, so that the ledger can name it when it is gone.
 */
export const createPlaces = (parts: { store: LedgerStore; records: KnownRecords }) => {
  const { store, records } = parts;
  const kept = new Map<string, { seqs: readonly number[]; packed: Packed }>();

  /** Numbers of records in order. They are read as they lie beside each other, until they prove to lie far apart. */
  const numbers = (tx: Transaction, seqs: readonly number[], gone?: ReadonlyMap<number, string>): number[] => {
    const found: number[] = [];
    let apart = false;
    for (let at = 0; at < seqs.length;) {
      const first = seqs[at] ?? 0;
      if (apart) {
        found.push(number(tx, first, gone));
        at += 1;
        continue;
      }
      const wanted = Math.min(seqs.length - at, AT_ONCE);
      const near = store.placesFrom(first, wanted);
      const upTo = near.length < wanted ? Number.POSITIVE_INFINITY : (near.at(-1)?.[0] ?? 0);
      let known = 0;
      for (let next = 0; at < seqs.length; at += 1) {
        const seq = seqs[at] ?? 0;
        if (seq > upTo) break;
        while (next < near.length && (near[next]?.[0] ?? 0) < seq) next += 1;
        const beside = near[next];
        if (beside?.[0] === seq) known += 1;
        found.push(beside?.[0] === seq ? beside[1] : make(tx, seq, gone));
      }
      apart = known * WORTH_IT < near.length;
    }
    return found;
  };

  const number = (tx: Transaction, seq: number, gone: ReadonlyMap<number, string> | undefined): number => {
    return store.findPlace(seq) ?? make(tx, seq, gone);
  };

  const make = (tx: Transaction, seq: number, gone: ReadonlyMap<number, string> | undefined): number => {
    const id = records.at(seq)?.id ?? gone?.get(seq);
    return store.insertPlace(tx, seq, id === undefined ? null : tailOf(id));
  };

  return {
    /** Numbers of records, given in order; new ones are made in that order. */
    numbers,

    /** The packed numbers of a set of records. */
    packed(tx: Transaction, seqs: readonly number[], gone?: ReadonlyMap<number, string>): Packed {
      const key = `${seqs.length} ${seqs[0]} ${seqs.at(-1)}`;
      const before = kept.get(key);
      if (before !== undefined && sameList(before.seqs, seqs)) {
        // Used last, dropped last.
        kept.delete(key);
        kept.set(key, before);
        return before.packed;
      }
      const packed = pack(runsOf(numbers(tx, seqs, gone)));
      tx.afterCommit(() => setBounded(kept, key, { seqs, packed }, MAX_KEPT_SETS));
      return packed;
    },

    /** The number of a record by its id; undefined when the ledger never met it. */
    find(id: string): number | undefined {
      const seq = records.seqOf(id);
      const found = seq === undefined ? undefined : store.bySeq(seq);
      if (found === undefined) return undefined;
      return found.tail === null || Buffer.from(found.tail).equals(tailOf(id.toLowerCase())) ? found.place : undefined;
    },

    describe(place: number): { recordId: string; endpoint: string | null; here: boolean } | undefined {
      const found = store.byPlace(place);
      if (found === undefined) return undefined;
      const recordId = records.idHead(found.seq) + tailText(found.tail);
      const record = records.at(found.seq);
      const here = record?.id === recordId && record.endpoint !== undefined;
      return { recordId, endpoint: here ? (record.endpoint ?? null) : null, here };
    },
  };
};

export type Places = ReturnType<typeof createPlaces>;
