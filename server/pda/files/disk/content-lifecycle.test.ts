import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { silentLog } from '../../../platform/log.ts';
import { createTestClock } from '../../../../tests/support/test-pda.ts';
import { statFile } from '../content/operations.ts';
import { createContentLifecycle } from './content-lifecycle.ts';
import type { FileRow } from '../store.ts';

const folder = mkdtempSync(join(tmpdir(), 'pda-disk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('refuses to open a file that another program rewrote in place', async () => {
  // Opening a file needs neither the store nor the writer.
  const disk = createContentLifecycle({
    folders: { files: folder, uploads: folder, removed: folder },
    clock: createTestClock(),
    log: silentLog(),
    notify: () => undefined,
  } as unknown as Parameters<typeof createContentLifecycle>[0]);
  try {
    const path = join(folder, 'letter.txt');
    writeFileSync(path, 'mine');
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    const attributes = await statFile(path);
    const row = {
      path: 'letter.txt',
      moving: 0,
      inode: attributes?.inode,
      modified: attributes?.modified,
      size: 4,
    } as FileRow;
    const handle = await disk.open(row);
    expect((await handle.readFile()).toString()).toBe('mine');
    await handle.close();

    // Inode and size are the same; only the modification time differs.
    writeFileSync(path, 'else');
    utimesSync(path, 1_700_000_001, 1_700_000_001);
    expect((await statFile(path))?.inode).toBe(row.inode);
    await expect(disk.open(row)).rejects.toMatchObject({ code: 'not_found' });
  } finally {
    disk.close();
  }
});
