import { createServer, type Server } from 'node:http';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  publishedConfigurationOf,
  FAST_TIMING,
  type FunctionInput,
} from '../server/pda/functions/harness.test-support.ts';
import { functionRunPageSchema, ownerFunctionSchema } from '../server/wire/functions.ts';
import { MAX_FUNCTION_RUN_MS } from '../server/wire/limits.ts';
import { IS_THOROUGH_RUN, testTimeout } from './support/long-run.ts';
import { findInconsistencies } from './support/database-check.ts';
import type { OwnerClient } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { runInProcess } from './support/run-command.ts';
import {
  killProcesses,
  newFolder,
  newHome,
  pause,
  removeFolders,
  startServer,
  until,
} from './support/server-process.ts';

/** Number of kills close to the moment when a run is saved. */
const KILL_ROUNDS = Number(process.env['PDA_KILLS'] ?? 1);
/** Time span over which the kills are spread. It grows with their number, so that it also covers slow machines. */
const KILL_SPREAD_MS = 4 * KILL_ROUNDS;

const FAST_OPTIONS = { functions: { timing: FAST_TIMING } };
const FUNCTION = '/api/v2.6/she/function/far';

let webService: Server;
let base: string;
/** Input values of each processing request. Responses wait for `responseGate`. */
let receivedInputs: number[][];
let responseGate: Promise<void> | undefined;

