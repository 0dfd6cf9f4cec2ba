import type { Collector, Transaction } from '../../../storage/index.ts';
import { unite, type Packed } from '../rules.ts';
import type { DayRow, LedgerStore, Union } from '../store.ts';

/** Rows, or unions, that one union holds. */
const IN_A_UNION = 16;

/** What a row adds to its group. */
export type Added = DayRow & { places: Packed | null };

/** Sums up what came to the groups, once for all rows of a transaction. */
export const createTotals = (parts: { store: LedgerStore; announce: (tx: Transaction) => void }): Collector<Added> => {
  const { store, announce } = parts;

  const makeUnion = (tx: Transaction, grp: number, level: number, members: readonly Union[]): Union => {
    const [first = 0, last = 0] = [members[0]?.first, members.at(-1)?.last];
    const union = { first, last, places: unite(members.map((one) => one.places)) };
    store.insertUnion(tx, grp, level, union);
    return union;
  };

  /** Unites rows for as long as there are enough that are in no union. */
  const uniteRows = (tx: Transaction, grp: number): Packed[] => {
    const made: Packed[] = [];
    for (let after = store.unitedUpTo(grp)[0] ?? 0; ;) {
      const rows = store.firstSets(grp, after, IN_A_UNION);
      if (rows.length < IN_A_UNION) return made;
      const union = makeUnion(tx, grp, 1, rows);
      made.push(union.places);
      after = union.last;
    }
  };

  /** Unites unions of the level below. */
  const uniteUnions = (tx: Transaction, grp: number, level: number): Packed[] => {
    const made: Packed[] = [];
    for (;;) {
      const members = store.waiting(grp, level - 1).slice(0, IN_A_UNION);
      if (members.length < IN_A_UNION) return made;
      const union = makeUnion(tx, grp, level, members);
      store.dropWaiting(tx, grp, level - 1, union.last);
      made.push(union.places);
    }
  };

  /** @param added the places of rows that have just come */
  const grow = (tx: Transaction, grp: number, added: readonly Packed[]): void => {
    const ones = uniteRows(tx, grp);
    const twos = ones.length === 0 ? [] : uniteUnions(tx, grp, 2);
    for (let level = 3, made = twos.length; made > 0; level += 1) made = uniteUnions(tx, grp, level).length;
    const met = store.met(grp);
    const grown = (level: number, more: readonly Packed[]): Packed => {
      const before = met[level];
      return unite(before === undefined ? more : [before, ...more]);
    };
    const rebuild = (members: readonly Union[]): Packed => unite(members.map((one) => one.places));
    const rest = (): Union[] => store.firstSets(grp, store.unitedUpTo(grp)[0] ?? 0, IN_A_UNION);
    store.setMet(tx, grp, 0, ones.length === 0 ? grown(0, added) : rebuild(rest()));
    if (ones.length > 0) store.setMet(tx, grp, 1, twos.length === 0 ? grown(1, ones) : rebuild(store.waiting(grp, 1)));
    if (twos.length > 0) store.setMet(tx, grp, 2, grown(2, twos));
  };

  return {
    flush(tx, items) {
      const merged = new Map<string, DayRow>();
      const holding = new Map<number, Packed[]>();
      for (const { day, grp, calls, records, places } of items) {
        if (places !== null) holding.set(grp, [...(holding.get(grp) ?? []), places]);
        const key = `${day} ${grp}`;
        const known = merged.get(key);
        if (known === undefined) merged.set(key, { day, grp, calls, records });
        else {
          known.calls += calls;
          known.records += records;
        }
      }
      for (const row of merged.values()) store.addTotals(tx, row);
      for (const [grp, added] of holding) grow(tx, grp, added);
      announce(tx);
    },
  };
};
