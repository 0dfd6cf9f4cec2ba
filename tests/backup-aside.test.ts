import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupSchema, type Backup } from '../server/wire/backup.ts';
import { THOROUGH } from './support/at-length.ts';
import { PASSPHRASE } from './support/backups.ts';
import type { Waits } from './support/note-waits.ts';
import {
  endProcesses,
  newFolder,
  newHome,
  removeFolders,
  startServer,
  until,
  type ServerProcess,
} from './support/server-process.ts';

/**
 * The first backup copies everything, and other requests must not notice. The test measures what the main thread waits for and
 * how much is written to the disk at once, because durations depend on the machine.
 */

const PATH = '/api/v2.6/owner/backup';
const MEBIBYTE = 1024 * 1024;
const ROUNDS = 40;
const FILES = 2;

let server: ServerProcess;
let notes: string;
let home: string;

beforeAll(async () => {
  if (!THOROUGH) return;
  home = await newHome();
  notes = newFolder();
  for (let n = 0; n < FILES; n += 1) writeFileSync(join(home, 'files', `${n}.bin`), randomBytes(5 * MEBIBYTE));
  process.env['NODE_OPTIONS'] = `--import ${join(import.meta.dirname, 'support/note-waits.ts')}`;
  process.env['PDA_WAITS'] = notes;
  server = await startServer(home);
  delete process.env['NODE_OPTIONS'];
  delete process.env['PDA_WAITS'];
  for (let n = 0; n < 4; n += 1) {
    const json = Array.from({ length: 1000 }, () => ({ text: randomBytes(500).toString('hex') }));
    expect((await server.call('POST', '/api/v2.6/data/fit/steps', { json })).status).toBe(201);
  }
});
afterAll(async () => {
  await endProcesses();
  removeFolders();
});

const view = async (): Promise<Backup> => backupSchema.parse((await server.call('GET', PATH)).json);

/** What the server's main thread waited for since the last time. */
const waitsOfServer = async (): Promise<Waits> => {
  const file = join(notes, `${server.pid}.json`);
  rmSync(file, { force: true });
  process.kill(server.pid, 'SIGUSR2');
  await until(() => existsSync(file), 'the server has said what it waited for');
  return JSON.parse(readFileSync(file, 'utf8')) as Waits;
};

const work = async (): Promise<void> => {
  for (let n = 0; n < ROUNDS; n += 1) {
    expect((await server.call('POST', '/api/v2.6/data/load/one', { json: { n, text: 'x'.repeat(2000) } })).status).toBe(
      201,
    );
    expect((await server.call('GET', '/api/v2.6/data/load/one?take=1')).status).toBe(200);
  }
};

describe.skipIf(!THOROUGH)('while the first backup is made', () => {
  it('the thread that answers everybody waits for no disk but for what it answers, starts no process, and does no more work', async () => {
    await work();
    await waitsOfServer();
    await work();
    const alone = await waitsOfServer();
    const chosen = { folder: newFolder(), passphrase: PASSPHRASE };
    expect((await server.call('POST', `${PATH}/set-up`, { json: chosen })).status).toBe(200);
    // The name of the archive is written down, the first time; that it lasts is waited for elsewhere.
    const choosing = Object.keys((await waitsOfServer()).waits).toSorted();
    expect(choosing).toStrictEqual(['renameSync', 'writeSync']);
    expect((await server.call('POST', `${PATH}/run`)).status).toBe(202);
    let rounds = 0;
    const busy = { cpu: 0, waits: new Set<string>() };
    const look = async (): Promise<void> => {
      const { cpu, waits } = await waitsOfServer();
      busy.cpu += cpu;
      for (const what of Object.keys(waits)) busy.waits.add(what);
    };
    do {
      await work();
      rounds += 1;
      await look();
    } while ((await view()).running !== null);
    const { last, problem } = await view();
    expect([last?.number, problem]).toStrictEqual([1, null]);
    expect([Object.keys(alone.waits), [...busy.waits]]).toStrictEqual([[], []]);
    // It is done in another process: beside the thread that starts that one, the same calls take the same work.
    expect(busy.cpu / rounds).toBeLessThan(alone.cpu * 2 + 1_000_000 / rounds);
  });

  it('the disk is given a mebibyte at a time, so that no write behind it waits for more', () => {
    const works = readdirSync(notes)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(notes, name), 'utf8')) as Waits)
      .filter((found) => !found.server && (found.waits['fdatasyncSync'] ?? 0) > 0);
    expect(works).toHaveLength(1);
    const [backup] = works;
    expect(backup?.mostBytes).toBeLessThanOrEqual(MEBIBYTE);
    // The packs, and the copy of the database, of another three or so.
    expect(backup?.waits['fdatasyncSync']).toBeGreaterThan(5 * FILES);
  });
});
