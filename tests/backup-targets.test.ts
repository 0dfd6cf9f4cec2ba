import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BackupProgress } from '../server/pda/account/backup/worker/jobs.ts';
import { createBackupWorker } from '../server/pda/account/backup/worker/client.ts';
import { backupSchema, type Backup } from '../server/wire/backup.ts';
import { THOROUGH } from './support/at-length.ts';
import { back, check, filesBelow, newArchive, PASSPHRASE } from './support/backups.ts';
import { newFolder, removeFolders, until } from './support/server-process.ts';
import { canHaveDisk, setReadOnly, smallDisk, takeAwayDisks } from './support/small-disk.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

/** Real disk conditions: full, locked, removed, slow, dead. Existing content stays intact, the problem is reported, and the next attempt succeeds. */

const PATH = '/api/v2.6/owner/backup';
const canMount = canHaveDisk();
const MEGABYTE = 1_000_000;
const SLOW = join(import.meta.dirname, 'support/slow-disk.ts');
const WORK = join(import.meta.dirname, '../server/pda/account/backup/worker/process.ts');

/** The processes that work on backups from now on wait so long for a disk. */
const beSlow = (ms: string): void => {
  process.env['NODE_OPTIONS'] = `--import ${SLOW}`;
  process.env['PDA_SLOW_DISK'] = ms;
};
const beFast = (): void => {
  delete process.env['NODE_OPTIONS'];
  delete process.env['PDA_SLOW_DISK'];
};

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterEach(() => {
  beFast();
  for (const name of readdirSync(join(pda.home, 'files'))) rmSync(join(pda.home, 'files', name));
});
afterAll(async () => {
  await pda.close();
  removeFolders();
});

const view = async (): Promise<Backup> => backupSchema.parse((await pda.call('GET', PATH)).json);
const begin = async (what: 'run' | 'drill'): Promise<void> =>
  expect((await pda.call('POST', `${PATH}/${what}`)).status).toBe(202);
const run = async (what: 'run' | 'drill' = 'run'): Promise<Backup> => {
  await begin(what);
  await pda.pda.backup.idle();
  return view();
};
const addFile = (name: string, bytes: number): void => writeFileSync(join(pda.home, 'files', name), randomBytes(bytes));
/** The first time with a passphrase, which is a quarter of a second of work. */
const choose = async (folder: string): Promise<void> => {
  const { folder: chosen, every, keep } = await view();
  const reply =
    chosen === null
      ? await pda.call('POST', `${PATH}/set-up`, { json: { folder, passphrase: PASSPHRASE } })
      : await pda.call('PUT', PATH, { json: { folder, every, keep } });
  expect(reply.status, reply.text).toBe(200);
};
/** Takes the room that is left, as another program would. */
const fill = (disk: string): (() => void) => {
  const file = join(disk, 'taken');
  for (let step = MEGABYTE; step >= 4096;) {
    try {
      writeFileSync(file, Buffer.alloc(step), { flag: 'a' });
    } catch {
      step /= 4;
    }
  }
  return () => rmSync(file);
};
/** A home with one backup in a new archive, and the job for the next one, without the server. */
const oneBackup = async () => {
  const { home } = pda;
  const { archive, target } = await newArchive();
  await back(archive, home, () => Date.now() - 1000);
  const job = {
    op: 'backup',
    home,
    now: Date.now(),
    folder: target,
    locks: archive.keyFile,
    master: archive.master.toString('base64'),
    program: '0.0.0',
    isNew: false,
    retention: { days: 0, weeks: 0, months: 0 },
    distrust: [],
  } as const;
  return { archive, home, job };
};
/** Verifies every byte of the archive and restores the newest backup. */
const expectWhole = async (number: number): Promise<void> => {
  const { provenWhole, problem } = await run('drill');
  expect([provenWhole?.number, problem]).toStrictEqual([number, null]);
};

