import { afterAll, afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { MAX_CONCURRENT_FUNCTION_RUNS } from '../../../wire/limits.ts';
import { dataAt, errorOf, type TestPda } from '../../../../tests/support/test-pda.ts';
import {
  createFakeFunctions,
  enable,
  FUNCTIONS,
  install,
  installAndEnable,
  ownerView,
  removeFolders,
  runsOf,
  startWithFakes,
  store,
  valuesIn,
  type FakeFunction,
} from '../harness.test-support.ts';

let pda: TestPda;
afterEach(() => pda.close());
afterAll(removeFolders);

const echo: FakeFunction = { id: 'echo', process: (input) => valuesIn(input).map((value) => ({ of: value })) };
/** Calls a pause route and returns the start of the pause from its response. */
const callPauseRoute = async (method: string, path: string): Promise<string | null> => {
  const reply = await pda.call(method, `/api/v2.6/owner/${path}`);
  expect(reply.status, reply.text).toBe(200);
  return z.strictObject({ since: z.string().nullable() }).parse(reply.json).since;
};

it('no function runs during a pause, even after a restart; pending runs start afterwards', async () => {
  pda = await startWithFakes(createFakeFunctions(echo, { id: 'other' }));
  await installAndEnable(pda, echo);
  await store(pda, 'data/in', 1);
  await expect.poll(() => dataAt(pda, 'made/echo')).toStrictEqual([{ of: 1 }]);
  expect(await callPauseRoute('GET', 'functions-paused')).toBeNull();

  const pauseStart = await callPauseRoute('POST', 'pause-functions');
  expect(pauseStart).toBe('2026-01-15T12:00:00.000Z');
  pda.clock.advance(1000);
  expect(await callPauseRoute('POST', 'pause-functions')).toBe(pauseStart);
  await store(pda, 'data/in', 2);
  const manualRun = await pda.call('GET', `${FUNCTIONS}/echo/trigger`);
  expect([manualRun.status, errorOf(manualRun).error]).toStrictEqual([409, 'wrong_state']);
  const dryRun = await pda.call('POST', `${FUNCTIONS}/echo/dry-run`, { json: { useAll: true } });
  expect(errorOf(dryRun).error).toBe('wrong_state');
  // A preview works, because nothing is sent to the function.
  const preview = await pda.call('POST', `${FUNCTIONS}/echo/dry-run`, { json: { useAll: true, send: false } });
  expect(preview.status).toBe(200);

  await pda.restart();
  expect(await callPauseRoute('GET', 'functions-paused')).toBe(pauseStart);
  // A function that is enabled during the pause waits too.
  await install(pda, { id: 'other' });
  await enable(pda, 'other');
  await store(pda, 'data/in', 3);
  expect((await pda.call('GET', `${FUNCTIONS}/echo/trigger`)).status).toBe(409);
  expect(await runsOf(pda, 'echo')).toHaveLength(1);
  expect(await runsOf(pda, 'other')).toHaveLength(0);

  expect(await callPauseRoute('POST', 'resume-functions')).toBeNull();
  await expect.poll(() => dataAt(pda, 'made/echo')).toStrictEqual([{ of: 1 }, { of: 2 }, { of: 3 }]);
  await expect.poll(() => runsOf(pda, 'other')).toHaveLength(1);
});

it('a run in progress completes during a pause, and a queued run does not start', async () => {
  // One more function than may run concurrently, so that one run is queued.
  const ids = Array.from({ length: MAX_CONCURRENT_FUNCTION_RUNS + 1 }, (_, index) => `slow${index}`);
  const { promise: releasePromise, resolve: release } = Promise.withResolvers<void>();
  const fakes = createFakeFunctions(...ids.map((id) => ({ id, process: () => releasePromise.then(() => ['done']) })));
  pda = await startWithFakes(fakes);
  await installAndEnable(pda, ...ids.map((id) => ({ id })));
  await store(pda, 'data/in', 1);
  const queuedIds = async (): Promise<string[]> => {
    const views = await Promise.all(ids.map((id) => ownerView(pda, id)));
    return ids.filter((_, index) => views[index]?.queued);
  };
  await expect.poll(() => fakes.inputs.size).toBe(MAX_CONCURRENT_FUNCTION_RUNS);
  await expect.poll(queuedIds).toHaveLength(1);
  const [queuedId = ''] = await queuedIds();

  await callPauseRoute('POST', 'pause-functions');
  release();
  for (const id of ids.filter((candidate) => candidate !== queuedId))
    await expect.poll(() => dataAt(pda, `made/${id}`)).toStrictEqual(['done']);
  // The queued run is taken out of the queue without starting.
  await expect.poll(queuedIds).toStrictEqual([]);
  expect(fakes.inputs.has(queuedId)).toBe(false);
  expect(await runsOf(pda, queuedId)).toHaveLength(0);

  await callPauseRoute('POST', 'resume-functions');
  await expect.poll(() => dataAt(pda, `made/${queuedId}`)).toStrictEqual(['done']);
});

it('a queued manual run and a queued dry run are refused by a pause', async () => {
  const slowIds = Array.from({ length: MAX_CONCURRENT_FUNCTION_RUNS }, (_, index) => `slow${index}`);
  const { promise: releasePromise, resolve: release } = Promise.withResolvers<void>();
  const slowFunctions = slowIds.map((id) => ({ id, process: () => releasePromise.then(() => []) }));
  const manualFunctions = ['run', 'dry'].map((id) => ({ id, trigger: { triggerType: 'manual' as const } }));
  const fakes = createFakeFunctions(...slowFunctions, ...manualFunctions);
  pda = await startWithFakes(fakes);
  await installAndEnable(pda, ...slowFunctions, ...manualFunctions);
  await store(pda, 'data/in', 1);
  await expect.poll(() => fakes.inputs.size).toBe(MAX_CONCURRENT_FUNCTION_RUNS);
  const replies = Promise.all([
    pda.call('GET', `${FUNCTIONS}/run/trigger`),
    pda.call('POST', `${FUNCTIONS}/dry/dry-run`, { json: { useAll: false, send: true } }),
  ]);
  await expect.poll(async () => (await ownerView(pda, 'run')).queued).toBe(true);
  await expect.poll(async () => (await ownerView(pda, 'dry')).queued).toBe(true);
  await callPauseRoute('POST', 'pause-functions');
  release();
  expect((await replies).map(({ status }) => status)).toStrictEqual([409, 409]);
  expect([...fakes.inputs.keys()].toSorted()).toStrictEqual(slowIds);
});
