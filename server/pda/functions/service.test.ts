import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anApplication, setUpApplication } from '../../../tests/support/applications.ts';
import { dataAt, errorOf, startTestPda, type TestPda } from '../../../tests/support/test-pda.ts';
import { feedItemSchema } from '../../wire/feed.ts';
import { functionRunSchema } from '../../wire/functions.ts';
import {
  createFakeFunctions,
  enable,
  FUNCTIONS,
  install,
  installAndEnable,
  waitForScheduler,
  MARKER,
  ownerView,
  FAST_TIMING,
  removeFolders,
  runsOf,
  store,
  valuesIn,
  type FakeFunction,
  type FakeFunctions,
} from './harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../tests/support/long-run.ts';

let pda: TestPda;
let fakes: FakeFunctions;
const ECHO: FakeFunction = { id: 'echo', reads: ['data/in', 'made/echo'], process: (input) => valuesIn(input) };
beforeEach(async () => {
  fakes = createFakeFunctions(ECHO, MARKER);
  pda = await startTestPda({
    functions: { host: fakes.host, timing: FAST_TIMING },
    config: {
      applications: [
        anApplication({ id: 'browser', roles: [{ role: 'owner' }] }),
        anApplication({ id: 'notes', roles: [{ role: 'namespaceread', detail: 'data' }] }),
      ],
    },
  });
});
afterEach(() => pda.close());
afterAll(removeFolders);

describe('the undo of a run', () => {
  const undo = (runId: string | undefined) => pda.call('POST', `${FUNCTIONS}/echo/runs/${runId}/undo`);

  it('deletes exactly its records, can itself be undone, and triggers no runs', async () => {
    await installAndEnable(pda, ECHO, MARKER);
    await store(pda, 'made/echo', 'not of a run');
    await store(pda, 'data/in', 1, 2);
    await expect.poll(() => dataAt(pda, 'made/echo').then((data) => data.length)).toBeGreaterThan(2);
    await expect.poll(async () => (await ownerView(pda, 'echo')).waiting).toBe(false);
    const recordsBeforeUndo = await dataAt(pda, 'made/echo');
    const inputCount = fakes.inputs.get('echo')?.length;
    for (const { runId } of await runsOf(pda, 'echo')) {
      const reply = await undo(runId);
      expect(reply.status).toBe(200);
      expect(functionRunSchema.parse(reply.json)).toMatchObject({ undone: expect.any(String) as string, undo: {} });
    }
    expect(await dataAt(pda, 'made/echo')).toStrictEqual(['not of a run']);
    const [run] = await runsOf(pda, 'echo');
    const secondUndo = await undo(run?.runId);
    expect([secondUndo.status, errorOf(secondUndo).error]).toStrictEqual([409, 'wrong_state']);
    for (const { undo: undoEntry } of await runsOf(pda, 'echo'))
      await pda.call('POST', `/api/v2.6/owner/deletions/${undoEntry?.deletionId}/undo`);
    expect(await dataAt(pda, 'made/echo')).toStrictEqual(recordsBeforeUndo);
    expect(await runsOf(pda, 'echo')).toContainEqual(expect.objectContaining({ undone: null, undo: null }));
    await waitForScheduler(pda, fakes);
    expect(fakes.inputs.get('echo')?.length).toBe(inputCount);
    expect((await undo(run?.runId)).status).toBe(200);
  });

  it('is rejected for runs without records and for unknown runs', async () => {
    fakes.set({ ...ECHO, process: () => [] });
    await installAndEnable(pda, ECHO);
    await pda.call('GET', `${FUNCTIONS}/echo/trigger`);
    const [run] = await runsOf(pda, 'echo');
    expect((await undo(run?.runId)).status).toBe(409);
    expect((await undo('019bc186-de00-7000-8937-015a1f841fa9')).status).toBe(404);
  });
});

