import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tryFunction } from '../../cli/functions.ts';
import { dataAt, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import {
  createFakeFunctions,
  enable,
  FUNCTIONS,
  install,
  installAndEnable,
  ownerView,
  createPackageFolder,
  manifestFor,
  publishedConfigurationOf,
  FAST_TIMING,
  removeFolders,
  waitUntilIdle,
  runsOf,
  store,
  valuesIn,
  type FakeFunction,
  type FakeFunctions,
} from '../harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let pda: TestPda;
const open = async (fakes?: FakeFunctions): Promise<TestPda> =>
  (pda = await startTestPda({
    functions: fakes === undefined ? { timing: FAST_TIMING } : { host: fakes.host, timing: FAST_TIMING },
  }));
afterEach(async () => {
  await pda.close();
  removeFolders();
});

const MANUAL = { triggerType: 'manual' } as const;
const trigger = (id: string) => pda.call('GET', `${FUNCTIONS}/${id}/trigger`);
const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('concurrent triggers', () => {
  it.each(['manual', 'individual'] as const)(
    'never run a function concurrently and never store the output of the same input twice (%s)',
    async (triggerType) => {
      const echo: FakeFunction = {
        id: 'echo',
        trigger: { triggerType },
        process: async (input) => {
          await delay(30);
          return valuesIn(input);
        },
      };
      const fakes = createFakeFunctions(echo);
      await open(fakes);
      await installAndEnable(pda, echo);
      const values: number[] = [];
      for (let round = 0; round < 15; round += 1) {
        await store(pda, 'data/in', round);
        values.push(round);
        const { functions } = pda.pda;
        const triggers = Array.from({ length: 6 }, () => functions.trigger('echo', false));
        const dryRuns = Array.from({ length: 3 }, () => functions.dryRun('echo', { useAll: false, send: true }));
        await Promise.allSettled([...triggers, ...dryRuns, trigger('echo')]);
      }
      await expect.poll(async () => (await dataAt(pda, 'made/echo')).length).toBe(values.length);
      expect((await dataAt(pda, 'made/echo')).map(Number).toSorted((a, b) => a - b)).toEqual(values);
      expect(fakes.peakConcurrentRuns).toBe(1);
    },
  );
});

it('new input is processed although it is stored while the end of a cycle is being recorded', async () => {
  const fakeList: FakeFunction[] = [
    { id: 'a', reads: ['data/in', 'made/b'], process: (input) => valuesIn(input) },
    { id: 'b', reads: ['made/a'], trigger: MANUAL, process: (input) => valuesIn(input) },
  ];
  const fakes = createFakeFunctions(...fakeList);
  const owner = { kind: 'owner', name: 'owner' } as const;
  let isStored = false;
  // The scheduler reads the counter when it learns of the output of `b`. It then looks for input of `a` and records the
  // cycle. The record is stored in the same transaction.
  const counter = (): number => {
    if (!isStored && pda.pda.records.seqs('made/b', { order: 'ascending', skip: 0, take: 1 }).length > 0) {
      isStored = true;
      void pda.pda.records.create([{ endpoint: 'data/in', data: '2' }], owner);
    }
    return performance.now();
  };
  const timing = { gatherMs: 0, gatherMaxMs: 0, pollMs: 40, backoff: [30], counter };
  pda = await startTestPda({ functions: { host: fakes.host, timing } });
  await installAndEnable(pda, ...fakeList);
  await store(pda, 'data/in', 1);
  await expect.poll(() => dataAt(pda, 'made/a')).toStrictEqual([1]);
  await trigger('b');
  await expect.poll(async () => (await ownerView(pda, 'a')).cycle).not.toBeNull();
  await expect.poll(() => dataAt(pda, 'made/a')).toStrictEqual([1, 2]);
});

describe('a run in progress', () => {
  let fakes: FakeFunctions;
  let release: () => void;
  let releasePromise: Promise<void>;
  beforeEach(() => {
    ({ promise: releasePromise, resolve: release } = Promise.withResolvers<void>());
  });
  const slowFunction: FakeFunction = {
    id: 'slow',
    trigger: MANUAL,
    process: async (input, signal) => {
      signal?.addEventListener('abort', release);
      await releasePromise;
      return valuesIn(input);
    },
  };
  it('stores nothing if the function is disabled and enabled again', async () => {
    fakes = createFakeFunctions(slowFunction);
    await open(fakes);
    await installAndEnable(pda, slowFunction);
    await store(pda, 'data/in', 1);
    const reply = trigger('slow');
    await expect.poll(() => fakes.inputs.size).toBe(1);
    await pda.call('GET', `${FUNCTIONS}/slow/disable`);
    await enable(pda, 'slow');
    expect((await reply).status).toBe(502);
    expect(await dataAt(pda, 'made/slow')).toEqual([]);
    expect((await trigger('slow')).status).toBe(200);
    expect(await dataAt(pda, 'made/slow')).toEqual([1]);
  });

  it('stores nothing if its package is removed and reinstalled', async () => {
    fakes = createFakeFunctions(slowFunction);
    await open(fakes);
    await installAndEnable(pda, slowFunction);
    await store(pda, 'data/in', 1);
    const reply = trigger('slow');
    await expect.poll(() => fakes.inputs.size).toBe(1);
    expect((await pda.call('DELETE', '/api/v2.6/owner/functions/slow')).status).toBe(200);
    await install(pda, slowFunction);
    expect((await reply).status).toBe(502);
    expect((await ownerView(pda, 'slow')).configuration?.status.enabled).toBe(false);
    expect(await dataAt(pda, 'made/slow')).toEqual([]);
  });

  it('continues if its endpoints are deleted', async () => {
    fakes = createFakeFunctions(slowFunction);
    await open(fakes);
    await installAndEnable(pda, slowFunction);
    await store(pda, 'made/slow', 'before');
    await store(pda, 'data/in', 1);
    const reply = trigger('slow');
    await expect.poll(() => fakes.inputs.size).toBe(1);
    for (const endpoint of ['made/slow', 'data/in'])
      expect((await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint } })).status).toBeLessThan(300);
    release();
    expect((await reply).status).toBe(200);
    expect(await dataAt(pda, 'made/slow')).toEqual([1]);
  });
});

