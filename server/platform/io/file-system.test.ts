import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runWithFileSizeLimit } from '../../../tests/support/file-size-limit.ts';
import { FILE_SIZE_LIMIT_REASON } from './file-system.ts';

const folder = mkdtempSync(join(tmpdir(), 'pda-file-size-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.skipIf(process.platform === 'win32')('reports a file above the size limit as too large, not as a full disk', () => {
  const output = runWithFileSizeLimit(`
    import { writeFileSync } from 'node:fs';
    import { asDiskFailure } from ${JSON.stringify(new URL('file-system.ts', import.meta.url).href)};
    try {
      writeFileSync(${JSON.stringify(join(folder, 'large.bin'))}, Buffer.alloc(100_000));
    } catch (error) {
      const { code, reason } = asDiskFailure(error);
      console.log(JSON.stringify({ code, reason }));
    }`);
  expect(JSON.parse(output)).toEqual({ code: 'too_large', reason: FILE_SIZE_LIMIT_REASON });
});
