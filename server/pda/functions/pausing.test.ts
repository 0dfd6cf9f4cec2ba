import { afterAll, afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { dataAt, errorOf, type TestPda } from '../../../tests/support/test-pda.ts';
import {
  createStage,
  enable,
  FUNCTIONS,
  install,
  installAndEnable,
  removeFolders,
  runsOf,
  startWithStage,
  store,
  valuesIn,
  type Played,
} from './functions.test-support.ts';

let pda: TestPda;
afterEach(() => pda.close());
afterAll(removeFolders);

const echo: Played = { id: 'echo', process: (given) => valuesIn(given).map((value) => ({ of: value })) };
const since = async (method: string, path: string): Promise<string | null> => {
  const reply = await pda.call(method, `/api/v2.6/owner/${path}`);
  expect(reply.status, reply.text).toBe(200);
  return z.strictObject({ since: z.string().nullable() }).parse(reply.json).since;
};

it('while they are paused no function runs, by itself or by hand, also after a restart; then what waited', async () => {
  pda = await startWithStage(createStage(echo, { id: 'other' }));
  await installAndEnable(pda, echo);
  await store(pda, 'data/in', 1);
  await expect.poll(() => dataAt(pda, 'made/echo')).toStrictEqual([{ of: 1 }]);
  expect(await since('GET', 'functions-paused')).toBeNull();

  const paused = await since('POST', 'pause-functions');
  expect(paused).toBe('2026-01-15T12:00:00.000Z');
  pda.clock.advance(1000);
  expect(await since('POST', 'pause-functions')).toBe(paused);
  await store(pda, 'data/in', 2);
  const byHand = await pda.call('GET', `${FUNCTIONS}/echo/trigger`);
  expect([byHand.status, errorOf(byHand).error]).toStrictEqual([409, 'wrong_state']);
  const tried = await pda.call('POST', `${FUNCTIONS}/echo/dry-run`, { json: { useAll: true } });
  expect(errorOf(tried).error).toBe('wrong_state');
  // What it would get can be looked at: nothing is handed over for that.
  const looked = await pda.call('POST', `${FUNCTIONS}/echo/dry-run`, { json: { useAll: true, send: false } });
  expect(looked.status).toBe(200);

  await pda.restart();
  expect(await since('GET', 'functions-paused')).toBe(paused);
  // Turned on meanwhile, it waits like the others.
  await install(pda, { id: 'other' });
  await enable(pda, 'other');
  await store(pda, 'data/in', 3);
  expect((await pda.call('GET', `${FUNCTIONS}/echo/trigger`)).status).toBe(409);
  expect(await runsOf(pda, 'echo')).toHaveLength(1);
  expect(await runsOf(pda, 'other')).toHaveLength(0);

  expect(await since('POST', 'resume-functions')).toBeNull();
  await expect.poll(() => dataAt(pda, 'made/echo')).toStrictEqual([{ of: 1 }, { of: 2 }, { of: 3 }]);
  await expect.poll(() => runsOf(pda, 'other')).toHaveLength(1);
});

it('one that runs comes to its end, and one that stands behind it does not begin', async () => {
  const { promise: going, resolve: go } = Promise.withResolvers<void>();
  const stage = createStage({ id: 'slow', process: () => going.then(() => ['done']) }, echo);
  pda = await startWithStage(stage);
  await installAndEnable(pda, { id: 'slow' });
  await store(pda, 'data/in', 1);
  await expect.poll(() => stage.given.get('slow')?.length).toBe(1);
  await installAndEnable(pda, echo);
  const behind = pda.call('GET', `${FUNCTIONS}/echo/trigger`);
  await since('POST', 'pause-functions');
  go();
  await expect.poll(() => dataAt(pda, 'made/slow')).toStrictEqual(['done']);
  // It began before the pause, or not at all.
  expect([200, 409, 502]).toContain((await behind).status);
  const ran = (await runsOf(pda, 'echo')).length;
  await store(pda, 'data/in', 2);
  expect((await pda.call('GET', `${FUNCTIONS}/slow/trigger`)).status).toBe(409);
  expect(await runsOf(pda, 'echo')).toHaveLength(ran);
  expect(await runsOf(pda, 'slow')).toHaveLength(1);
});
