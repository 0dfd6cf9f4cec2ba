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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openArchive } from '../server/pda/account/backup/format/archive.ts';
import type { Secret } from '../server/pda/account/backup/format/key-file.ts';
import { backupKeySchema, backupSchema, restorableSchema, type Backup } from '../server/wire/backup.ts';
import { PASSPHRASE } from './support/backups.ts';
import type { Reply } from './support/http.ts';
import { hashInEarnest } from './support/quick-hashes.ts';
import { newFolder, removeFolders } from './support/server-process.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';

/** Backups as the owner's pages see them: chosen, made, proven, and said to be missing. */

const PATH = '/api/v2.6/owner/backup';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const KEY = /^(?:[0-9A-Z]{5}-){7}[0-9A-Z]{5}$/u;

let pda: TestPda;
let disk: string;
let newestKey: string;

const view = async (): Promise<Backup> => backupSchema.parse((await pda.call('GET', PATH)).json);
const setUp = (folder = disk, passphrase = PASSPHRASE): Promise<Reply> =>
  pda.call('POST', `${PATH}/set-up`, { json: { folder, passphrase } });
const run = async (what: 'run' | 'drill' = 'run'): Promise<Backup> => {
  expect((await pda.call('POST', `${PATH}/${what}`)).status).toBe(202);
  await pda.pda.backup.idle();
  return view();
};
/** Sessions end meanwhile. */
const later = async (ms: number): Promise<void> => {
  pda.clock.advance(ms);
  pda.token = await pda.signIn();
};

afterAll(removeFolders);

