import { describe, expect, it } from 'vitest';
import { evenRows, groupedRows } from './grid-rows.ts';

describe('rows without headings', () => {
  const rows = evenRows(7, 3);

  it('contain one item per column, with the remainder in the last row', () => {
    expect([rows.rowCount, rows.unitCount]).toEqual([3, 3]);
    expect(rows.between(1, 2)).toEqual([
      { kind: 'items', unit: 1, number: 1, first: 3, last: 5 },
      { kind: 'items', unit: 2, number: 2, first: 6, last: 6 },
    ]);
    expect([rows.firstAt(1), rows.lastAt(1), rows.lastAt(2)]).toEqual([3, 5, 6]);
  });

  it('find the item above or below, or return the item itself if there is none', () => {
    expect([rows.above(4), rows.above(1), rows.below(2), rows.below(6)]).toEqual([1, 1, 5, 6]);
  });
});

/**
 * Units:  0 heading · 1–4 items 0 1 2 · 5–8 items 3 · 9 heading · 10–13 items 4 5
 */
const rows = groupedRows([4, 2], { total: 6, columns: 3, unitsPerRow: 4 });

describe('rows with headings', () => {
  it('begin a new row for each group', () => {
    expect([rows.unitCount, rows.rowCount]).toEqual([14, 5]);
    expect([0, 2, 3, 4, 5].map(rows.unitOf)).toEqual([1, 1, 5, 10, 10]);
    expect(rows.between(0, 13)).toEqual([
      { kind: 'heading', unit: 0, number: 0, group: 0 },
      { kind: 'items', unit: 1, number: 1, first: 0, last: 2 },
      { kind: 'items', unit: 5, number: 2, first: 3, last: 3 },
      { kind: 'heading', unit: 9, number: 3, group: 1 },
      { kind: 'items', unit: 10, number: 4, first: 4, last: 5 },
    ]);
  });

  it('are found if any of their units is in the range', () => {
    const unitsBetween = (first: number, last: number) => rows.between(first, last).map(({ unit }) => unit);
    expect(unitsBetween(4, 5)).toEqual([1, 5]);
    expect(unitsBetween(8, 9)).toEqual([5, 9]);
    expect(unitsBetween(9, 9)).toEqual([9]);
    expect(unitsBetween(13, 20)).toEqual([10]);
  });

  it('report the first and last item at a unit', () => {
    expect([0, 1, 4, 5, 8, 9, 10, 13].map(rows.firstAt)).toEqual([0, 0, 0, 3, 3, 4, 4, 4]);
    expect([0, 1, 4, 5, 8, 9, 10, 13].map(rows.lastAt)).toEqual([-1, 2, 2, 3, 3, 3, 5, 5]);
  });

  it('find the item in the same column of the row above or below, or the last item of a row that is too short', () => {
    expect([1, 2, 3, 4, 5].map(rows.below)).toEqual([3, 3, 4, 4, 5]);
    expect([0, 3, 4, 5].map(rows.above)).toEqual([0, 0, 3, 3]);
  });

  it.each([
    [[4, 2], 5, [3, 4]],
    [[4, 2], 4, [3]],
    [[4, 2], 9, [3, 4, 7]],
  ])('adjust group sizes %j to a total of %i items', (sizes, total, starts) => {
    const items = groupedRows(sizes, { total, columns: 3, unitsPerRow: 4 })
      .between(0, 100)
      .filter((row) => row.kind === 'items');
    expect(items.at(-1)?.last).toBe(total - 1);
    expect(items.slice(1).map(({ first }) => first)).toEqual(starts);
  });

  it('do not exist without groups', () => {
    expect(groupedRows([], { total: 3, columns: 3, unitsPerRow: 4 }).between(0, 100)).toEqual([]);
  });
});
