import { setImmediate as turn } from 'node:timers/promises';
import { blockOf, holdsPlace, withinBlock } from '../rules.ts';
import type { LedgerStore } from '../store.ts';

/** Rows that are read in one go: few first, of many groups few have something for the page. */
const FEW = 8;
const MANY = 500;
/** Milliseconds after which others get their turn. */
const SLICE_MS = 5;
const NONE = new Uint8Array();

/** Rows newer than `after` and older than `below`. */
export type Range = { after: number; below: number };

/**
 * Finds rows without looking through those that do not match. Each group is a list in the order of time, so a page is the newest of the
 * groups' newest rows. For one record the unions are asked first: what a union does not hold, none of its rows holds.
 */
export const createSearch = (store: LedgerStore) => {
  function* rowsOf(grp: number, { after, below }: Range): Generator<number> {
    for (let take = FEW, before = below; ; take = Math.min(2 * take, MANY)) {
      const found = store.ids({ grp, after, below: before }, take);
      yield* found;
      if (found.length < take) return;
      before = found.at(-1) ?? 0;
    }
  }

  function* holdingIn(grp: number, place: number, range: Range): Generator<number> {
    const after = Math.max(range.after, 0);
    if (range.below <= after + 1) return;
    for (const row of store.sets({ grp, after, below: range.below })) if (holdsPlace(row.places, place)) yield row.id;
  }

  /** Unions of a level that end within (after, upTo], opened where they hold the place. */
  function* inUnions(
    grp: number,
    level: number,
    place: number,
    [after, upTo]: readonly [number, number],
    range: Range,
  ): Generator<number> {
    const [block, within] = [blockOf(place), withinBlock(place)];
    for (const union of store.unions(grp, level, block, Math.max(after, range.after), upTo)) {
      if (union.first >= range.below || !holdsPlace(union.places, within)) continue;
      if (level > 1) {
        yield* inUnions(grp, level - 1, place, [union.first - 1, union.last], range);
      } else {
        yield* holdingIn(grp, place, {
          after: Math.max(union.first - 1, range.after),
          below: Math.min(union.last + 1, range.below),
        });
      }
    }
  }

  function* holding(grp: number, place: number, range: Range): Generator<number> {
    const [rows = NONE, ones = NONE, others = NONE] = store.met(grp);
    const inRows = holdsPlace(rows, place);
    const inOnes = holdsPlace(ones, place);
    const inOthers = holdsPlace(others, place);
    if (!inRows && !inOnes && !inOthers) return;
    const upTo = store.unitedUpTo(grp);
    const below = (level: number): number => upTo[level] ?? 0;
    if (inRows) yield* holdingIn(grp, place, { after: Math.max(below(0), range.after), below: range.below });
    if (inOnes) yield* inUnions(grp, 1, place, [below(1), below(0)], range);
    if (!inOthers) return;
    for (let level = 2; below(level - 1) > range.after; level += 1)
      yield* inUnions(grp, level, place, [below(level), below(level - 1)], range);
  }

  /** Rows of some groups by the newest that each has, so that the first ones already say from where on the others are of interest. */
  const byNewest = (groups: readonly number[], { after, below }: Range): { grp: number; newest: number }[] =>
    groups
      .flatMap((grp) => store.ids({ grp, after, below }, 1).map((newest) => ({ grp, newest })))
      .toSorted((a, b) => b.newest - a.newest);

  return {
    /**
     * Returns the newest rows of the given groups, newest first.
     * @param count maximum number of rows
     * @param place only rows that contain this sequence number
     * @param fits filter applied to each row
     */
    async newest(
      groups: readonly number[],
      range: Range,
      { count, place, fits }: { count: number; place: number | undefined; fits: (row: number) => boolean },
    ): Promise<number[]> {
      let best: number[] = [];
      let { after } = range;
      let begun = performance.now();
      for (const { grp, newest } of byNewest(groups, range)) {
        if (newest <= after) break;
        if (performance.now() - begun > SLICE_MS) {
          await turn();
          begun = performance.now();
        }
        const left = { after, below: range.below };
        const found: number[] = [];
        for (const row of place === undefined ? rowsOf(grp, left) : holding(grp, place, left)) {
          if (fits(row)) found.push(row);
          if (found.length === count) break;
        }
        if (found.length === 0) continue;
        best = [...best, ...found].toSorted((a, b) => b - a).slice(0, count);
        // There are enough: only what is newer than the last of them still counts.
        if (best.length === count) after = best.at(-1) ?? after;
      }
      return best;
    },
  };
};
