import type { Collector, Transaction } from '../../../storage/index.ts';
import { unionOf, type PackedNumbers } from '../rules.ts';
import type { AccessLogStore, DayRow, RecordUnion } from '../store.ts';

/** Number of members of a union: rows at level 1, unions of the level below at higher levels. */
const UNION_MEMBERS = 16;

export type RowTotals = DayRow & { recordNumbers: PackedNumbers | null };

export const createTotals = (parts: {
  store: AccessLogStore;
  notify: (tx: Transaction) => void;
}): Collector<RowTotals> => {
  const { store, notify } = parts;

  const insertUnionOf = (tx: Transaction, grp: number, level: number, members: readonly RecordUnion[]): RecordUnion => {
    const [first = 0, last = 0] = [members[0]?.first, members.at(-1)?.last];
    const union = { first, last, recordNumbers: unionOf(members.map(({ recordNumbers }) => recordNumbers)) };
    store.insertUnion(tx, grp, level, union);
    return union;
  };

  const buildRowUnions = (tx: Transaction, grp: number): PackedNumbers[] => {
    const builtSets: PackedNumbers[] = [];
    for (let after = store.lastRowInUnions(grp)[0] ?? 0; ;) {
      const rows = store.firstSets(grp, after, UNION_MEMBERS);
      if (rows.length < UNION_MEMBERS) return builtSets;
      const union = insertUnionOf(tx, grp, 1, rows);
      builtSets.push(union.recordNumbers);
      after = union.last;
    }
  };

  const buildUnions = (tx: Transaction, grp: number, level: number): PackedNumbers[] => {
    const builtSets: PackedNumbers[] = [];
    for (;;) {
      const members = store.pendingUnions(grp, level - 1).slice(0, UNION_MEMBERS);
      if (members.length < UNION_MEMBERS) return builtSets;
      const union = insertUnionOf(tx, grp, level, members);
      store.deletePending(tx, grp, level - 1, union.last);
      builtSets.push(union.recordNumbers);
    }
  };

  const updateUnions = (tx: Transaction, grp: number, addedSets: readonly PackedNumbers[]): void => {
    const level1 = buildRowUnions(tx, grp);
    const level2 = level1.length === 0 ? [] : buildUnions(tx, grp, 2);
    for (let level = 3, count = level2.length; count > 0; level += 1) count = buildUnions(tx, grp, level).length;
    const groupSets = store.groupSets(grp);
    const extend = (index: number, sets: readonly PackedNumbers[]): PackedNumbers => {
      const existing = groupSets[index];
      return unionOf(existing === undefined ? sets : [existing, ...sets]);
    };
    const rebuild = (members: readonly RecordUnion[]): PackedNumbers =>
      unionOf(members.map(({ recordNumbers }) => recordNumbers));
    const rowsOutsideUnions = (): RecordUnion[] =>
      store.firstSets(grp, store.lastRowInUnions(grp)[0] ?? 0, UNION_MEMBERS);
    store.putGroupSet(tx, grp, 0, level1.length === 0 ? extend(0, addedSets) : rebuild(rowsOutsideUnions()));
    if (level1.length > 0) {
      const set = level2.length === 0 ? extend(1, level1) : rebuild(store.pendingUnions(grp, 1));
      store.putGroupSet(tx, grp, 1, set);
    }
    if (level2.length > 0) store.putGroupSet(tx, grp, 2, extend(2, level2));
  };

  return {
    flush(tx, items) {
      const sums = new Map<string, DayRow>();
      const newSets = new Map<number, PackedNumbers[]>();
      for (const { day, grp, calls, records, recordNumbers } of items) {
        if (recordNumbers !== null) newSets.set(grp, [...(newSets.get(grp) ?? []), recordNumbers]);
        const key = `${day} ${grp}`;
        const sum = sums.get(key);
        if (sum === undefined) sums.set(key, { day, grp, calls, records });
        else {
          sum.calls += calls;
          sum.records += records;
        }
      }
      for (const row of sums.values()) store.addTotals(tx, row);
      for (const [grp, addedSets] of newSets) updateUnions(tx, grp, addedSets);
      notify(tx);
    },
  };
};
