import { setImmediate as nextTurn } from 'node:timers/promises';
import { blockOf, containsNumber, offsetInBlock } from '../rules.ts';
import type { LedgerStore } from '../store.ts';

/** Rows in the first batch that is read from a group. Few, because most groups contribute little to a page. */
const FIRST_BATCH_ROWS = 8;
/** Batches double up to this size. */
const MAX_BATCH_ROWS = 500;
/** Milliseconds after which the search yields to the event loop. */
const SLICE_MS = 5;
const EMPTY_SET = new Uint8Array();

/** Rows newer than `after` and older than `below`. */
export type Range = { after: number; below: number };

/**
 * Creates the search of the access log. It does not scan rows that do not match: each group is a list in the order of
 * time, so a page consists of the newest of the groups' newest rows. For a record, unions are checked first: a record
 * that is not in a union is in none of its rows.
 */
export const createSearch = (store: LedgerStore) => {
  function* rowsOf(grp: number, { after, below }: Range): Generator<number> {
    for (let take = FIRST_BATCH_ROWS, before = below; ; take = Math.min(2 * take, MAX_BATCH_ROWS)) {
      const batch = store.ids({ grp, after, below: before }, take);
      yield* batch;
      if (batch.length < take) return;
      before = batch.at(-1) ?? 0;
    }
  }

  function* scanRows(grp: number, recordNumber: number, range: Range): Generator<number> {
    const after = Math.max(range.after, 0);
    if (range.below <= after + 1) return;
    for (const row of store.sets({ grp, after, below: range.below }))
      if (containsNumber(row.places, recordNumber)) yield row.id;
  }

  /** Yields rows that contain the record, from the unions of a level that end within (after, upTo]. */
  function* searchUnions(
    grp: number,
    level: number,
    recordNumber: number,
    [after, upTo]: readonly [number, number],
    range: Range,
  ): Generator<number> {
    const [block, offset] = [blockOf(recordNumber), offsetInBlock(recordNumber)];
    for (const union of store.unions(grp, level, block, Math.max(after, range.after), upTo)) {
      if (union.first >= range.below || !containsNumber(union.places, offset)) continue;
      if (level > 1) {
        yield* searchUnions(grp, level - 1, recordNumber, [union.first - 1, union.last], range);
      } else {
        yield* scanRows(grp, recordNumber, {
          after: Math.max(union.first - 1, range.after),
          below: Math.min(union.last + 1, range.below),
        });
      }
    }
  }

  /** Yields rows of a group that contain the record, newest first. */
  function* rowsWithRecord(grp: number, recordNumber: number, range: Range): Generator<number> {
    const [rows = EMPTY_SET, level1 = EMPTY_SET, higher = EMPTY_SET] = store.groupSets(grp);
    const inRows = containsNumber(rows, recordNumber);
    const inLevel1 = containsNumber(level1, recordNumber);
    const inHigher = containsNumber(higher, recordNumber);
    if (!inRows && !inLevel1 && !inHigher) return;
    const lastRows = store.lastRowInUnions(grp);
    const lastRowInUnions = (level: number): number => lastRows[level] ?? 0;
    if (inRows)
      yield* scanRows(grp, recordNumber, { after: Math.max(lastRowInUnions(0), range.after), below: range.below });
    if (inLevel1) yield* searchUnions(grp, 1, recordNumber, [lastRowInUnions(1), lastRowInUnions(0)], range);
    if (!inHigher) return;
    for (let level = 2; lastRowInUnions(level - 1) > range.after; level += 1)
      yield* searchUnions(grp, level, recordNumber, [lastRowInUnions(level), lastRowInUnions(level - 1)], range);
  }

  /** Sorts groups by their newest row, so that the first groups already narrow the range for the others. */
  const sortByNewest = (groups: readonly number[], { after, below }: Range): { grp: number; newest: number }[] =>
    groups
      .flatMap((grp) => store.ids({ grp, after, below }, 1).map((newest) => ({ grp, newest })))
      .toSorted((a, b) => b.newest - a.newest);

  return {
    /**
     * Returns the newest rows of the given groups, newest first.
     * @param count maximum number of rows
     * @param recordNumber only rows that contain this record
     * @param isMatch filter applied to each row
     */
    async newest(
      groups: readonly number[],
      range: Range,
      {
        count,
        recordNumber,
        isMatch,
      }: { count: number; recordNumber: number | undefined; isMatch: (row: number) => boolean },
    ): Promise<number[]> {
      let best: number[] = [];
      let { after } = range;
      let sliceStart = performance.now();
      for (const { grp, newest } of sortByNewest(groups, range)) {
        if (newest <= after) break;
        if (performance.now() - sliceStart > SLICE_MS) {
          await nextTurn();
          sliceStart = performance.now();
        }
        const remaining = { after, below: range.below };
        const matches: number[] = [];
        for (const row of recordNumber === undefined
          ? rowsOf(grp, remaining)
          : rowsWithRecord(grp, recordNumber, remaining)) {
          if (isMatch(row)) matches.push(row);
          if (matches.length === count) break;
        }
        if (matches.length === 0) continue;
        best = [...best, ...matches].toSorted((a, b) => b - a).slice(0, count);
        // The page is full: only rows newer than its last row can still enter it.
        if (best.length === count) after = best.at(-1) ?? after;
      }
      return best;
    },
  };
};
