import { describe, expect, it } from 'vitest';
import { arrangeColumns, type ColumnChoice, moveItem, parseColumns, appendColumns } from './column-choices.ts';

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
    { path: 'a', width: 80, label: 'A' },
    { path: 'b', width: 90, label: 'B' },
  ];

  it('returns the chosen columns in the chosen order, with their widths', () => {
    expect(arrangeColumns(columns, [{ path: 'b', width: 300 }, { path: 'a' }])).toEqual([
      { path: 'b', width: 300, label: 'B' },
      { path: 'a', width: 80, label: 'A' },
    ]);
  });

  it('leaves out columns that no longer exist', () => {
    expect(arrangeColumns(columns, [{ path: 'gone' }, { path: 'b' }]).map(({ path }) => path)).toEqual(['b']);
  });
});

describe('moveItem', () => {
  it('moves an item, and nothing beyond the ends', () => {
    expect(moveItem(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'c', 'b']);
    expect(moveItem(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c']);
    expect(moveItem(['a', 'b', 'c'], 2, 3)).toEqual(['a', 'b', 'c']);
  });
});
