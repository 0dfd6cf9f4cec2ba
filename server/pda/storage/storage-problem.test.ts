import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runWithFileSizeLimit } from '../../../tests/support/file-size-limit.ts';

const folder = mkdtempSync(join(tmpdir(), 'pda-file-size-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.skipIf(process.platform === 'win32')('reports a write beyond the file size limit as a full or failing disk', () => {
  const output = runWithFileSizeLimit(`
    import Sqlite from ${JSON.stringify(import.meta.resolve('better-sqlite3'))};
    import { createWriter } from ${JSON.stringify(new URL('writer.ts', import.meta.url).href)};
    const db = new Sqlite(${JSON.stringify(join(folder, 'test.sqlite'))});
    db.exec('CREATE TABLE contents (content BLOB)');
    try {
      await createWriter(db).write((tx) => tx.db.exec('INSERT INTO contents VALUES (zeroblob(100000))'));
    } catch ({ code, reason }) {
      console.log(JSON.stringify({ code, reason }));
    }`);
  expect(JSON.parse(output)).toEqual({
    code: 'out_of_disk',
    reason: expect.stringMatching(/^Either there is no room left on the disk, or the disk does not work /u),
  });
});