describe('the run history', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'has a limited number of entries for stopped cycles, even with several cycles',
    async () => {
      // Each of the three functions reads the output of the others, so that there are several cycles.
      const fakeList: FakeFunction[] = ['a', 'b', 'c'].map((id) => ({
        id,
        reads: ['x/in', ...['a', 'b', 'c'].filter((otherId) => otherId !== id).map((otherId) => `made/${otherId}`)],
        process: () => [{ from: id }],
      }));
      await open(createFakeFunctions(...fakeList));
      await installAndEnable(pda, ...fakeList);
      for (let round = 0; round < 20; round += 1) {
        await store(pda, 'x/in', round);
        await waitUntilIdle(pda, 'a', 'b', 'c');
      }
      for (const { id } of fakeList) {
        const stoppedRuns = (await runsOf(pda, id)).filter(({ outcome }) => outcome === 'stopped');
        expect(stoppedRuns.length).toBeLessThan(30);
      }
    },
  );
});

describe('a bundle of thousands of searches', () => {
  const filters = Array.from({ length: 5 }, () => ({
    field: 'text',
    transformation: { transformation: 'searchable' },
    operator: { operator: 'find', search: 'lorem' },
  }));
  const property = { endpoints: Array.from({ length: 30 }, () => ({ endpoint: 'data/in', filters })), limit: 1 };
  const bundle = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, property]));
  const heavyFunction: FakeFunction = { id: 'heavy', trigger: MANUAL, bundle: () => bundle, process: () => [] };

  it.skipIf(!IS_THOROUGH_RUN)(
    'does not block the event loop, and is aborted when the function is disabled',
    async () => {
      await open(createFakeFunctions(heavyFunction));
      const text = 'lorem ipsum dolor sit amet '.repeat(20);
      await store(pda, 'data/in', ...Array.from({ length: 1000 }, () => ({ text })));
      await installAndEnable(pda, heavyFunction);
      const reply = trigger('heavy');
      await expect.poll(async () => (await runsOf(pda, 'heavy')).length).toBe(1);
      // The event loop continues while the bundle is still being read.
      for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
      expect(await runsOf(pda, 'heavy')).toMatchObject([{ finished: null }]);
      expect((await pda.call('GET', `${FUNCTIONS}/heavy/disable`)).status).toBe(200);
      expect((await reply).status).toBe(502);
    },
  );
});

