import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BackupMessage } from '../server/pda/account/backup/worker/jobs.ts';
import { createBackupWorker } from '../server/pda/account/backup/worker/client.ts';
import { backupSchema, type Backup } from '../server/wire/backup.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';
import { backUp, verify, filesBelow, newArchive, PASSPHRASE } from './support/backups.ts';
import { newFolder, removeFolders, until } from './support/server-process.ts';
import { canMountDisk, setReadOnly, mountSmallDisk, removeDisks } from './support/small-disk.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

// Tests backups to disks that are full, read-only, removed, slow or unresponsive. Existing backups must stay intact,
// the owner must see the problem, and the next attempt must succeed.

const PATH = '/api/v2.6/owner/backup';
const canMount = canMountDisk();
const MEGABYTE = 1_000_000;
const SLOW_DISK_MODULE = join(import.meta.dirname, 'support/slow-disk.ts');
const BACKUP_PROCESS = join(import.meta.dirname, '../server/pda/account/backup/worker/process.ts');

/** Delays each fsync of later backup processes by `delay` milliseconds. With `never`, the second fsync hangs. */
const simulateSlowDisk = (delay: string): void => {
  process.env['NODE_OPTIONS'] = `--import ${SLOW_DISK_MODULE}`;
  process.env['PDA_SLOW_DISK'] = delay;
};
const stopSlowDisk = (): void => {
  delete process.env['NODE_OPTIONS'];
  delete process.env['PDA_SLOW_DISK'];
};

let pda: TestPda;
// Backups and restore drills run only when a test starts them, however long the tests take.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterAll(() => void vi.useRealTimers());
beforeAll(async () => {
  pda = await startTestPda();
});
afterEach(() => {
  stopSlowDisk();
  for (const name of readdirSync(join(pda.home, 'files'))) rmSync(join(pda.home, 'files', name));
});
afterAll(async () => {
  await pda.close();
  removeFolders();
});

const readBackup = async (): Promise<Backup> => backupSchema.parse((await pda.call('GET', PATH)).json);
const startTask = async (task: 'run' | 'drill'): Promise<void> =>
  expect((await pda.call('POST', `${PATH}/${task}`)).status).toBe(202);
const run = async (task: 'run' | 'drill' = 'run'): Promise<Backup> => {
  await startTask(task);
  await pda.pda.backup.waitUntilIdle();
  return readBackup();
};
const addFile = (name: string, bytes: number): void => writeFileSync(join(pda.home, 'files', name), randomBytes(bytes));
/** Sets up backups to a folder, or changes the folder if backups are set up. */
const chooseFolder = async (folder: string): Promise<void> => {
  const { folder: chosenFolder, every, keep } = await readBackup();
  const reply =
    chosenFolder === null
      ? await pda.call('POST', `${PATH}/set-up`, { json: { folder, passphrase: PASSPHRASE } })
      : await pda.call('PUT', PATH, { json: { folder, every, keep } });
  expect(reply.status, reply.text).toBe(200);
};
const fillDisk = (disk: string): (() => void) => {
  const file = join(disk, 'filler');
  for (let step = MEGABYTE; step >= 4096;) {
    try {
      writeFileSync(file, Buffer.alloc(step), { flag: 'a' });
    } catch {
      step /= 4;
    }
  }
  return () => rmSync(file);
};
/**
 * Backs up the home of the PDA into a new archive. Returns what a test needs to run the next backup without a server.
 */
const prepareNextBackup = async () => {
  const { home } = pda;
  const { archive, target } = await newArchive();
  await backUp(archive, home, () => Date.now() - 1000);
  const job = {
    op: 'backup',
    home,
    now: Date.now(),
    folder: target,
    keyFile: archive.keyFile,
    masterKey: archive.masterKey.toString('base64'),
    programVersion: '0.0.0',
    isNew: false,
    retention: { days: 0, weeks: 0, months: 0 },
    distrustedPacks: [],
  } as const;
  return { archive, home, job };
};
/** Verifies every byte of the archive and restores the newest backup. */
const expectIntact = async (number: number): Promise<void> => {
  const { provenWhole, problem } = await run('drill');
  expect([provenWhole?.number, problem]).toStrictEqual([number, null]);
};

