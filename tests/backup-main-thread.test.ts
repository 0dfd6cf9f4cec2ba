import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupSchema, type Backup } from '../server/wire/backup.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';
import { PASSPHRASE } from './support/backups.ts';
import type { WorkCounts } from './support/count-blocking-operations.ts';
import {
  killProcesses,
  newFolder,
  newHome,
  removeFolders,
  startServer,
  until,
  type ServerProcess,
} from './support/server-process.ts';

// The first backup copies everything but must not delay other requests. The tests count the blocking operations of the
// main thread and the bytes between two fsyncs, because durations depend on the machine.

const PATH = '/api/v2.6/owner/backup';
const MEBIBYTE = 1024 * 1024;
const REQUEST_PAIRS = 40;
const FILE_COUNT = 2;

let server: ServerProcess;
let countsFolder: string;
let home: string;

beforeAll(async () => {
  if (!IS_THOROUGH_RUN) return;
  home = await newHome();
  countsFolder = newFolder();
  for (let n = 0; n < FILE_COUNT; n += 1) writeFileSync(join(home, 'files', `${n}.bin`), randomBytes(5 * MEBIBYTE));
  process.env['NODE_OPTIONS'] = `--import ${join(import.meta.dirname, 'support/count-blocking-operations.ts')}`;
  process.env['PDA_WORK_COUNTS'] = countsFolder;
  server = await startServer(home);
  delete process.env['NODE_OPTIONS'];
  delete process.env['PDA_WORK_COUNTS'];
  for (let n = 0; n < 4; n += 1) {
    const json = Array.from({ length: 1000 }, () => ({ text: randomBytes(500).toString('hex') }));
    expect((await server.call('POST', '/api/v2.6/data/fit/steps', { json })).status).toBe(201);
  }
});
afterAll(async () => {
  await killProcesses();
  removeFolders();
});

const readBackup = async (): Promise<Backup> => backupSchema.parse((await server.call('GET', PATH)).json);

/** Returns and resets the counts of blocking operations of the server's main thread. */
const takeCounts = async (): Promise<WorkCounts> => {
  const file = join(countsFolder, `${server.pid}.json`);
  rmSync(file, { force: true });
  process.kill(server.pid, 'SIGUSR2');
  await until(() => existsSync(file), 'the server has written its counts');
  return JSON.parse(readFileSync(file, 'utf8')) as WorkCounts;
};

const sendRequests = async (): Promise<void> => {
  for (let n = 0; n < REQUEST_PAIRS; n += 1) {
    expect((await server.call('POST', '/api/v2.6/data/load/one', { json: { n, text: 'x'.repeat(2000) } })).status).toBe(
      201,
    );
    expect((await server.call('GET', '/api/v2.6/data/load/one?take=1')).status).toBe(200);
  }
};

describe.skipIf(!IS_THOROUGH_RUN)('the first backup', () => {
  it('does not block the server’s main thread or add much to its work', async () => {
    await sendRequests();
    await takeCounts();
    await sendRequests();
    const countsBefore = await takeCounts();
    const settings = { folder: newFolder(), passphrase: PASSPHRASE };
    expect((await server.call('POST', `${PATH}/set-up`, { json: settings })).status).toBe(200);
    // The setup stores the name of the archive. The fsync of that file happens outside the main thread.
    const setUpOperations = Object.keys((await takeCounts()).operations).toSorted();
    expect(setUpOperations).toStrictEqual(['renameSync', 'writeSync']);
    expect((await server.call('POST', `${PATH}/run`)).status).toBe(202);
    let batches = 0;
    const countsDuring = { cpuUs: 0, operations: new Set<string>() };
    const addCounts = async (): Promise<void> => {
      const { cpuUs, operations } = await takeCounts();
      countsDuring.cpuUs += cpuUs;
      for (const operation of Object.keys(operations)) countsDuring.operations.add(operation);
    };
    do {
      await sendRequests();
      batches += 1;
      await addCounts();
    } while ((await readBackup()).running !== null);
    const { last, problem } = await readBackup();
    expect([last?.number, problem]).toStrictEqual([1, null]);
    expect([Object.keys(countsBefore.operations), [...countsDuring.operations]]).toStrictEqual([[], []]);
    // The backup runs in another process, so requests during it cost the server about as much as before.
    expect(countsDuring.cpuUs / batches).toBeLessThan(countsBefore.cpuUs * 2 + 1_000_000 / batches);
  });

  it('writes at most one mebibyte between two fsyncs, so that other writes are not delayed', () => {
    const backupProcesses = readdirSync(countsFolder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(countsFolder, name), 'utf8')) as WorkCounts)
      .filter(({ isServer, operations }) => !isServer && (operations['fdatasyncSync'] ?? 0) > 0);
    expect(backupProcesses).toHaveLength(1);
    const [backup] = backupProcesses;
    expect(backup?.unsyncedBytesMax).toBeLessThanOrEqual(MEBIBYTE);
    // The packs and the copy of the database are synced in many small steps.
    expect(backup?.operations['fdatasyncSync']).toBeGreaterThan(5 * FILE_COUNT);
  });
});
