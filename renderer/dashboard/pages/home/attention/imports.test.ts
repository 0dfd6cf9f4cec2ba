import { describe, expect, it } from 'vitest';
import type { ImportJob } from '../../../../shared/api/contract.ts';
import { importItems } from './imports.ts';

const job = (index: number, changes: Partial<ImportJob> = {}): ImportJob => ({
  importId: `import-${index}`,
  fileName: `file-${index}.csv`,
  files: [],
  size: 1,
  received: 1,
  state: 'failed',
  endpoint: 'in/all',
  format: 'csv',
  bytesRead: 1,
  added: 0,
  skipped: 0,
  changed: 0,
  kinds: [],
  problems: { count: 0, first: [] },
  error: { line: 3, problem: 'x' },
  started: null,
  finished: null,
  dismissed: false,
  created: '2026-01-01T00:00:00.000Z',
  ...changes,
});

describe('importItems', () => {
  it('lists five imports and the number of further imports', () => {
    const items = importItems(Array.from({ length: 8 }, (_, index) => job(index)));
    expect(items.map(({ id }) => id)).toEqual(['import-0', 'import-1', 'import-2', 'import-3', 'import-4', 'imports']);
    expect(items.at(-1)).toMatchObject({ count: 3, title: '3 more imports need your attention', to: '/data/imports' });
    expect(importItems(Array.from({ length: 5 }, (_, index) => job(index)))).toHaveLength(5);
  });

  it('lists neither dismissed nor finished imports, and lets the owner dismiss only failed ones', () => {
    const items = importItems([
      job(0, { dismissed: true }),
      job(1, { state: 'done' }),
      job(2, { state: 'ready' }),
      job(3, { state: 'receiving' }),
      job(4),
    ]);
    expect(items.map(({ id, dismissibleImport }) => [id, dismissibleImport])).toEqual([
      ['import-2', undefined],
      ['import-3', undefined],
      ['import-4', 'import-4'],
    ]);
  });
});
