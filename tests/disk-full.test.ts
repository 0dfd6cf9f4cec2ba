import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync, writeFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../server/platform/log.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { findInconsistencies } from './support/database-check.ts';
import type { Reply } from './support/http.ts';
import {
  announceImport,
  waitForImport,
  exportEndpoint,
  parseImportJob,
  readImportJob,
  postToImport,
  startImport,
  sendImportChunk,
  uploadImport,
  type OwnerClient,
} from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { runInProcess } from './support/run-command.ts';
import {
  killProcesses,
  newHome,
  removeFolders,
  startServer,
  until,
  type ServerProcess,
} from './support/server-process.ts';
import { canMountDisk, mountSmallDisk, removeDisks } from './support/small-disk.ts';
import { errorOf, type RunningPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const canMount = canMountDisk();
const SKIP_REASON = 'this system account may not mount a tmpfs';

afterEach(async () => {
  await killProcesses();
  await closeHomes();
  removeDisks();
});
afterAll(removeFolders);

type SmallHome = { disk: string; home: string };
const createSmallHome = async (): Promise<SmallHome> => {
  const disk = mountSmallDisk();
  if (disk === undefined) throw new Error(SKIP_REASON);
  return { disk, home: await newHome(join(disk, 'home')) };
};

const startSmallServer = async (): Promise<SmallHome & { server: ServerProcess }> => {
  const smallDiskHome = await createSmallHome();
  return { ...smallDiskHome, server: await startServer(smallDiskHome.home) };
};
/** Opens a home on a small disk in this process, for tests without kills. */
const openSmallHome = async (): Promise<SmallHome & { server: RunningPda; errors: readonly string[] }> => {
  const smallDiskHome = await createSmallHome();
  const errors: string[] = [];
  const log = { ...silentLog(), error: (_: unknown, message = '') => void errors.push(message) };
  return { ...smallDiskHome, server: await openHome(smallDiskHome.home, { log }), errors };
};

/**
 * Fills the disk except for `freeBytesLeft` bytes, as another program would. @returns a function that frees the space
 * again
 */
const fillDisk = (disk: string, freeBytesLeft = 0): (() => void) => {
  const file = join(disk, 'filler');
  writeFileSync(file, '');
  let freeBytes = readFreeBytes(disk) - freeBytesLeft;
  for (let step = 1_048_576; step >= 4096;) {
    try {
      if (freeBytes < step) throw new Error('not enough space for this step');
      writeFileSync(file, Buffer.alloc(step), { flag: 'a' });
      freeBytes -= step;
    } catch {
      step /= 2;
    }
  }
  return () => rmSync(file);
};

const readFreeBytes = (disk: string): number => {
  const output = execFileSync('df', ['--output=avail', '-B1', disk], { encoding: 'utf8' });
  return Number(output.split('\n')[1]);
};

type Body = { n: number; text: string };
const newBody = (n: number, size = 2000): Body => ({ n, text: 'x'.repeat(size) });

const postRecords = (server: OwnerClient, json: unknown, endpoint = 'load/all'): Promise<Reply> =>
  server.call('POST', `/api/v2.6/data/${endpoint}`, { json });

const readStored = async (server: OwnerClient): Promise<Body[]> => {
  const reply = await server.call('GET', '/api/v2.6/data/load/all?take=1000000');
  expect(reply.status).toBe(200);
  return (reply.json as { data: Body }[]).map((record) => record.data);
};

const expectDiskFull = (reply: Reply): void => {
  expect(reply.status, reply.text).toBe(507);
  expect(errorOf(reply)).toMatchObject({ error: 'out_of_disk', message: 'Insufficient Storage' });
};

/** Writes on several connections until each has had a write refused. @returns `n` of each acknowledged record */
const writeUntilFull = async (server: OwnerClient): Promise<number[]> => {
  const acknowledgedNumbers: number[] = [];
  let nextNumber = 0;
  const writeRepeatedly = async (): Promise<void> => {
    for (;;) {
      const firstNumber = nextNumber;
      const isBatch = Math.random() < 0.3;
      nextNumber += isBatch ? 20 : 1;
      const numbers = Array.from({ length: isBatch ? 20 : 1 }, (_, index) => firstNumber + index);
      const reply = await postRecords(server, isBatch ? numbers.map((n) => newBody(n)) : newBody(firstNumber));
      if (reply.status !== 201) {
        expectDiskFull(reply);
        return;
      }
      acknowledgedNumbers.push(...numbers);
    }
  };
  await Promise.all(Array.from({ length: 4 }, writeRepeatedly));
  return acknowledgedNumbers;
};

const ascending = (a: number, b: number): number => a - b;
const numbersOf = (list: readonly Body[]): number[] => list.map(({ n }) => n).toSorted(ascending);

describe.skipIf(!canMount)(`a PDA on a full disk${canMount ? '' : ` (skipped: ${SKIP_REASON})`}`, () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'reserves the last 5% for the owner, and lets an application write again when there is space',
    async () => {
      const { disk, home } = await createSmallHome();
      const roles = [{ role: 'namespacewrite', detail: 'load' } as const];
      writeFileSync(join(home, 'config.json'), JSON.stringify({ applications: [anApplication({ roles })] }));
      await (await openHome(home)).close();
      const freeSpace = fillDisk(disk, 1_000_000);
      const server = await openHome(home);
      const headers = { 'x-auth-token': await setUpApplication(server, 'notes') };
      const postAsApplication = (): Promise<Reply> =>
        server.call('POST', '/api/v2.6/data/load/all', { json: newBody(1), headers });

      const refusedReply = await postAsApplication();
      expectDiskFull(refusedReply);
      expect(errorOf(refusedReply).cause).toMatch(
        /^The disk is nearly full: the last 1\d{6} bytes are for the owner, and \d+ bytes of the application notes do not fit\. The owner can free disk space\. Nothing was stored\.$/u,
      );
      expect(await readStored(server)).toEqual([]);
      expect((await postRecords(server, newBody(2))).status).toBe(201);

      freeSpace();
      await until(async () => (await postAsApplication()).status === 201, 'the free space was measured');
      expect(numbersOf(await readStored(server))).toEqual([1, 2]);
    },
  );

  it('refuses writes with 507, serves reads, and accepts writes again without a restart when there is space', async () => {
    const { disk, home, server } = await openSmallHome();
    const freeSpace = fillDisk(disk, 3_000_000);
    const acknowledgedNumbers = await writeUntilFull(server);
    expect(acknowledgedNumbers.length).toBeGreaterThan(100);

    expect(numbersOf(await readStored(server))).toEqual(acknowledgedNumbers.toSorted(ascending));
    expect((await server.call('GET', '/api/v2.6/data/sources')).json).toEqual({ load: ['all'] });
    expect((await server.call('GET', '/healthz')).status).toBe(200);
    // A batch is refused as a whole.
    expectDiskFull(
      await postRecords(
        server,
        Array.from({ length: 500 }, (_, n) => newBody(n)),
        'load/other',
      ),
    );
    expect((await server.call('GET', '/api/v2.6/data/load/other')).json).toEqual([]);
    expect(findInconsistencies(home)).toEqual([]);

    freeSpace();
    const newNumbers = [1_000_000, 1_000_001];
    for (const n of newNumbers) expect((await postRecords(server, newBody(n))).status).toBe(201);
    expect(numbersOf(await readStored(server))).toEqual([...acknowledgedNumbers, ...newNumbers].toSorted(ascending));
    expect(findInconsistencies(home)).toEqual([]);

    await server.close();
    expect(await runInProcess(['verify', '--home', home])).toMatchObject({
      code: 0,
      stdout: 'the database is sound\n',
    });
    const restartedServer = await openHome(home);
    expect(numbersOf(await readStored(restartedServer))).toEqual(
      [...acknowledgedNumbers, ...newNumbers].toSorted(ascending),
    );
  });

  it('loses no acknowledged write when it is killed', async () => {
    const { disk, home, server } = await startSmallServer();
    fillDisk(disk, 3_000_000);
    const acknowledgedNumbers = await writeUntilFull(server);
    fillDisk(disk);
    await server.kill();
    const restartedServer = await openHome(home).catch(async (error: unknown) => {
      // A sign-in stores a session, so it may be refused.
      expect(error).toMatchObject({ code: 'out_of_disk' });
      rmSync(join(disk, 'filler'));
      return openHome(home);
    });
    expect(numbersOf(await readStored(restartedServer))).toEqual(acknowledgedNumbers.toSorted(ascending));
    expect(findInconsistencies(home)).toEqual([]);
  });

  it.skipIf(!IS_THOROUGH_RUN)('resumes checkpoints when there is space again', async () => {
    const { disk, home, server } = await openSmallHome();
    // The WAL exceeds its checkpoint size, and there is no space for the checkpoint.
    const freeSpace = fillDisk(disk, 9_500_000);
    const acknowledgedNumbers = await writeUntilFull(server);
    const readSize = (): number => statSync(join(home, 'pda.sqlite')).size;
    const previousSize = readSize();
    freeSpace();
    let attempts = 0;
    await until(async () => {
      expect((await postRecords(server, newBody(1))).status).toBe(201);
      attempts += 1;
      return readSize() > previousSize;
    }, 'a checkpoint has moved the WAL into the database');
    expect(await readStored(server)).toHaveLength(acknowledgedNumbers.length + attempts);
    expect(findInconsistencies(home)).toEqual([]);
  });

  it('refuses a chunk of an upload, keeps earlier ones, and accepts the chunk when there is space', async () => {
    const { disk, server } = await openSmallHome();
    const content = Buffer.from(
      Array.from({ length: 5000 }, (_, n) => `${JSON.stringify(newBody(n, 400))}\n`).join(''),
    );
    const { importId } = await announceImport(server, 'large.ndjson', content.length);
    const half = Math.floor(content.length / 2);
    expect((await sendImportChunk(server, importId, 0, content.subarray(0, half))).status).toBe(200);
    const freeSpace = fillDisk(disk, 300_000);
    expectDiskFull(await sendImportChunk(server, importId, half, content.subarray(half)));
    expect(await readImportJob(server, importId)).toMatchObject({ state: 'receiving', received: half });
    expect((await postRecords(server, { small: true }, 'load/small')).status, 'the refused chunk uses no space').toBe(
      201,
    );
    freeSpace();
    expect(parseImportJob(await sendImportChunk(server, importId, half, content.subarray(half)))).toMatchObject({
      state: 'ready',
    });
    await startImport(server, importId, { endpoint: 'load/large', format: 'ndjson' });
    expect(await waitForImport(server, importId)).toMatchObject({ state: 'done', added: 5000 });
    expect(await exportEndpoint(server, 'load/large')).toBe(content.toString());
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'stops an import with a reason, and resumes it where it stopped when there is space',
    async () => {
      const { disk, home, server, errors } = await openSmallHome();
      const content = Array.from({ length: 3000 }, (_, n) => `${JSON.stringify(newBody(n % 700, 1500))}\n`).join('');
      const { importId } = await uploadImport(server, 'large.ndjson', Buffer.from(content));
      const freeSpace = fillDisk(disk, 3_000_000);
      await startImport(server, importId, { endpoint: 'load/large', format: 'ndjson' });
      const isDiskFull = async (): Promise<boolean> =>
        (await postRecords(server, newBody(0, 100_000), 'load/probe')).status === 507;
      await until(isDiskFull, 'the disk is full');
      // The import logs at once that it has stopped, but can store its state only when there is some space.
      await until(() => errors.some((message) => message.startsWith('import stopped')), 'the import stopped');
      freeSpace();
      const failedImport = await waitForImport(server, importId);
      expect(failedImport.error?.problem).toMatch(/no room left on the disk/u);
      expect(failedImport.added).toBeLessThan(3000);
      const request = { endpoint: 'load/large', format: 'ndjson' };
      expect((await startImport(server, importId, request)).status).toBe(202);
      expect(await waitForImport(server, importId)).toMatchObject({
        state: 'done',
        added: 3000,
        skipped: 0,
        error: null,
      });
      expect((await exportEndpoint(server, 'load/large')) === content).toBe(true);
      expect((await postToImport(server, importId, 'undo')).status).toBe(200);
      expect(findInconsistencies(home)).toEqual([]);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'fails to export with a one-line error and leaves no partial file, and the export succeeds when there is space',
    async () => {
      const { disk, home, server } = await openSmallHome();
      await postRecords(
        server,
        Array.from({ length: 500 }, (_, n) => newBody(n)),
      );
      await server.close();
      const freeSpace = fillDisk(disk, 400_000);
      const target = join(disk, 'all.ndjson');
      const args = ['export', '--home', home, '--endpoint', 'load/all', '--to', target];
      const result = await runInProcess(args);
      expect(result.code).toBe(1);
      expect(result.stderr).toMatch(/^There is no room left on the disk\..*\n$/u);
      expect(readdirSync(disk).toSorted()).toEqual(['filler', 'home']);
      freeSpace();
      expect(await runInProcess(args)).toMatchObject({ code: 0, stderr: '' });
      expect(existsSync(target)).toBe(true);
    },
  );
});