describe.skipIf(!canMount)('a separate disk (skipped where mounting is not permitted)', () => {
  let disk: string;
  beforeAll(async () => {
    disk = mountSmallDisk() ?? '';
    await chooseFolder(disk);
    addFile('one.bin', MEGABYTE);
    expect((await run()).problem).toBeNull();
  });
  afterAll(removeDisks);

  it.skipIf(!IS_THOROUGH_RUN)(
    'keeps its backups when full, and accepts the next backup once there is space',
    async () => {
      const freeSpace = fillDisk(disk);
      addFile('two.bin', 3 * MEGABYTE);
      const failedBackup = await run();
      expect(failedBackup.problem?.problem).toMatch(/^The disk of .* is full/u);
      expect([failedBackup.last?.number, failedBackup.backups.length]).toStrictEqual([1, 1]);
      freeSpace();
      expect(await run()).toMatchObject({ problem: null, last: { number: 2 } });
      expect(filesBelow(disk).filter((name) => name.endsWith('.begun'))).toStrictEqual([]);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'is reported if mounted read-only, still allows its backups to be restored, and accepts backups again once writable',
    async () => {
      setReadOnly(disk, true);
      addFile('two.bin', MEGABYTE);
      expect((await run()).problem?.problem).toMatch(/is read-only/u);
      await expectIntact(2);
      setReadOnly(disk, false);
      expect(await run()).toMatchObject({ problem: null, last: { number: 3 } });
    },
  );
});

describe('a backup disk', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'removed midway leaves no files at its mount point, and the backup resumes when it is back',
    async () => {
      const disk = newFolder();
      await chooseFolder(disk);
      const [name = ''] = readdirSync(disk);
      const hasPack = (): boolean => filesBelow(join(disk, name)).some((file) => /^packs\/[^.]+$/u.test(file));
      // The file is slightly larger than one pack and written slowly, so that there is time to remove the disk.
      addFile('one.bin', 20 * MEGABYTE);
      simulateSlowDisk('100');
      await startTask('run');
      await until(hasPack, 'a pack was written');
      renameSync(disk, `${disk}-away`);
      await pda.pda.backup.waitUntilIdle();
      expect((await readBackup()).problem?.problem).toMatch(/does not exist|does not contain/u);
      expect(existsSync(disk)).toBe(false);
      renameSync(`${disk}-away`, disk);
      stopSlowDisk();
      const secondRun = await run();
      expect(secondRun).toMatchObject({ problem: null, last: { number: 1 } });
      // Content that was already transferred is not written again.
      expect(secondRun.last?.added).toBeLessThan(16 * MEGABYTE);
      await expectIntact(1);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('slows down only backups if its writes are slow', async () => {
    const disk = newFolder();
    await chooseFolder(disk);
    addFile('one.bin', MEGABYTE);
    simulateSlowDisk('250');
    await startTask('run');
    let responseCount = 0;
    do {
      expect((await pda.call('POST', '/api/v2.6/data/load/one', { json: { answered: responseCount } })).status).toBe(
        201,
      );
      responseCount += 1;
    } while ((await readBackup()).running !== null);
    // One fsync takes as long as many requests, so there would be few responses if they waited for it.
    expect(responseCount).toBeGreaterThan(20);
    expect(await readBackup()).toMatchObject({ problem: null, last: { number: 1 } });
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'with slow writes does not stop the heartbeat messages of the backup process',
    async () => {
      const { home, job } = await prepareNextBackup();
      writeFileSync(join(home, 'files', 'more.bin'), randomBytes(1000));
      const child = fork(BACKUP_PROCESS, {
        execArgv: ['--import', SLOW_DISK_MODULE],
        env: { ...process.env, PDA_SLOW_DISK: '70' },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        serialization: 'json',
      });
      const phases: string[] = [];
      child.on('message', (message: BackupMessage) =>
        phases.push(message.type === 'progress' ? message.progress.phase : message.type),
      );
      child.send(job);
      await once(child, 'close');
      expect(phases.at(-1)).toBe('done');
      // Pruning reports no progress, so until the job is done only heartbeats follow the last progress message.
      const lastProgress = Math.max(
        ...['scanning', 'files', 'database', 'finishing'].map((phase) => phases.lastIndexOf(phase)),
      );
      expect(phases.slice(lastProgress)).toContain('alive');
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'is abandoned with a message if it does not respond, keeps its content, and is used again once it responds',
    async () => {
      const { archive, home, job: defaultJob } = await prepareNextBackup();
      const job = { ...defaultJob, retention: { days: 7, weeks: 5, months: 12 } };
      const worker = createBackupWorker({ quick: 300, long: 1500 });
      writeFileSync(join(home, 'files', 'more.bin'), randomBytes(2 * MEGABYTE));
      simulateSlowDisk('never');
      await expect(worker.run(job)).rejects.toMatchObject({
        name: 'BackupProblem',
        kind: 'unusable',
        message: expect.stringContaining('does not respond'),
      });
      stopSlowDisk();
      expect(await verify(archive)).toMatchObject({ problems: [], backups: 1 });
      // The unresponsive process was killed; otherwise its lock would block this backup.
      const patientWorker = createBackupWorker();
      const backUpAgain = async () => (await patientWorker.run(job)).backups.length;
      await expect.poll(() => backUpAgain().catch((error: unknown) => error), { interval: 200 }).toBe(2);
      await Promise.all([worker.close(), patientWorker.close()]);
    },
  );
});
