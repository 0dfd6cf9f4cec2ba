import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { checkSourceShape } from './source-shape.ts';

const lines = (count: number): string => '// line\n'.repeat(count);

/** Returns the findings as `file rule problem`. */
const check = (files: Readonly<Record<string, string>>): string[] => {
  const root = mkdtempSync(join(tmpdir(), 'source-shape-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return checkSourceShape(root, Object.keys(files)).map(({ file, rule, problem }) => `${file} ${rule} ${problem}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

it('rejects source files below 15 lines, except index.ts and migrations, and above 400 lines; exempts tests', () => {
  expect(
    check({
      'server/pda/data/a.ts': lines(14),
      'server/pda/data/b.ts': lines(15),
      'server/pda/data/c.ts': lines(400),
      'server/pda/data/d.ts': lines(401),
      'server/pda/data/index.ts': lines(3),
      'server/pda/data/e.test.ts': lines(500),
      'server/pda/storage/migrations/0001-first.ts': lines(4),
    }),
  ).toEqual(['server/pda/data/a.ts file-size 14 lines', 'server/pda/data/d.ts file-size 401 lines']);
});

it('rejects a name that two files of one wing export, for values and types', () => {
  const files = {
    'server/pda/data/a.ts': `${lines(15)}export const shared = 1;\nexport type Row = 1;\n`,
    'server/pda/data/b.ts': `${lines(15)}export function shared() {}\nexport interface Row {}\nexport { other } from './a.ts';\n`,
    'server/pda/files/c.ts': `${lines(15)}export class Row {}\n`,
  };
  expect(check(files)).toEqual([
    'server/pda/data/b.ts unique-exports shared',
    'server/pda/data/b.ts unique-exports Row',
  ]);
});

it('allows message catalogues of two languages to export the same names', () => {
  const text = `${lines(15)}export const words = {};\n`;
  expect(check({ 'renderer/shared/messages/en/a.ts': text, 'renderer/shared/messages/de/a.ts': text })).toEqual([]);
});