describe.skipIf(!canMount)('a separate disk (skipped where mounting is not permitted)', () => {
  let disk: string;
  beforeAll(async () => {
    disk = smallDisk() ?? '';
    await choose(disk);
    addFile('one.bin', MEGABYTE);
    expect((await run()).problem).toBeNull();
  });
  afterAll(takeAwayDisks);

  it('that is full keeps what it has, and takes the next backup once there is room', async () => {
    const giveBack = fill(disk);
    addFile('two.bin', 3 * MEGABYTE);
    const failed = await run();
    expect(failed.problem?.problem).toMatch(/no room left in/u);
    expect([failed.last?.number, failed.backups.length]).toStrictEqual([1, 1]);
    giveBack();
    expect(await run()).toMatchObject({ problem: null, last: { number: 2 } });
    // The next test checks each byte of both, where the disk is read-only.
    expect(filesBelow(disk).filter((name) => name.endsWith('.begun'))).toStrictEqual([]);
  });

  it.skipIf(!THOROUGH)(
    'that can only be read says so, still brings back what it has, and is written again when it lets us',
    async () => {
      setReadOnly(disk, true);
      addFile('two.bin', MEGABYTE);
      expect((await run()).problem?.problem).toMatch(/can only be read/u);
      await expectWhole(2);
      setReadOnly(disk, false);
      expect(await run()).toMatchObject({ problem: null, last: { number: 3 } });
    },
  );
});

describe('a disk', () => {
  it.skipIf(!THOROUGH)(
    'that is pulled out in the middle leaves nothing in its place, and the backup goes on when it is back',
    async () => {
      const disk = newFolder();
      await choose(disk);
      const [name = ''] = readdirSync(disk);
      const hasPack = (): boolean => filesBelow(join(disk, name)).some((file) => /^packs\/[^.]+$/u.test(file));
      // A pack and a bit; slowly, so that there is time to pull it out.
      addFile('one.bin', 20 * MEGABYTE);
      beSlow('100');
      await begin('run');
      await until(hasPack, 'a part of it is there');
      renameSync(disk, `${disk}-away`);
      await pda.pda.backup.idle();
      expect((await view()).problem?.problem).toMatch(/not there/u);
      expect(existsSync(disk)).toBe(false);
      renameSync(`${disk}-away`, disk);
      beFast();
      const again = await run();
      expect(again).toMatchObject({ problem: null, last: { number: 1 } });
      // What came over before is not written once more.
      expect(again.last?.added).toBeLessThan(16 * MEGABYTE);
      await expectWhole(1);
    },
  );

  it.skipIf(!THOROUGH)('that is slow makes backups slow, and nothing else', async () => {
    const disk = newFolder();
    await choose(disk);
    addFile('one.bin', MEGABYTE);
    beSlow('250');
    await begin('run');
    let answered = 0;
    do {
      expect((await pda.call('POST', '/api/v2.6/data/load/one', { json: { answered } })).status).toBe(201);
      answered += 1;
    } while ((await view()).running !== null);
    // One wait of the disk is as long as many calls: were they to wait for it, there would be few.
    expect(answered).toBeGreaterThan(20);
    expect(await view()).toMatchObject({ problem: null, last: { number: 1 } });
  });

  it.skipIf(!THOROUGH)(
    'that is slow reports progress even without output, so that the job is not cancelled',
    async () => {
      const { home, job } = await oneBackup();
      writeFileSync(join(home, 'files', 'more.bin'), randomBytes(1000));
      const child = fork(WORK, {
        execArgv: ['--import', SLOW],
        env: { ...process.env, PDA_SLOW_DISK: '70' },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        serialization: 'json',
      });
      const said: string[] = [];
      child.on('message', (message: BackupProgress) =>
        said.push(message.type === 'progress' ? message.progress.phase : message.type),
      );
      child.send(job);
      await once(child, 'close');
      expect(said.at(-1)).toBe('done');
      // While older backups are taken away, which no progress tells of.
      const from = Math.max(...['looking', 'files', 'database', 'finishing'].map((phase) => said.lastIndexOf(phase)));
      expect(said.slice(from)).toContain('alive');
    },
  );

  it('that never answers is given up, in words; what it had is whole, and it is used again when it answers', async () => {
    const { archive, home, job: pruned } = await oneBackup();
    const job = { ...pruned, retention: { days: 7, weeks: 5, months: 12 } };
    const worker = createBackupWorker({ soon: 300, long: 1500 });
    writeFileSync(join(home, 'files', 'more.bin'), randomBytes(2 * MEGABYTE));
    beSlow('never');
    await expect(worker.run(job)).rejects.toMatchObject({
      name: 'BackupProblem',
      kind: 'unusable',
      message: expect.stringContaining('does not respond'),
    });
    beFast();
    expect(await check(archive)).toMatchObject({ problems: [], backups: 1 });
    // The process that hung was ended, or its lock would refuse this one.
    const patient = createBackupWorker();
    const again = async () => (await patient.run(job)).backups.length;
    await expect.poll(() => again().catch((error: unknown) => error), { interval: 200 }).toBe(2);
    await Promise.all([worker.close(), patient.close()]);
  });
});
