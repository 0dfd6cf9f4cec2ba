import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openArchive,
  openArchiveWithMasterKey,
  writeKeys,
  type BackupArchive,
} from '../server/pda/account/backup/format/archive.ts';
import { activateRestoredHome } from '../server/pda/account/backup/home/activation.ts';
import { openChunks } from '../server/pda/account/backup/format/chunks.ts';
import { drill } from '../server/pda/account/backup/operations/restore-drill.ts';
import { openHomeDatabase } from '../server/pda/account/backup/home/store.ts';
import { createKeyFile, formatKeyFile, type Secret } from '../server/pda/account/backup/format/key-file.ts';
import { readEntries, readManifest } from '../server/pda/account/backup/operations/backup.ts';
import { NODE, ROOT } from './support/paths.ts';
import type { KilledBackupStep } from './support/backup-killed.ts';
import {
  backUp,
  restoreBackup,
  verify,
  filesBelow,
  newArchive,
  PASSPHRASE,
  skipPause,
  writeHomeFile,
  pruneArchive,
} from './support/backups.ts';
import { newFolder, newHome, removeFolders } from './support/server-process.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Kills processes at a sample of their disk changes and checks the files that remain.

const KILL_POINTS = IS_THOROUGH_RUN ? 100 : 2;
const DAY_MS = 86_400_000;

let home: string;
beforeAll(async () => {
  home = await newHome();
  writeHomeFile(home, 'files/a/letter.txt', 'Dear all');
  writeHomeFile(home, 'files/film.bin', randomBytes(500_000));
  writeHomeFile(home, 'config.json', '{}');
});
afterAll(removeFolders);

/**
 * Runs a step in a process, which is killed at the disk change with the number `killAt` (0: never). Returns the number
 * of disk changes of the step; undefined if the process was killed.
 */
const runStep = (step: KilledBackupStep, killAt: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    execFile(
      NODE,
      [join(ROOT, 'tests/support/backup-killed.ts'), JSON.stringify(step), String(killAt)],
      (error, stdout, stderr) => {
        if (error === null) resolve(Number(stdout));
        else if (error.signal === 'SIGKILL') resolve(undefined);
        else reject(new Error(stderr));
      },
    );
  });

/** Runs the test at points spread over all changes, including the first and the last; three at a time. */
const forEachPoint = async (changeCount: number, runTest: (killAt: number) => Promise<void>): Promise<void> => {
  const step = Math.max(1, changeCount / KILL_POINTS);
  const points = [
    ...new Set(Array.from({ length: KILL_POINTS }, (_, index) => Math.round(1 + index * step)).concat(changeCount)),
  ].filter((point) => point <= changeCount);
  const runPoints = async (): Promise<void> => {
    for (let point = points.shift(); point !== undefined; point = points.shift()) await runTest(point);
  };
  await Promise.all([runPoints(), runPoints(), runPoints()]);
};

type Case = {
  home: string;
  target: string;
  archive: BackupArchive;
  step: Pick<KilledBackupStep & { op: 'restore' }, 'target' | 'keyFile' | 'masterKey'>;
};
const copyCase = (archive: BackupArchive, sourceHome: string): Case => {
  const target = newFolder();
  cpSync(archive.folder, join(target, `pda-${archive.id}`), { recursive: true });
  const homeCopy = join(target, 'home');
  cpSync(sourceHome, homeCopy, { recursive: true, preserveTimestamps: true });
  const step = { target, keyFile: formatKeyFile(archive.keyFile), masterKey: archive.masterKey.toString('base64') };
  return {
    home: homeCopy,
    target,
    archive: openArchiveWithMasterKey(target, archive.keyFile, archive.masterKey),
    step,
  };
};

const verifyAllBackups = async (archive: BackupArchive): Promise<number> => {
  expect((await verify(archive)).problems).toStrictEqual([]);
  const names = archive.listNames('backup');
  for (const name of names) {
    const scratch = join(newFolder(), 'scratch');
    await drill(archive, readManifest(archive, name), {
      scratch,
      whole: true,
      onProgress: () => undefined,
      pause: skipPause,
    });
  }
  return names.length;
};