describe('a dry run', () => {
  it('shows the exact input and output before the function is enabled, and saves nothing', async () => {
    await install(pda, ECHO);
    await store(pda, 'data/in', { n: 1 });
    const reply = await pda.call('POST', `${FUNCTIONS}/echo/dry-run`, { json: {} });
    const [input] = fakes.inputs.get('echo') ?? [];
    expect(reply.json).toMatchObject({
      outcome: 'done',
      recordsIn: 1,
      more: false,
      dataBundle: { name: 'echo' },
      output: [{ namespace: 'made', endpoint: 'echo', data: [{ n: 1 }] }],
      records: [{ endpoint: 'made/echo', data: { n: 1 } }],
      log: ['hello from echo'],
    });
    expect((reply.json as { input: unknown }).input).toStrictEqual(input);
    expect(await dataAt(pda, 'made/echo')).toStrictEqual([]);
    expect(await runsOf(pda, 'echo')).toStrictEqual([]);
    await enable(pda, 'echo');
    await store(pda, 'data/in', { n: 2 });
    await expect.poll(() => dataAt(pda, 'made/echo')).toStrictEqual([{ n: 1 }, { n: 2 }]);
  });

  it('reports the outcome of a failing function', async () => {
    fakes.set({ ...ECHO, process: () => 'not JSON' });
    await install(pda, ECHO);
    const reply = await pda.call('POST', `${FUNCTIONS}/echo/dry-run`, { json: {} });
    expect(reply.json).toMatchObject({ outcome: 'output', output: null, records: [] });
  });
});

describe('local functions', () => {
  it('can be used by an application with owner rights, except for the list of runs, and not by one that may only read', async () => {
    await install(pda, ECHO);
    const [browserToken, notesToken] = [await setUpApplication(pda, 'browser'), await setUpApplication(pda, 'notes')];
    for (const path of ['', '/echo', '/echo/enable', '/echo/trigger', '/echo/disable']) {
      expect([path, (await pda.call('GET', FUNCTIONS + path, { token: browserToken })).status]).toStrictEqual([
        path,
        200,
      ]);
      expect([path, (await pda.call('GET', FUNCTIONS + path, { token: notesToken })).status]).toStrictEqual([
        path,
        403,
      ]);
    }
    expect((await pda.call('GET', `${FUNCTIONS}/echo/runs`, { token: browserToken })).status).toBe(403);
  });
});

describe('the feed', () => {
  const createItem = (source: string, unix: number, changes = {}) => ({
    source,
    date: { iso: new Date(unix * 1000).toISOString(), unix },
    types: ['note'],
    title: { text: `At ${unix}` },
    ...changes,
  });
  const fetchFeed = async (path = '') =>
    z.array(feedItemSchema).parse((await pda.call('GET', `/api/v2.6/she/feed${path}`)).json);
  const NOW = Date.UTC(2026, 0, 15, 12) / 1000;

  it.skipIf(!IS_THOROUGH_RUN)(
    'contains feed items of endpoints whose newest record is one, including output of functions, newest first',
    async () => {
      fakes.set({ ...ECHO, process: () => [createItem('echo', NOW - 50)] });
      await store(
        pda,
        'a/feed',
        createItem('a', NOW - 100),
        createItem('a', NOW - 10, { content: { text: 'x' }, extra: 1 }),
      );
      await store(pda, 'a/mixed', { no: 'item' }, createItem('m', NOW - 20));
      await store(pda, 'a/other', createItem('x', NOW - 5), 'no item');
      await installAndEnable(pda, ECHO);
      expect((await pda.call('GET', `${FUNCTIONS}/echo/trigger`)).status).toBe(200);
      expect((await fetchFeed()).map(({ source, date }) => [source, date.unix - NOW])).toStrictEqual([
        ['a', -10],
        ['m', -20],
        ['echo', -50],
        ['a', -100],
      ]);
      expect((await fetchFeed('/a/feed')).map(({ source }) => source)).toStrictEqual(['a', 'a']);
      expect(await fetchFeed('/a/nothing')).toStrictEqual([]);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('covers 180 days back and 30 days ahead by default, both ends included', async () => {
    const day = 86_400;
    const times = [-181, -180, 0, 30, 31].map((days) => NOW + days * day);
    await store(pda, 'a/feed', ...times.map((time) => createItem('a', time)));
    expect((await fetchFeed()).map(({ date }) => (date.unix - NOW) / day)).toStrictEqual([30, 0, -180]);
    expect(await fetchFeed(`?since=${times[3]}&until=${times[4]}`)).toHaveLength(2);
    expect(await fetchFeed(`?since=${NOW}&until=${NOW}`)).toHaveLength(1);
    expect(await fetchFeed('?take=1&skip=1')).toMatchObject([{ date: { unix: NOW } }]);
    expect((await pda.call('GET', '/api/v2.6/she/feed?since=yesterday')).status).toBe(400);
  });
});