describe('function routes', () => {
  const REJECTED_IDS = [
    '%2e%2e',
    '%00',
    'a%2fb',
    '..%2f..',
    'x'.repeat(101),
    '%F0%9F%92%A9',
    '__proto__',
    'constructor',
    'a%0d%0ab',
    '%',
  ];
  const callsOf = (id: string) =>
    [
      ['GET', `${FUNCTIONS}/${id}`],
      ['GET', `${FUNCTIONS}/${id}/enable`],
      ['GET', `${FUNCTIONS}/${id}/disable`],
      ['GET', `${FUNCTIONS}/${id}/trigger`],
      ['GET', `${FUNCTIONS}/${id}/runs`],
      ['GET', `${FUNCTIONS}/${id}/runs/00000000-0000-4000-8000-000000000000`],
      ['POST', `${FUNCTIONS}/${id}/runs/00000000-0000-4000-8000-000000000000/undo`],
      ['GET', `/api/v2.6/owner/functions/${id}`],
      ['DELETE', `/api/v2.6/owner/functions/${id}`],
      ['POST', `${FUNCTIONS}/${id}/dry-run`, { json: {} }],
    ] as const;

  it.skipIf(!IS_THOROUGH_RUN)('reject invalid and unknown ids', async () => {
    await open(createFakeFunctions());
    for (const [method, path, call] of REJECTED_IDS.flatMap(callsOf)) {
      const { status } = await pda.call(method, path, call);
      expect([method, path, status === 400 || status === 404]).toEqual([method, path, true]);
    }
  });

  it('accept tokens only in the x-auth-token header, and only the declared method', async () => {
    const fake: FakeFunction = { id: 'one', trigger: MANUAL };
    const fakes = createFakeFunctions(fake);
    await open(fakes);
    await install(pda, fake);
    const { token } = pda;
    for (const call of [
      { token: null, headers: { cookie: `x-auth-token=${token}; token=${token}` } },
      { token: null, headers: { authorization: `Bearer ${token}` } },
    ])
      expect((await pda.call('GET', `${FUNCTIONS}/one/enable`, call)).status).toBe(401);
    expect((await pda.call('GET', `${FUNCTIONS}/one/enable?token=${token}`, { token: null })).status).toBe(401);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      await pda.call(method, `${FUNCTIONS}/one/enable`, { token: null });
      await pda.call(method, `${FUNCTIONS}/one/enable`);
    }
    await pda.call('HEAD', `${FUNCTIONS}/one/enable`, { token: null });
    expect((await ownerView(pda, 'one')).configuration?.status.enabled).toBe(false);
  });
});

describe('the real sandbox', () => {
  const body = (code: string): string =>
    `const published = ${JSON.stringify(publishedConfigurationOf({ id: 'real', trigger: MANUAL }))};
     export const configuration = () => published; export const dataBundle = () => published.dataBundle;
     export const process = ({ request }) => { ${code} };`;
  const createModulePackage = (code: string): string =>
    createPackageFolder(manifestFor({ id: 'real' }, { timeoutMs: 300_000 }), body(code));

  it('deletes the folders of interrupted runs when the server starts, before a function runs', async () => {
    await open();
    const leftover = join(pda.home, 'functions', '.runs', 'interrupted');
    mkdirSync(leftover, { recursive: true });
    await pda.restart();
    await expect.poll(() => existsSync(leftover)).toBe(false);
  });

  it.skipIf(!IS_THOROUGH_RUN)('recreates its folder if it was deleted', async () => {
    await open();
    await pda.pda.functions.install(createModulePackage(`return [{ namespace: 'made', endpoint: 'real', data: [1] }]`));
    await enable(pda, 'real');
    rmSync(join(pda.home, 'functions', '.runs'), { recursive: true, force: true });
    expect((await trigger('real')).status).toBe(200);
  });

  it.skipIf(!IS_THOROUGH_RUN)('removes bidi and control characters from logs and messages', async () => {
    await open();
    await pda.pda.functions.install(
      createModulePackage(
        `console.log('a\\u202eb\\u2066c\\u009b31m\\u001b[2J\\r\\u2028d'); throw new Error('x\\u202ey\\u009b\\nz')`,
      ),
    );
    const reply = await pda.call('POST', `${FUNCTIONS}/real/dry-run`, { json: {} });
    expect(JSON.stringify(reply.json)).not.toMatch(/[\p{Bidi_Control}\u0080-\u009f\u2028]|\\u001b|\\r/u);
    expect(reply.text).toContain('Error: x y');
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'returns control characters, which are escaped in the terminal without changing the data',
    async () => {
      await open();
      const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
      const text = 'a\u202eb\u009b31mc\u001bd\u2028e';
      const code = `return [{ namespace: 'made', endpoint: 'real', data: [${JSON.stringify(text)}] }]`;
      await tryFunction(pda.pda, createModulePackage(code));
      const printedText = output.mock.calls.map(([chunk]) => String(chunk)).join('');
      output.mockRestore();
      expect(printedText).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}|\p{Zl}/u);
      expect(JSON.parse(printedText)).toEqual([{ namespace: 'made', endpoint: 'real', data: [text] }]);
    },
  );
});