describe('backups that a server makes', () => {
  beforeAll(async () => {
    pda = await startTestPda();
    disk = newFolder();
    await pda.call('POST', '/api/v2.6/data/fit/steps', {
      json: Array.from({ length: 500 }, (_, steps) => ({ steps })),
    });
  });
  afterAll(() => pda.close());

  it('are none at first, and that is said', async () => {
    const found = await view();
    expect([found.folder, found.stale, found.last, found.backups]).toStrictEqual([null, true, null, []]);
    expect(errorOf(await pda.call('POST', `${PATH}/run`)).error).toBe('wrong_state');
  });

  it('go to a folder that is there, is outside of the home, and with a passphrase that is hard to guess', async () => {
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
    expect(readdirSync(disk)).toStrictEqual([]);
    const { recoveryKey, backup } = backupKeySchema.parse((await setUp()).json);
    expect(recoveryKey).toMatch(KEY);
    expect([backup.folder, backup.every, backup.stale]).toStrictEqual([disk, 'day', true]);
    expect(readdirSync(disk)).toHaveLength(1);
  });

  it('are made when the owner wants it, and proven by restoring a sample', async () => {
    const found = await run();
    expect(found.problem).toBeNull();
    expect([found.backups.length, found.stale, found.proven?.whole, found.proven?.number]).toStrictEqual([
      1,
      false,
      false,
      1,
    ]);
    expect(found.next).toBe(new Date(Date.parse(found.last?.created ?? '') + DAY).toISOString());
  });

  it('that are damaged are found by the drill, and mended by the next backup', async () => {
    const archive = join(disk, readdirSync(disk)[0] ?? '');
    const [pack = ''] = readdirSync(join(archive, 'packs'));
    const content = readFileSync(join(archive, 'packs', pack));
    content[content.length - 100] = (content[content.length - 100] ?? 0) ^ 4;
    writeFileSync(join(archive, 'packs', pack), content);
    const before = (await view()).provenWhole;
    const found = await run('drill');
    expect(found.problem?.problem).toMatch(/damaged/u);
    expect(found.provenWhole).toStrictEqual(before);
    // That it comes back whole now is seen below, where that is due.
    expect((await run()).problem).toBeNull();
  });

  it('are made by the clock each day', async () => {
    const first = await view();
    await later(20 * HOUR);
    await pda.pda.backup.tick();
    expect((await view()).backups).toStrictEqual(first.backups);
    await later(5 * HOUR);
    await pda.pda.backup.tick();
    const second = await view();
    expect(second.last?.number).toBe((first.last?.number ?? 0) + 1);
    expect([second.problem, second.provenWhole]).toStrictEqual([null, first.provenWhole]);
  });

  it('are missed when the disk is away, which is said; go on when it is back, and are brought back whole each week', async () => {
    renameSync(disk, `${disk}-away`);
    await later(8 * DAY);
    await pda.pda.backup.tick();
    const missed = await view();
    expect([missed.stale, missed.problem?.what]).toStrictEqual([true, 'backup']);
    expect(missed.problem?.problem).toMatch(/is not there/u);
    // Not once a minute: at first after a quarter of an hour.
    expect(Date.parse(missed.next ?? '') - pda.clock.now()).toBe(HOUR / 4);
    mkdirSync(disk);
    expect((await run()).problem?.problem).toMatch(/are not there/u);
    expect(readdirSync(disk)).toStrictEqual([]);
    rmSync(disk, { recursive: true });
    renameSync(`${disk}-away`, disk);
    await later(HOUR);
    await pda.pda.backup.tick();
    const back = await view();
    expect([back.problem, back.stale]).toStrictEqual([null, false]);
    expect([back.provenWhole?.whole, back.provenWhole?.number]).toStrictEqual([true, back.last?.number]);
    // Nothing is left of what was brought back to look at it.
    await expect
      .poll(() => readdirSync(join(pda.home, 'backups')).toSorted())
      .toStrictEqual(['archive', 'digests.json', 'lock', 'state.json']);
  });

  it('are known after a restart too', async () => {
    const before = await view();
    await pda.restart();
    expect(await view()).toStrictEqual(before);
  });

  it('are refused in words while the home cannot say which archive is its own', async () => {
    const file = join(pda.home, 'backups', 'archive');
    const own = readFileSync(file);
    rmSync(file);
    symlinkSync(file, file);
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', `${PATH}/run`],
      ['POST', `${PATH}/drill`],
    ] as const)
      expect([path, errorOf(await pda.call(method, path)).error]).toStrictEqual([path, 'wrong_state']);
    rmSync(file);
    writeFileSync(file, own);
    expect((await view()).folder).toBe(disk);
  });

  it('open with the new passphrase and the new recovery key alone, once they were changed', async () => {
    const json = { passphrase: 'another long line of plain words' };
    // Processes of their own open the archive with this passphrase in the tests below.
    const reply = await hashInEarnest(() => pda.call('POST', `${PATH}/key`, { json }));
    const { recoveryKey } = backupKeySchema.parse(reply.json);
    const opens = async (secret: Secret): Promise<string> =>
      (await openArchive(join(disk, readdirSync(disk)[0] ?? ''), secret)).folder;
    await expect(opens({ passphrase: PASSPHRASE })).rejects.toThrow(/does not open/u);
    const found = [await hashInEarnest(() => opens(json)), await opens({ recoveryKey })];
    expect(found).toStrictEqual([found[0], found[0]]);
  });

  it('go elsewhere, more or less often, and not at all, as the owner wants', async () => {
    const other = newFolder();
    const keep = { days: 2, weeks: 0, months: 0 };
    const reply = await pda.call('PUT', PATH, { json: { folder: other, every: 'hour', keep } });
    expect(backupSchema.parse(reply.json)).toMatchObject({
      folder: other,
      every: 'hour',
      keep,
      backups: [],
      stale: true,
    });
    expect((await run()).backups).toHaveLength(1);
    // Also in the middle of another choice: none is left that has no key.
    const change = pda.call('PUT', PATH, { json: { folder: newFolder(), every: 'hour', keep } });
    expect((await pda.call('DELETE', PATH)).status).toBe(200);
    await change;
    const off = await view();
    expect([off.folder, off.stale]).toStrictEqual([null, true]);
    expect(readdirSync(other)).toHaveLength(1);
  });

  it('of another folder are not taken for those of the one that is chosen again', async () => {
    const reply = await hashInEarnest(() => setUp(disk, 'another long line of plain words'));
    expect(reply.status, reply.text).toBe(200);
    ({ recoveryKey: newestKey } = backupKeySchema.parse(reply.json));
    expect((await view()).backups).toStrictEqual([]);
    const found = await run();
    expect(found.problem).toBeNull();
    expect(found.backups.length).toBeGreaterThan(1);
  });

  it('sets up a PDA with the same data and without sessions', async () => {
    const before = (await pda.call('GET', '/api/v2.6/data/fit/steps')).text;
    const { backups } = await view();
    const old = { token: pda.token, home: pda.home, now: pda.clock.now() };
    await pda.close();

    pda = await startTestPda({ setUp: false });
    pda.clock.set(old.now);
    const code = pda.pda.owner.setupCode() ?? '';
    const from = { code, from: disk };
    const look = (secret: Secret, more: object = {}) =>
      pda.call('POST', '/api/v2.6/owner/restore/look', { json: { ...from, secret, ...more } });
    expect(errorOf(await look({ passphrase: 'wrong' })).error).toBe('forbidden');
    expect(errorOf(await look({ recoveryKey: newestKey }, { code: 'wrong' })).error).toBe('invalid_setup_code');
    expect(errorOf(await look({ recoveryKey: newestKey }, { from: join(disk, 'no') })).cause).toMatch(/is not there/u);
    const found = restorableSchema.parse((await look({ recoveryKey: newestKey })).json);
    expect(found.backups.map(({ number, name }) => [number, name])).toStrictEqual(
      backups.map(({ number }) => [number, OWNER.name]),
    );

    const secret = { passphrase: 'another long line of plain words' };
    const json = { ...from, secret, backup: String(backups[0]?.number) };
    const reply = await pda.call('POST', '/api/v2.6/owner/restore', { json });
    expect(reply.status, reply.text).toBe(200);
    await pda.pda.restored;
    await pda.restart();
    expect((await pda.call('GET', '/api/v2.6/owner', { token: old.token })).status).toBe(401);
    pda.token = await pda.signIn();
    expect((await pda.call('GET', '/api/v2.6/data/fit/steps')).text).toBe(before);
    expect(existsSync(join(pda.home, 'restored'))).toBe(false);
    // Backups continue in a new archive; the state of backups is not part of a backup.
    const again = await view();
    expect([again.folder, again.backups]).toStrictEqual([disk, []]);
    expect(again.archive).not.toBe(join(disk, readdirSync(disk)[0] ?? ''));
    expect((await run()).backups).toHaveLength(1);
    expect(readdirSync(disk)).toHaveLength(2);
    expect(pda.home).not.toBe(old.home);
  });
});
