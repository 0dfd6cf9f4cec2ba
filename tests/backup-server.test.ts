import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openArchive } from '../server/pda/account/backup/format/archive.ts';
import type { Secret } from '../server/pda/account/backup/format/key-file.ts';
import { backupKeySchema, backupSchema, restorableSchema, type Backup } from '../server/wire/backup.ts';
import { lockBackups } from '../server/pda/account/backup/home/store.ts';
import { PASSPHRASE } from './support/backups.ts';
import type { Reply } from './support/http.ts';
import { hashAtFullCost } from './support/quick-hashes.ts';
import { newFolder, removeFolders } from './support/server-process.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const PATH = '/api/v2.6/owner/backup';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RECOVERY_KEY = /^(?:[0-9A-Z]{5}-){7}[0-9A-Z]{5}$/u;

let pda: TestPda;
let disk: string;
let newestKey: string;

const readBackup = async (): Promise<Backup> => backupSchema.parse((await pda.call('GET', PATH)).json);
const setUp = (folder = disk, passphrase = PASSPHRASE): Promise<Reply> =>
  pda.call('POST', `${PATH}/set-up`, { json: { folder, passphrase } });
const run = async (action: 'run' | 'drill' = 'run'): Promise<Backup> => {
  expect((await pda.call('POST', `${PATH}/${action}`)).status).toBe(202);
  await pda.pda.backup.waitUntilIdle();
  return readBackup();
};
/** Advances the clock and signs in again, because sessions expire. */
const advanceClock = async (ms: number): Promise<void> => {
  pda.clock.advance(ms);
  pda.token = await pda.signIn();
};

// Due backups and restore drills run only when a test calls `tick`.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterAll(() => {
  vi.useRealTimers();
  removeFolders();
});

