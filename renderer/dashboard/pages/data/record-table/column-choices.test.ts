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
  omitAutomaticColumns,
} from './column-choices.ts';

const columnsOf = (value: unknown): ColumnChoice[] =>
  parseColumns(new URLSearchParams({ columns: typeof value === 'string' ? value : JSON.stringify(value) }));

describe('parseColumns', () => {
  it('reads the columns that appendColumns wrote', () => {
    const choices = [{ path: 'a.b', width: 200 }, { path: 'ä "c"' }];
    const query = new URLSearchParams();
    appendColumns(choices, query);
    expect(parseColumns(new URLSearchParams(query.toString()))).toEqual(choices);
  });

  it('returns an empty list if the owner has chosen no columns', () => {
    const query = new URLSearchParams();
    appendColumns([], query);
    expect(query.toString()).toBe('');
    expect(parseColumns(query)).toEqual([]);
  });

  it.each(['{', '"a"', [{ width: 5 }], [null, 7, 'a'], [{ path: 'a', width: 1e9 }], [{ path: 'a', width: '9' }]])(
    'ignores the invalid columns %j',
    (value) => {
      expect(columnsOf(value)).toEqual([]);
    },
  );

  it('ignores repeated paths', () => {
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

  it('omits columns that no longer exist', () => {
    expect(arrangeColumns(columns, [{ path: 'gone' }, { path: 'b' }]).map(({ path }) => path)).toEqual(['b']);
  });
});

describe('resizeColumn', () => {
  const columns = [
    { path: 'a', width: 80, isSized: false },
    { path: 'b', width: 90, isSized: false },
    { path: 'c', width: 200, isSized: true },
  ];
  const renderedWidths = new Map([
    ['a', 80.2],
    ['b', 140.4],
    ['c', 200],
  ]);

  it('keeps the rendered widths of the other columns', () => {
    expect(resizeColumn(columns, { path: 'a', change: () => 120.6 }, renderedWidths)).toEqual([
      { path: 'a', width: 121 },
      { path: 'b', width: 140 },
      { path: 'c', width: 200 },
    ]);
  });

  it('clamps the width to limits that parseColumns accepts', () => {
    for (const width of [-5, 1e9]) {
      const choices = resizeColumn(columns, { path: 'a', change: () => width }, renderedWidths);
      expect(choices[0]?.width).toBe(width < 0 ? MIN_COLUMN_WIDTH : MAX_COLUMN_WIDTH);
      expect(columnsOf(choices)).toEqual(choices);
    }
  });

  it('starts from the chosen width, which the table may not have rendered yet, else from the rendered one', () => {
    const olderWidths = new Map([...renderedWidths, ['c', 184]]);
    expect(resizeColumn(columns, { path: 'c', change: (width) => width + 16 }, olderWidths)[2]?.width).toBe(216);
    expect(resizeColumn(columns, { path: 'b', change: (width) => width + 16 }, olderWidths)[1]?.width).toBe(156);
  });

  it('resets a width, and no choices remain once all columns and widths are automatic', () => {
    const resetChoices = resizeColumn(columns, { path: 'c', change: () => undefined }, renderedWidths);
    expect(resetChoices).toEqual([{ path: 'a' }, { path: 'b' }, { path: 'c' }]);
    expect(omitAutomaticColumns(resetChoices, columns)).toEqual([]);
    expect(omitAutomaticColumns(resetChoices, columns.slice(0, 2))).toEqual(resetChoices);
    expect(omitAutomaticColumns(resetChoices, columns.toReversed())).toEqual(resetChoices);
    const sizedChoices = resizeColumn(columns, { path: 'a', change: () => undefined }, renderedWidths);
    expect(omitAutomaticColumns(sizedChoices, columns)).toEqual([
      { path: 'a' },
      { path: 'b' },
      { path: 'c', width: 200 },
    ]);
  });
});

describe('moveItem', () => {
  it('moves an item, and ignores targets outside of the list', () => {
    expect(moveItem(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'c', 'b']);
    expect(moveItem(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c']);
    expect(moveItem(['a', 'b', 'c'], 2, 3)).toEqual(['a', 'b', 'c']);
  });
});
