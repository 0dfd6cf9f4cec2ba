import { describe, expect, it } from 'vitest';
import { exportedColumns } from './export-columns.ts';

describe('the columns of an export', () => {
  it('have the headings of the table, without invisible characters', () => {
    expect(
      exportedColumns([
        { path: 'steps', label: 'Steps (km)' },
        { path: 'name', label: '\u2068שם\u2069' },
        { path: 'x\u202Ey', label: '\u200B' },
        { path: '\uD800', label: '' },
      ]),
    ).toEqual([
      { path: 'steps', name: 'Steps (km)' },
      { path: 'name', name: 'שם' },
      { path: 'x\u202Ey', name: 'xy' },
      { path: '\uD800', name: '4' },
    ]);
  });

  it('have different headings', () => {
    const columns = [
      { path: 'a.name', label: 'Name' },
      { path: 'b', label: 'Other' },
      { path: 'c.name', label: 'Name' },
    ];
    expect(exportedColumns(columns).map(({ name }) => name)).toEqual(['Name (a.name)', 'Other', 'Name (c.name)']);
  });
});
