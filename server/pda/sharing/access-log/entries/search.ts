import { setImmediate as nextTurn } from 'node:timers/promises';
import { blockOf, containsNumber, offsetInBlock } from '../rules.ts';
import type { AccessLogStore } from '../store.ts';

/** Small, because most groups contribute few rows to a page. */
const FIRST_BATCH_ROWS = 8;
/** Each batch is twice as large as the previous batch, up to this size. */
const MAX_BATCH_ROWS = 500;
const SLICE_MS = 5;
const EMPTY_SET = new Uint8Array();

/** Row ids; both ends are exclusive. */
export type RowIdRange = { after: number; below: number };

/** Rows in order of time. A page consists of the newest rows of several sources. */
export type RowSource = {
  /** Returns up to `take` rows, newest first. Unlike `rows`, includes rows without the record of the search. */
  ids(range: RowIdRange, take: number): number[];
  rows(range: RowIdRange): Generator<number>;
  /** Additional filter. Default: all rows match. */
  isMatch?(row: number): boolean;
};

type ScanOptions = { count: number; maxRows: number; isMatch: (row: number, grp: number, shape: number) => boolean };

/**
 * Creates the search of the access log. The rows of each group and each shape form a list in order of time, and a
 * page merges the newest rows of these lists. A search for a record checks unions of record sets first: if a union does
 * not contain the record, none of its rows does.
 */
export const createSearch = (store: AccessLogStore) => {
  function* rowsOf(ids: RowSource['ids'], { after, below }: RowIdRange): Generator<number> {
    for (let take = FIRST_BATCH_ROWS, before = below; ; take = Math.min(2 * take, MAX_BATCH_ROWS)) {
      const batch = ids({ after, below: before }, take);
      yield* batch;
      if (batch.length < take) return;
      before = batch.at(-1) ?? 0;
    }
  }

  function* scanRows(grp: number, recordNumber: number, range: RowIdRange): Generator<number> {
    const after = Math.max(range.after, 0);
    if (range.below <= after + 1) return;
    for (const row of store.sets({ grp, after, below: range.below }))
      if (containsNumber(row.recordNumbers, recordNumber)) yield row.id;
  }

  function* searchUnions(
    grp: number,
    level: number,
    recordNumber: number,
    [after, upTo]: readonly [number, number],
    range: RowIdRange,
  ): Generator<number> {
    const [block, offset] = [blockOf(recordNumber), offsetInBlock(recordNumber)];
    for (const union of store.unions(grp, level, block, Math.max(after, range.after), upTo)) {
      if (union.first >= range.below || !containsNumber(union.offsets, offset)) continue;
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

  function* rowsWithRecord(grp: number, recordNumber: number, range: RowIdRange): Generator<number> {
    const [rows = EMPTY_SET, level1 = EMPTY_SET, higherLevels = EMPTY_SET] = store.groupSets(grp);
    const isInRows = containsNumber(rows, recordNumber);
    const isInLevel1 = containsNumber(level1, recordNumber);
    const isInHigherLevel = containsNumber(higherLevels, recordNumber);
    if (!isInRows && !isInLevel1 && !isInHigherLevel) return;
    const lastRows = store.lastRowInUnions(grp);
    const lastRowInUnions = (level: number): number => lastRows[level] ?? 0;
    if (isInRows)
      yield* scanRows(grp, recordNumber, { after: Math.max(lastRowInUnions(0), range.after), below: range.below });
    if (isInLevel1) yield* searchUnions(grp, 1, recordNumber, [lastRowInUnions(1), lastRowInUnions(0)], range);
    if (!isInHigherLevel) return;
    for (let level = 2; lastRowInUnions(level - 1) > range.after; level += 1)
      yield* searchUnions(grp, level, recordNumber, [lastRowInUnions(level), lastRowInUnions(level - 1)], range);
  }

  /** Sorts sources by their newest row, so that the first sources narrow the range for the others. */
  const sortByNewest = (sources: readonly RowSource[], range: RowIdRange): { source: RowSource; newest: number }[] =>
    sources
      .flatMap((source) => source.ids(range, 1).map((newest) => ({ source, newest })))
      .toSorted((a, b) => b.newest - a.newest);

  return {
    groupSource(grp: number, recordNumber?: number): RowSource {
      const ids: RowSource['ids'] = (range, take) => store.ids({ grp, ...range }, take);
      return {
        ids,
        rows: (range) => (recordNumber === undefined ? rowsOf(ids, range) : rowsWithRecord(grp, recordNumber, range)),
      };
    },

    shapeSource(shape: number): RowSource {
      const ids: RowSource['ids'] = (range, take) => store.idsOfShape(shape, range, take);
      return { ids, rows: (range) => rowsOf(ids, range) };
    },

    /** Returns the newest matching rows of the sources, each once, newest first. */
    async findNewest(
      sources: readonly RowSource[],
      range: RowIdRange,
      { count, isMatch }: { count: number; isMatch: (row: number) => boolean },
    ): Promise<number[]> {
      let newestRows: number[] = [];
      let { after } = range;
      let sliceStart = performance.now();
      const yieldIfDue = async (): Promise<void> => {
        if (performance.now() - sliceStart <= SLICE_MS) return;
        await nextTurn();
        sliceStart = performance.now();
      };
      for (const { source, newest } of sortByNewest(sources, range)) {
        if (newest <= after) break;
        await yieldIfDue();
        const matches: number[] = [];
        for (const row of source.rows({ after, below: range.below })) {
          if (isMatch(row) && source.isMatch?.(row) !== false) matches.push(row);
          if (matches.length === count) break;
          await yieldIfDue();
        }
        if (matches.length === 0) continue;
        newestRows = [...new Set([...newestRows, ...matches])].toSorted((a, b) => b - a).slice(0, count);
        // The page is full: only rows newer than its last row can still become part of it.
        if (newestRows.length === count) after = newestRows.at(-1) ?? after;
      }
      return newestRows;
    },

    /**
     * Scans rows, newest first, until `count` rows match or about `maxRows` are scanned. This is faster than one list
     * per shape if many shapes match. `end` is the row at which the scan reached `maxRows`; otherwise undefined.
     */
    async scan(range: RowIdRange, { count, maxRows, isMatch }: ScanOptions) {
      const rows: number[] = [];
      let { below } = range;
      for (let scannedCount = 0; scannedCount < maxRows;) {
        const batch = store.scan({ after: range.after, below }, MAX_BATCH_ROWS);
        for (const [id, grp, shape] of batch) {
          if (isMatch(id, grp, shape)) rows.push(id);
          if (rows.length === count) return { rows, end: undefined };
        }
        if (batch.length < MAX_BATCH_ROWS) return { rows, end: undefined };
        below = batch.at(-1)?.[0] ?? 0;
        scannedCount += batch.length;
        await nextTurn();
      }
      return { rows, end: below };
    },
  };
};
