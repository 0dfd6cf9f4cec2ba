import { describe, expect, it } from 'vitest';
import { exportedColumns } from './export-columns.ts';

describe('exportedColumns', () => {
  it('uses the table heading without invisible characters, or else the path or the number of the column', () => {
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

  it('makes the headings unique', () => {
    const columns = [
      { path: 'a.name', label: 'Name' },
      { path: 'b', label: 'Other' },
      { path: 'c.name', label: 'Name' },
    ];
    expect(exportedColumns(columns).map(({ name }) => name)).toEqual(['Name (a.name)', 'Other', 'Name (c.name)']);
  });
});