describe('a process killed midway', () => {
  it('leaves earlier backups intact, and the next backup is complete and removes temporary files', async () => {
    const { archive } = await newArchive();
    await backUp(archive, home);
    const modifiedHome = join(newFolder(), 'home');
    cpSync(home, modifiedHome, { recursive: true, preserveTimestamps: true });
    writeHomeFile(modifiedHome, 'files/second.bin', randomBytes(300_000));
    const uninterruptedCase = copyCase(archive, modifiedHome);
    const changeCount =
      (await runStep({ op: 'backup', home: uninterruptedCase.home, ...uninterruptedCase.step }, 0)) ?? 0;
    expect(changeCount).toBeGreaterThan(15);
    await forEachPoint(changeCount, async (killAt) => {
      const testCase = copyCase(archive, modifiedHome);
      expect(await runStep({ op: 'backup', home: testCase.home, ...testCase.step }, killAt)).toBeUndefined();
      expect(await verifyAllBackups(testCase.archive), `killed at ${killAt} of ${changeCount}`).toBeGreaterThanOrEqual(
        1,
      );
      const nextBackup = await backUp(testCase.archive, testCase.home);
      expect(
        readEntries(openChunks(testCase.archive, { includeUnlistedPacks: false }), nextBackup.manifest).some(
          ({ path }) => path === 'files/second.bin',
        ),
      ).toBe(true);
      await verifyAllBackups(testCase.archive);
      expect(filesBelow(testCase.target).filter((name) => /begun|snapshot/u.test(name))).toStrictEqual([]);
    });
  });

  it.skipIf(!IS_THOROUGH_RUN)('leaves every remaining backup intact if it was pruning', async () => {
    const { archive } = await newArchive();
    const homeCopy = join(newFolder(), 'home');
    cpSync(home, homeCopy, { recursive: true, preserveTimestamps: true });
    for (let day = 0; day < 3; day += 1) {
      writeHomeFile(homeCopy, 'files/daily.bin', randomBytes(300_000));
      await backUp(archive, homeCopy, () => Date.UTC(2026, 0, 1) + day * DAY_MS);
    }
    const uninterruptedCase = copyCase(archive, homeCopy);
    const changeCount = (await runStep({ op: 'prune', ...uninterruptedCase.step }, 0)) ?? 0;
    expect(uninterruptedCase.archive.listNames('backup')).toHaveLength(1);
    await forEachPoint(changeCount, async (killAt) => {
      const testCase = copyCase(archive, homeCopy);
      expect(await runStep({ op: 'prune', ...testCase.step }, killAt)).toBeUndefined();
      expect(await verifyAllBackups(testCase.archive), `killed at ${killAt} of ${changeCount}`).toBeGreaterThanOrEqual(
        1,
      );
      await pruneArchive(testCase.archive, { days: 1, weeks: 0, months: 0 });
      expect(await verifyAllBackups(testCase.archive)).toBe(1);
    });
  });

  it('leaves an archive that the old or the new passphrase opens if it was changing the passphrase', async () => {
    const { archive, recoveryKey } = await newArchive();
    await backUp(archive, home);
    const newKeys = await createKeyFile(archive.masterKey, archive.id, 'another long line of plain words');
    const passphrases = [{ passphrase: PASSPHRASE }, { passphrase: 'another long line of plain words' }];
    const recoveryKeys = [{ recoveryKey }, { recoveryKey: newKeys.recoveryKey }];
    const tryToOpen = async (testCase: Case, secrets: readonly Secret[]): Promise<boolean[]> =>
      Promise.all(
        secrets.map((secret) =>
          openArchive(testCase.archive.folder, secret).then(
            () => true,
            () => false,
          ),
        ),
      );
    const uninterruptedCase = copyCase(archive, home);
    const change = { op: 'writeKeys', ...uninterruptedCase.step, keyFile: formatKeyFile(newKeys.file) } as const;
    const changeCount = (await runStep(change, 0)) ?? 0;
    expect(await tryToOpen(uninterruptedCase, [...passphrases, ...recoveryKeys])).toStrictEqual([
      false,
      true,
      false,
      true,
    ]);
    await forEachPoint(changeCount, async (killAt) => {
      const testCase = copyCase(archive, home);
      expect(await runStep({ ...change, target: testCase.target }, killAt)).toBeUndefined();
      const [oldKeyOpens, newKeyOpens] = await tryToOpen(testCase, recoveryKeys);
      expect(oldKeyOpens || newKeyOpens, `killed at ${killAt} of ${changeCount}`).toBe(true);
      // One key file serves both secrets. Passphrases are slow to check, so they are tried only at the last change.
      if (killAt === changeCount)
        expect(await tryToOpen(testCase, passphrases)).toStrictEqual([oldKeyOpens, newKeyOpens]);
      // Repeating the change completes it. Then only the new key is valid.
      writeKeys(testCase.archive.folder, newKeys.file);
      expect(await tryToOpen(testCase, recoveryKeys)).toStrictEqual([false, true]);
    });
  });

  it.skipIf(!IS_THOROUGH_RUN)('leaves no home if it was restoring one, and the next restore is complete', async () => {
    const { archive } = await newArchive();
    const backup = await backUp(archive, home);
    const newRestoreTarget = (): string => join(newFolder(), 'restored');
    const step = {
      target: dirname(archive.folder),
      keyFile: formatKeyFile(archive.keyFile),
      masterKey: archive.masterKey.toString('base64'),
    };
    const changeCount = (await runStep({ op: 'restore', home: newRestoreTarget(), ...step }, 0)) ?? 0;
    await forEachPoint(changeCount, async (killAt) => {
      const restoredHome = newRestoreTarget();
      expect(await runStep({ op: 'restore', home: restoredHome, ...step }, killAt)).toBeUndefined();
      // The last change only syncs the new name, which is visible even before that.
      if (killAt < changeCount) expect(existsSync(restoredHome), `killed at ${killAt} of ${changeCount}`).toBe(false);
      if (!existsSync(restoredHome)) await restoreBackup(archive, backup, restoredHome);
      expect(readFileSync(join(restoredHome, 'files/a/letter.txt'), 'utf8')).toBe('Dear all');
      expect(readdirSync(dirname(restoredHome))).toStrictEqual(['restored']);
    });
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'leaves an unfinished activation of a restored home that the next start completes',
    async () => {
      const { archive } = await newArchive();
      const backup = await backUp(archive, home);
      const prepareActivation = async (): Promise<string> => {
        const restoredHome = join(newFolder(), 'home');
        mkdirSync(join(restoredHome, 'files'), { recursive: true });
        mkdirSync(join(restoredHome, 'backups'));
        await restoreBackup(archive, backup, join(restoredHome, 'backups/restoring'));
        renameSync(join(restoredHome, 'backups/restoring'), join(restoredHome, 'restored'));
        return restoredHome;
      };
      const changeCount = (await runStep({ op: 'activate', home: await prepareActivation() }, 0)) ?? 0;
      await forEachPoint(changeCount, async (killAt) => {
        const restoredHome = await prepareActivation();
        expect(await runStep({ op: 'activate', home: restoredHome }, killAt)).toBeUndefined();
        activateRestoredHome(restoredHome);
        expect(existsSync(join(restoredHome, 'restored')), `killed at ${killAt} of ${changeCount}`).toBe(false);
        expect(readFileSync(join(restoredHome, 'files/a/letter.txt'), 'utf8')).toBe('Dear all');
        const db = openHomeDatabase(join(restoredHome, 'pda.sqlite'));
        expect(db.readName()).toBe('ada');
        db.close();
      });
    },
  );
});
