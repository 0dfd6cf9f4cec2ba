import { mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { backUp, filesBelow, newArchive, restoreBackup, writeHomeFile } from '../../../../../tests/support/backups.ts';
import { newFolder, newHome, removeFolders } from '../../../../../tests/support/server-process.ts';
import { requireTarget } from '../format/archive-id.ts';
import { ERASE_EVERYTHING_FILE } from '../../erasure/home/full-erasure.ts';

afterAll(removeFolders);

it('a backup made after a full erasure was requested does not contain the request', async () => {
  const home = await newHome();
  writeHomeFile(home, ERASE_EVERYTHING_FILE, '{}');
  writeHomeFile(home, `${ERASE_EVERYTHING_FILE}.new`, '{}');
  writeHomeFile(home, `files/${ERASE_EVERYTHING_FILE}`, '{}');
  const { archive } = await newArchive();
  const restoredHome = await restoreBackup(archive, await backUp(archive, home));
  const markers = filesBelow(restoredHome).filter((name) => name.includes(ERASE_EVERYTHING_FILE));
  expect(markers).toStrictEqual([`files/${ERASE_EVERYTHING_FILE}`]);
});

describe('a files folder that is a link to a larger disk', () => {
  const newLinkedHome = async (): Promise<{ home: string; disk: string }> => {
    const home = await newHome();
    const disk = join(newFolder(), 'disk');
    writeHomeFile(home, 'files/a/letter.txt', 'Dear all');
    renameSync(join(home, 'files'), disk);
    symlinkSync(disk, join(home, 'files'));
    return { home, disk };
  };

  it('is backed up', async () => {
    const { home } = await newLinkedHome();
    const { archive } = await newArchive();
    const backup = await backUp(archive, home);
    expect(backup.manifest.leftOut).toBe(0);
    const restoredHome = await restoreBackup(archive, backup);
    expect(readFileSync(join(restoredHome, 'files/a/letter.txt'), 'utf8')).toBe('Dear all');
  });

  it('is backed up as in the previous backup while the disk is not connected', async () => {
    const { home, disk } = await newLinkedHome();
    const { archive } = await newArchive();
    await backUp(archive, home);
    renameSync(disk, `${disk}-elsewhere`);
    const restoredHome = await restoreBackup(archive, await backUp(archive, home));
    expect(readFileSync(join(restoredHome, 'files/a/letter.txt'), 'utf8')).toBe('Dear all');
  });

  it('cannot contain the backups', async () => {
    const { home, disk } = await newLinkedHome();
    mkdirSync(join(disk, 'backups'));
    expect(() => requireTarget(join(disk, 'backups'), home)).toThrow('is inside the home of the PDA');
  });
});
