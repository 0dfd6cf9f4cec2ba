import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import {
  backUp,
  newArchive,
  pruneArchive,
  restoreBackup,
  verify,
  writeHomeFile,
} from '../../../../../tests/support/backups.ts';
import { newHome, removeFolders } from '../../../../../tests/support/server-process.ts';

afterAll(removeFolders);

it('keeps a chunk that two packs contain, if both packs are removed', async () => {
  const home = await newHome();
  const { archive, reopen } = await newArchive();
  const noonOf = (day: number) => () => Date.UTC(2026, 0, 1 + day, 12);
  writeHomeFile(home, 'files/large.bin', randomBytes(8_000_000));
  writeHomeFile(home, 'files/small.bin', randomBytes(10_000));
  await backUp(archive, home, noonOf(0));
  // All content is written again, as after a verification that temporarily could not read the packs.
  const distrustedPacks = archive.listNames('pack');
  await backUp(archive, home, noonOf(2), distrustedPacks);
  expect(archive.listNames('pack').length).toBeGreaterThan(distrustedPacks.length);
  rmSync(join(home, 'files/large.bin'));
  const backup = await backUp(archive, home, noonOf(4));
  expect(await pruneArchive(archive, { days: 1, weeks: 0, months: 0 })).toHaveLength(2);
  for (const pack of distrustedPacks) expect(archive.listNames('pack')).not.toContain(pack);
  expect((await verify(reopen())).problems).toStrictEqual([]);
  await restoreBackup(reopen(), backup);
});

it('does not make an archive look rolled back by removing the newest backup that the server knows', async () => {
  const home = await newHome();
  const { archive, reopen } = await newArchive();
  const noonOf = (day: number) => () => Date.UTC(2026, 0, 1 + day, 12);
  const serverBackup = await backUp(archive, home, noonOf(0));
  await backUp(archive, home, noonOf(2));
  expect(await pruneArchive(archive, { days: 1, weeks: 0, months: 0 })).toStrictEqual([serverBackup.name]);
  expect((await verify(reopen(), { newest: serverBackup.name, generation: 1 })).problems).toStrictEqual([]);
});
