import { describe, expect, it } from 'vitest';
import {
  appendColumns,
  arrangeColumns,
  type ColumnChoice,
  MAX_COLUMN_WIDTH,
  MIN_COLUMN_WIDTH,
  moveItem,
  parseColumns,
  resizeColumn,
  withoutAutomatic,
} from './column-choices.ts';

const columnsOf = (value: unknown): ColumnChoice[] =>
  parseColumns(new URLSearchParams({ columns: typeof value === 'string' ? value : JSON.stringify(value) }));

describe('the columns in the URL', () => {
  it('are read as they were written', () => {
    const choices = [{ path: 'a.b', width: 200 }, { path: 'ä "c"' }];
    const query = new URLSearchParams();
    appendColumns(choices, query);
    expect(parseColumns(new URLSearchParams(query.toString()))).toEqual(choices);
  });

  it('are absent if the owner has chosen none', () => {
    const query = new URLSearchParams();
    appendColumns([], query);
    expect(query.toString()).toBe('');
    expect(parseColumns(query)).toEqual([]);
  });

  it.each(['{', '"a"', [{ width: 5 }], [null, 7, 'a'], [{ path: 'a', width: 1e9 }], [{ path: 'a', width: '9' }]])(
    'are ignored if they are invalid: %j',
    (value) => {
      expect(columnsOf(value)).toEqual([]);
    },
  );

  it('contain each path once', () => {
    expect(columnsOf([{ path: 'a' }, { path: 'b' }, { path: 'a', width: 100 }])).toEqual([
      { path: 'a' },
      { path: 'b' },
    ]);
  });
});

describe('arrangeColumns', () => {
  const columns = [
    { path: 'a', width: 80, isSized: false, label: 'A' },
    { path: 'b', width: 90, isSized: false, label: 'B' },
  ];

  it('returns the chosen columns in the chosen order, with their widths', () => {
    expect(arrangeColumns(columns, [{ path: 'b', width: 300 }, { path: 'a' }])).toEqual([
      { path: 'b', width: 300, isSized: true, label: 'B' },
      { path: 'a', width: 80, isSized: false, label: 'A' },
    ]);
  });

  it('leaves out columns that no longer exist', () => {
    expect(arrangeColumns(columns, [{ path: 'gone' }, { path: 'b' }]).map(({ path }) => path)).toEqual(['b']);
  });
});

describe('the width of a column', () => {
  const shown = [
    { path: 'a', width: 80, isSized: false },
    { path: 'b', width: 90, isSized: false },
    { path: 'c', width: 200, isSized: true },
  ];
  const screenWidths = new Map([
    ['a', 80.2],
    ['b', 140.4],
    ['c', 200],
  ]);

  it('is stored with the widths of the other columns that the owner sees', () => {
    expect(resizeColumn(shown, { path: 'a', width: 120.6 }, screenWidths)).toEqual([
      { path: 'a', width: 121 },
      { path: 'b', width: 140 },
      { path: 'c', width: 200 },
    ]);
  });

  it('stays within the limits, so that it is read from the URL again', () => {
    for (const width of [-5, 1e9]) {
      const choices = resizeColumn(shown, { path: 'a', width }, screenWidths);
      expect(choices[0]?.width).toBe(width < 0 ? MIN_COLUMN_WIDTH : MAX_COLUMN_WIDTH);
      expect(columnsOf(choices)).toEqual(choices);
    }
  });

  it('can be reset, and no choices remain once all columns and widths are automatic', () => {
    const reset = resizeColumn(shown, { path: 'c', width: undefined }, screenWidths);
    expect(reset).toEqual([{ path: 'a' }, { path: 'b' }, { path: 'c' }]);
    expect(withoutAutomatic(reset, shown)).toEqual([]);
    expect(withoutAutomatic(reset, shown.slice(0, 2))).toEqual(reset);
    expect(withoutAutomatic(reset, shown.toReversed())).toEqual(reset);
    const sized = resizeColumn(shown, { path: 'a', width: undefined }, screenWidths);
    expect(withoutAutomatic(sized, shown)).toEqual([{ path: 'a' }, { path: 'b' }, { path: 'c', width: 200 }]);
  });
});

describe('moveItem', () => {
  it('moves an item, but not beyond the ends of the list', () => {
    expect(moveItem(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'c', 'b']);
    expect(moveItem(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c']);
    expect(moveItem(['a', 'b', 'c'], 2, 3)).toEqual(['a', 'b', 'c']);
  });
});