describe('backups of a server', () => {
  beforeAll(async () => {
    pda = await startTestPda();
    disk = newFolder();
    await pda.call('POST', '/api/v2.6/data/fit/steps', {
      json: Array.from({ length: 500 }, (_, steps) => ({ steps })),
    });
  });
  afterAll(() => pda.close());

  it('are off by default, and the owner sees this', async () => {
    const initialView = await readBackup();
    expect([initialView.folder, initialView.stale, initialView.last, initialView.backups]).toStrictEqual([
      null,
      true,
      null,
      [],
    ]);
    expect(errorOf(await pda.call('POST', `${PATH}/run`)).error).toBe('wrong_state');
  });

  it('require an existing folder outside the home and a strong passphrase', async () => {
    for (const [folder, passphrase, path] of [
      [join(disk, 'nowhere'), PASSPHRASE, 'body.folder'],
      [relative(process.cwd(), disk), PASSPHRASE, 'body.folder'],
      [`${disk}\0`, PASSPHRASE, 'body.folder'],
      [join(disk, 'a'.repeat(300)), PASSPHRASE, 'body.folder'],
      [join(pda.home, 'files'), PASSPHRASE, 'body.folder'],
      [disk, 'password', 'body.passphrase'],
    ] as const) {
      const reply = await setUp(folder, passphrase);
      expect([reply.status, errorOf(reply).details?.[0]?.path]).toStrictEqual([400, path]);
    }
    expect(errorOf(await setUp(join(disk, 'nowhere'))).cause).toContain('Create the folder first');
    expect(readdirSync(disk)).toStrictEqual([]);
    const { recoveryKey, backup } = backupKeySchema.parse((await setUp()).json);
    expect(recoveryKey).toMatch(RECOVERY_KEY);
    expect([backup.folder, backup.every, backup.stale]).toStrictEqual([disk, 'day', true]);
    expect(readdirSync(disk)).toHaveLength(1);
  });

  it('run on demand and are verified by restoring a sample', async () => {
    const firstRun = await run();
    expect(firstRun.problem).toBeNull();
    expect([firstRun.backups.length, firstRun.stale, firstRun.proven?.whole, firstRun.proven?.number]).toStrictEqual([
      1,
      false,
      false,
      1,
    ]);
    expect(firstRun.next).toBe(new Date(Date.parse(firstRun.last?.created ?? '') + DAY_MS).toISOString());
  });

  it.skipIf(!IS_THOROUGH_RUN)('are not reported as damaged if a restore drill cannot run', async () => {
    const originalView = await readBackup();
    const lock = lockBackups(join(pda.home, 'backups'));
    const lockedView = await run('drill');
    lock.close();
    expect(lockedView.drillFailure?.problem).toMatch(/another process/iu);
    renameSync(disk, `${disk}-away`);
    const missedView = await run('drill');
    renameSync(`${disk}-away`, disk);
    expect(missedView.drillFailure?.problem).toMatch(/does not exist/u);
    for (const view of [lockedView, missedView])
      expect([view.problem, view.proven, view.provenWhole]).toStrictEqual([
        null,
        originalView.proven,
        originalView.provenWhole,
      ]);
    expect(pda.pda.backup.status()).toBe('well');
    expect((await run('drill')).drillFailure).toBeNull();
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'are checked by the restore drill, and damage is repaired by the next backup',
    async () => {
      const archive = join(disk, readdirSync(disk)[0] ?? '');
      const [pack = ''] = readdirSync(join(archive, 'packs'));
      const content = readFileSync(join(archive, 'packs', pack));
      content[content.length - 100] = (content[content.length - 100] ?? 0) ^ 4;
      writeFileSync(join(archive, 'packs', pack), content);
      const previousDrill = (await readBackup()).provenWhole;
      const drillView = await run('drill');
      expect(drillView.problem?.problem).toMatch(/damaged/u);
      expect(drillView.provenWhole).toStrictEqual(previousDrill);
      expect((await run()).problem).toBeNull();
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('run daily on schedule', async () => {
    const firstView = await readBackup();
    await advanceClock(20 * HOUR_MS);
    await pda.pda.backup.tick();
    expect((await readBackup()).backups).toStrictEqual(firstView.backups);
    await advanceClock(5 * HOUR_MS);
    await pda.pda.backup.tick();
    const secondView = await readBackup();
    expect(secondView.last?.number).toBe((firstView.last?.number ?? 0) + 1);
    expect([secondView.problem, secondView.provenWhole]).toStrictEqual([null, firstView.provenWhole]);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'are reported as missed without the disk, resume with it, and pass a complete restore drill weekly',
    async () => {
      renameSync(disk, `${disk}-away`);
      await advanceClock(8 * DAY_MS);
      await pda.pda.backup.tick();
      const missedView = await readBackup();
      expect([missedView.stale, missedView.problem?.what]).toStrictEqual([true, 'backup']);
      expect(missedView.problem?.problem).toMatch(/does not exist/u);
      // The first retry is after a quarter of an hour.
      expect(Date.parse(missedView.next ?? '') - pda.clock.now()).toBe(HOUR_MS / 4);
      mkdirSync(disk);
      expect((await run()).problem?.problem).toMatch(/no longer contains the backups/u);
      expect(readdirSync(disk)).toStrictEqual([]);
      rmSync(disk, { recursive: true });
      renameSync(`${disk}-away`, disk);
      await advanceClock(HOUR_MS);
      await pda.pda.backup.tick();
      const resumedView = await readBackup();
      expect([resumedView.problem, resumedView.stale]).toStrictEqual([null, false]);
      expect([resumedView.provenWhole?.whole, resumedView.provenWhole?.number]).toStrictEqual([
        true,
        resumedView.last?.number,
      ]);
      // The restore drill leaves no files behind.
      await expect
        .poll(() => readdirSync(join(pda.home, 'backups')).toSorted())
        .toStrictEqual(['archive', 'digests.json', 'lock', 'state.json']);
    },
  );

  it('are listed after a restart', async () => {
    const originalView = await readBackup();
    await pda.restart();
    expect(await readBackup()).toStrictEqual(originalView);
  });

  it('are refused while the file that identifies the archive cannot be read', async () => {
    const file = join(pda.home, 'backups', 'archive');
    const archiveFile = readFileSync(file);
    rmSync(file);
    symlinkSync(file, file);
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', `${PATH}/run`],
      ['POST', `${PATH}/drill`],
    ] as const)
      expect([path, errorOf(await pda.call(method, path)).error]).toStrictEqual([path, 'wrong_state']);
    rmSync(file);
    writeFileSync(file, archiveFile);
    expect((await readBackup()).folder).toBe(disk);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'open with the new passphrase or recovery key after a change, and not with the old passphrase',
    async () => {
      const json = { passphrase: 'another long line of plain words' };
      // Separate processes open the archive with this passphrase in the tests below, so it is hashed at full cost.
      const reply = await hashAtFullCost(() => pda.call('POST', `${PATH}/key`, { json }));
      const { recoveryKey } = backupKeySchema.parse(reply.json);
      const folderOpenedWith = async (secret: Secret): Promise<string> =>
        (await openArchive(join(disk, readdirSync(disk)[0] ?? ''), secret)).folder;
      await expect(folderOpenedWith({ passphrase: PASSPHRASE })).rejects.toThrow(/does not open/u);
      const results = [await hashAtFullCost(() => folderOpenedWith(json)), await folderOpenedWith({ recoveryKey })];
      expect(results).toStrictEqual([results[0], results[0]]);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('can use a different folder, run hourly and be turned off', async () => {
    const otherFolder = newFolder();
    const keep = { days: 2, weeks: 0, months: 0 };
    const reply = await pda.call('PUT', PATH, { json: { folder: otherFolder, every: 'hour', keep } });
    expect(backupSchema.parse(reply.json)).toMatchObject({
      folder: otherFolder,
      every: 'hour',
      keep,
      backups: [],
      stale: true,
    });
    expect((await run()).backups).toHaveLength(1);
    // Turning backups off waits for a change of the folder that is under way.
    const change = pda.call('PUT', PATH, { json: { folder: newFolder(), every: 'hour', keep } });
    expect((await pda.call('DELETE', PATH)).status).toBe(200);
    await change;
    const offView = await readBackup();
    expect([offView.folder, offView.stale]).toStrictEqual([null, true]);
    expect(readdirSync(otherFolder)).toHaveLength(1);
  });

  it.skipIf(!IS_THOROUGH_RUN)('continue the existing archive when its folder is chosen again', async () => {
    const reply = await hashAtFullCost(() => setUp(disk, 'another long line of plain words'));
    expect(reply.status, reply.text).toBe(200);
    ({ recoveryKey: newestKey } = backupKeySchema.parse(reply.json));
    expect((await readBackup()).backups).toStrictEqual([]);
    const backupView = await run();
    expect(backupView.problem).toBeNull();
    expect(backupView.backups.length).toBeGreaterThan(1);
  });

  it.skipIf(!IS_THOROUGH_RUN)('restore a PDA with the same data and without sessions', async () => {
    const originalText = (await pda.call('GET', '/api/v2.6/data/fit/steps')).text;
    const { backups } = await readBackup();
    const oldPda = { token: pda.token, home: pda.home, now: pda.clock.now() };
    await pda.close();

    pda = await startTestPda({ setUp: false });
    pda.clock.set(oldPda.now);
    const code = pda.pda.owner.setupCode() ?? '';
    const restoreSource = { code, from: disk };
    const readRestorable = (secret: Secret, fields: object = {}) =>
      pda.call('POST', '/api/v2.6/owner/restore/list', { json: { ...restoreSource, secret, ...fields } });
    expect(errorOf(await readRestorable({ passphrase: 'wrong' })).error).toBe('forbidden');
    expect(errorOf(await readRestorable({ recoveryKey: newestKey }, { code: 'wrong' })).error).toBe(
      'invalid_setup_code',
    );
    expect(errorOf(await readRestorable({ recoveryKey: newestKey }, { from: join(disk, 'no') })).cause).toMatch(
      /does not exist/u,
    );
    const restorable = restorableSchema.parse((await readRestorable({ recoveryKey: newestKey })).json);
    expect(restorable.backups.map(({ number, name }) => [number, name])).toStrictEqual(
      backups.map(({ number }) => [number, OWNER.name]),
    );

    const secret = { passphrase: 'another long line of plain words' };
    const json = { ...restoreSource, secret, backup: String(backups[0]?.number) };
    const reply = await pda.call('POST', '/api/v2.6/owner/restore', { json });
    expect(reply.status, reply.text).toBe(200);
    await pda.pda.whenHomeReplaced;
    await pda.restart();
    expect((await pda.call('GET', '/api/v2.6/owner', { token: oldPda.token })).status).toBe(401);
    pda.token = await pda.signIn();
    expect((await pda.call('GET', '/api/v2.6/data/fit/steps')).text).toBe(originalText);
    expect(existsSync(join(pda.home, 'restored'))).toBe(false);
    // Backups continue in a new archive, because the backup state is not part of a backup.
    const newView = await readBackup();
    expect([newView.folder, newView.backups]).toStrictEqual([disk, []]);
    expect(newView.archive).not.toBe(join(disk, readdirSync(disk)[0] ?? ''));
    expect((await run()).backups).toHaveLength(1);
    expect(readdirSync(disk)).toHaveLength(2);
    expect(pda.home).not.toBe(oldPda.home);
  });
});