beforeEach(async () => {
  receivedInputs = [];
  responseGate = undefined;
  const responseFor = async (url: string, input: unknown): Promise<unknown> => {
    if (url.includes('/configuration')) return publishedConfigurationOf({ id: 'far' });
    if (url.includes('/data-bundle')) return publishedConfigurationOf({ id: 'far' }).dataBundle;
    const records = Object.values((input as FunctionInput).request.data).flat();
    receivedInputs.push(records.map(({ data }) => Number(data)));
    await responseGate;
    return [{ namespace: 'made', endpoint: 'far', data: records.map(({ data }) => data) }];
  };
  webService = createServer((request, response) => {
    void (async () => {
      const requestBody = request.method === 'POST' ? await json(request) : undefined;
      const result = await responseFor(request.url ?? '', requestBody);
      if (!response.destroyed) response.end(JSON.stringify(result));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => webService.listen(0, '127.0.0.1', resolve));
  const address = webService.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/fn`;
});
afterEach(async () => {
  await killProcesses();
  await closeHomes();
  webService.closeAllConnections();
  await new Promise((resolve) => webService.close(resolve));
});
afterAll(removeFolders);

const createHomeWithFunction = async (): Promise<string> => {
  const home = await newHome();
  const functions = [{ id: 'far', version: '1.0.0', baseUrl: base, namespace: 'made', endpoint: 'far' }];
  writeFileSync(join(home, 'config.json'), JSON.stringify({ functions, development: { allowLoopback: true } }));
  return home;
};

const enable = (server: OwnerClient): Promise<unknown> =>
  until(async () => (await server.call('GET', `${FUNCTION}/enable`)).status === 200, 'the function is available');
const store = async (server: OwnerClient, values: number[]): Promise<void> => {
  expect((await server.call('POST', '/api/v2.6/data/data/in', { json: values })).status).toBe(201);
};
const outputOf = async (server: OwnerClient): Promise<number[]> => {
  const reply = await server.call('GET', '/api/v2.6/data/made/far?take=100000');
  return (reply.json as { data: number }[]).map(({ data }) => data);
};
const runsOf = async (server: OwnerClient) =>
  functionRunPageSchema.parse((await server.call('GET', `${FUNCTION}/runs`)).json).runs;
const statusOf = async (server: OwnerClient): Promise<unknown> =>
  ((await server.call('GET', FUNCTION)).json as { status: unknown }).status;

describe('a killed server', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'saves no partial run, shows the correct status after the restart, and retries the run',
    { timeout: testTimeout(600_000) },
    async () => {
      const home = await createHomeWithFunction();
      const killedServer = await startServer(home);
      await enable(killedServer);
      let release: () => void = () => undefined;
      responseGate = new Promise((resolve) => {
        release = resolve;
      });
      await store(killedServer, [1, 2, 3]);
      await until(() => receivedInputs.length > 0, 'the run is under way');
      expect(await statusOf(killedServer)).toMatchObject({ executionStarted: expect.any(String) as string });
      await killedServer.kill();
      release();
      // The monotonic clock stands still, so that the retry does not begin before the checks.
      let counter = 0;
      const timing = { ...FAST_TIMING, counter: () => counter };
      const server = await openHome(home, { functions: { timing } });
      expect(await statusOf(server)).toStrictEqual({ available: true, enabled: true });
      expect(await outputOf(server)).toStrictEqual([]);
      expect((await runsOf(server))[0]).toMatchObject({ outcome: 'crashed', recordsOut: 0 });
      counter += 1000;
      await until(() => receivedInputs.length > 1, 'the run is retried');
      await until(async () => (await outputOf(server)).length > 0, 'the output is saved');
      expect(await outputOf(server)).toStrictEqual([1, 2, 3]);
      expect((await runsOf(server))[0]).toMatchObject({ outcome: 'done', reason: 'retry', recordsOut: 3 });
      expect(findInconsistencies(home)).toEqual([]);
    },
  );

  it(
    'saves a run completely or not at all, and never twice, when killed as the run is saved',
    { timeout: testTimeout(600_000 + KILL_ROUNDS * 15_000) },
    async () => {
      const home = await createHomeWithFunction();
      let nextNumber = 0;
      for (let round = 0; round < KILL_ROUNDS; round += 1) {
        const server = await startServer(home);
        await enable(server);
        const previousCount = receivedInputs.length;
        await store(
          server,
          Array.from({ length: 500 }, () => nextNumber++),
        );
        await until(() => receivedInputs.length > previousCount, 'the run is under way');
        await pause(Math.random() * KILL_SPREAD_MS);
        await server.kill();
        const restartedServer = await openHome(home, FAST_OPTIONS);
        expect([0, 500]).toContain((await outputOf(restartedServer)).length - round * 500);
        await until(async () => (await runsOf(restartedServer))[0]?.outcome === 'done', 'the run is done');
        const recordCount = nextNumber;
        await until(async () => (await outputOf(restartedServer)).length === recordCount, 'all output is stored');
        const values = (await outputOf(restartedServer)).toSorted((a, b) => a - b);
        expect(values).toStrictEqual(Array.from({ length: nextNumber }, (_, n) => n));
        await restartedServer.close();
      }
      expect(findInconsistencies(home)).toEqual([]);
    },
  );
});

describe('an installed function', () => {
  const MODULE = `
    const bundle = { name: 'sum', bundle: { in: { endpoints: [{ endpoint: 'data/in' }] } } };
    export const configuration = () => ({
      id: 'sum', trigger: { triggerType: 'individual' }, dataBundle: bundle,
      info: { version: '1.0.0', name: 'Sum', headline: 'Adds up', description: { text: 'Adds up' } },
    });
    export const dataBundle = () => bundle;
    export const process = ({ request }) => {
      const numbers = request.data.in.map(({ data }) => data);
      return [{ namespace: 'made', endpoint: 'sum', data: [numbers.reduce((a, b) => a + b, 0)] }];
    };`;
  const createPackageFolder = (): string => {
    const folder = join(newFolder(), 'sum');
    mkdirSync(folder);
    const manifest = {
      id: 'sum',
      version: '1.0.0',
      memoryMb: 128,
      // The sandbox has the lowest priority, so a busy machine may start it late.
      timeoutMs: MAX_FUNCTION_RUN_MS,
      namespace: 'made',
      endpoint: 'sum',
    };
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'sum.mjs'), MODULE);
    return folder;
  };

  it.skipIf(!IS_THOROUGH_RUN)(
    'can be installed, tried, listed and removed on the command line, and runs on new data',
    { timeout: testTimeout(600_000) },
    async () => {
      const home = await newHome();
      const folder = createPackageFolder();
      const installResult = await runInProcess(['function', 'install', folder, '--home', home]);
      expect(installResult).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('sum 1.0.0 installed') as string,
      });
      const dryRun = await runInProcess(['function', 'try', folder, '--home', home]);
      expect([dryRun.code, JSON.parse(dryRun.stdout)]).toStrictEqual([
        0,
        [{ namespace: 'made', endpoint: 'sum', data: [0] }],
      ]);
      const list = await runInProcess(['function', 'list', '--home', home]);
      expect(list.stdout).toBe('sum\t1.0.0\tnot enabled\tindividual\tlocal\tmade/sum\n');
      expect((await runInProcess(['function', 'try', newFolder(), '--home', home])).code).toBe(1);

      const server = await startServer(home);
      await server.call('GET', '/api/v2.6/she/function/sum/enable');
      expect((await server.call('POST', '/api/v2.6/data/data/in', { json: [1, 2, 3] })).status).toBe(201);
      const readSums = async (): Promise<unknown> => {
        const reply = await server.call('GET', '/api/v2.6/data/made/sum');
        const records = reply.json as { data: unknown }[];
        return records.length > 0 && records.map(({ data }) => data);
      };
      expect(await until(readSums, 'the function has run')).toStrictEqual([6]);
      const view = ownerFunctionSchema.parse((await server.call('GET', '/api/v2.6/owner/functions/sum')).json);
      expect(view.lastRun?.peakMemoryBytes).toBeGreaterThan(1_000_000);
      await server.stop();
      const removal = await runInProcess(['function', 'remove', 'sum', '--home', home]);
      expect(removal.code).toBe(0);
    },
  );
});
