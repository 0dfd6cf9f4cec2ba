import { afterAll, expect, it } from 'vitest';
import { backUp, filesBelow, newArchive, restoreBackup, writeHomeFile } from '../../../../../tests/support/backups.ts';
import { newHome, removeFolders } from '../../../../../tests/support/server-process.ts';
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
