import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../platform/log.ts';
import { DELETED_FILES_KEPT_MS } from '../../../wire/limits.ts';
import { createTestClock } from '../../../../tests/support/test-pda.ts';
import { statFile } from '../content/operations.ts';
import { startTestFolder, type TestFolder } from '../folder/harness.test-support.ts';
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

describe('a file that cannot be taken out of the folder, for example because another program has it open', () => {
  it('stays complete, with its content and grants, and can be deleted later', async () => {
    const harness = await startTestFolder();
    try {
      harness.put('letter.txt', 'Dear all');
      await harness.waitUntilIdle();
      const row = harness.row('letter.txt');
      await harness.writer.write((tx) => harness.store.grant(tx, row.seq, 'grace', true));
      // A folder in place of the target makes the move fail on every system.
      const obstacle = join(harness.home, 'removed', String(row.seq));
      mkdirSync(obstacle);
      for (const change of [harness.disk.remove, harness.disk.erase])
        await expect(change(row)).rejects.toMatchObject({ code: 'wrong_state' });
      expect(harness.allRows()).toEqual([row]);
      await (await harness.disk.open(row)).close();
      rmdirSync(obstacle);
      expect(await harness.disk.remove(row)).toMatchObject({ status: 'Deleted', undo_path: 'letter.txt' });
      expect(await harness.disk.restore(row)).toMatchObject({ status: 'Completed', path: 'letter.txt' });
      expect(harness.read('letter.txt')).toBe('Dear all');
      expect(harness.store.grantsOf(row.seq)).toHaveLength(1);
    } finally {
      await harness.remove();
    }
  });
});

describe('after an older copy of the database is put in place', () => {
  const withOlderDatabase = async (
    harness: TestFolder,
    beforeCopy: () => Promise<unknown>,
    afterCopy: () => Promise<unknown>,
  ): Promise<void> => {
    const database = join(harness.home, 'pda.sqlite');
    await beforeCopy();
    await harness.stop();
    const copy = readFileSync(database);
    await harness.start();
    await afterCopy();
    await harness.stop();
    writeFileSync(database, copy);
  };

  it.each(['deleted', 'deleted and restored'])('a file that has been %s since is in the folder', async (change) => {
    const clock = createTestClock();
    const harness = await startTestFolder({}, { clock });
    try {
      harness.put('letter.txt', 'Dear all');
      await harness.waitUntilIdle();
      const row = harness.row('letter.txt');
      const remove = () => harness.disk.remove(row);
      if (change === 'deleted') await withOlderDatabase(harness, async () => undefined, remove);
      else await withOlderDatabase(harness, remove, () => harness.disk.restore(row));
      clock.advance(DELETED_FILES_KEPT_MS);
      await harness.start();
      await harness.disk.purge();
      expect(harness.read('letter.txt')).toBe('Dear all');
      expect(harness.row('letter.txt')).toEqual(row);
    } finally {
      await harness.remove();
    }
  });
});
