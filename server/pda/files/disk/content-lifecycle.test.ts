import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { silentLog } from '../../../platform/log.ts';
import { createTestClock } from '../../../../tests/support/test-pda.ts';
import { looksOf } from '../content/operations.ts';
import { createDisk } from './content-lifecycle.ts';
import type { FileRow } from '../store.ts';

const folder = mkdtempSync(join(tmpdir(), 'pda-disk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a file that another program rewrote in place is not opened as the one that was shared', async () => {
  // To open a file the disk asks nothing but the file system.
  const disk = createDisk({
    folders: { files: folder, uploads: folder, removed: folder },
    clock: createTestClock(),
    log: silentLog(),
    tell: () => undefined,
  } as unknown as Parameters<typeof createDisk>[0]);
  try {
    const path = join(folder, 'letter.txt');
    writeFileSync(path, 'mine');
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    const looks = await looksOf(path);
    const row = { path: 'letter.txt', moving: 0, inode: looks?.inode, modified: looks?.modified, size: 4 } as FileRow;
    const handle = await disk.open(row);
    expect((await handle.readFile()).toString()).toBe('mine');
    await handle.close();

    // The same inode and the same size: only its time of modification differs.
    writeFileSync(path, 'else');
    utimesSync(path, 1_700_000_001, 1_700_000_001);
    expect((await looksOf(path))?.inode).toBe(row.inode);
    await expect(disk.open(row)).rejects.toMatchObject({ code: 'not_found' });
  } finally {
    disk.close();
  }
});
