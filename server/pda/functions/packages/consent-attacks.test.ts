import { afterEach, describe, expect, it } from 'vitest';
import { dataAt, type TestPda } from '../../../../tests/support/test-pda.ts';
import {
  createStage,
  enable,
  FUNCTIONS,
  install,
  installAndEnable,
  looked,
  manifestFor,
  MARKER,
  ownerView,
  packageFolder,
  removeFolders,
  runsOf,
  startWithStage,
  store,
  type Played,
  type Stage,
} from '../harness.test-support.ts';

let pda: TestPda;
const open = async (stage: Stage, config?: unknown): Promise<TestPda> =>
  (pda = await startWithStage(stage, { config }));
afterEach(async () => {
  await pda.close();
  removeFolders();
});

const MANUAL = { triggerType: 'manual' } as const;

describe('an update of an enabled package', () => {
  it('that would store at another endpoint is not run until the owner agrees', async () => {
    const first: Played = { id: 'sum', trigger: MANUAL, process: () => [{ n: 1 }] };
    const stage = createStage(first);
    await open(stage);
    await installAndEnable(pda, first);
    const second: Played = { ...first, version: '2.0.0', writes: 'profile/owner' };
    stage.play(second);
    await install(pda, second);
    expect((await ownerView(pda, 'sum')).asksForMore).toBe(true);
    await store(pda, 'data/in', { a: 1 });
    expect((await pda.call('GET', `${FUNCTIONS}/sum/trigger`)).status).toBe(400);
    expect(await dataAt(pda, 'profile/owner')).toEqual([]);
    await enable(pda, 'sum');
    expect((await ownerView(pda, 'sum')).asksForMore).toBe(false);
    expect((await pda.call('GET', `${FUNCTIONS}/sum/trigger`)).status).toBe(200);
    expect(await dataAt(pda, 'profile/owner')).toEqual([{ n: 1 }]);
  });

  it('that runs by itself where it ran by hand only is not run until the owner agrees', async () => {
    const first: Played = { id: 'sum', trigger: MANUAL, process: () => [{ n: 1 }] };
    const stage = createStage(first, MARKER);
    await open(stage);
    await installAndEnable(pda, first, MARKER);
    const second: Played = { ...first, version: '2.0.0', trigger: { triggerType: 'individual' } };
    stage.play(second);
    await install(pda, second);
    expect((await ownerView(pda, 'sum')).asksForMore).toBe(true);
    await store(pda, 'data/in', { a: 1 });
    await looked(pda, stage);
    expect(await runsOf(pda, 'sum')).toEqual([]);
  });
});

describe('an approval', () => {
  it.each([
    [{ writes: 'made/other' }, 409],
    [{ trigger: { triggerType: 'individual' } }, 409],
    [{ writes: 'made/sum', trigger: MANUAL }, 200],
  ])('rejects an approval of anything but the shown version: %j is %i', async (seen, status) => {
    const one: Played = { id: 'sum', trigger: MANUAL };
    await open(createStage(one));
    await install(pda, one);
    const reply = await pda.call('POST', '/api/v2.6/owner/functions/sum/enable', {
      json: { version: '1.0.0', ...seen },
    });
    expect(reply.status).toBe(status);
  });
});

describe('a function that may read some fields', () => {
  it.each([
    ['a filter', { filters: [{ field: 'salary', operator: { operator: 'between', lower: 10, upper: 20 } }] }, {}],
    ['an order', {}, { orderBy: 'salary' }],
  ])('does not learn others by %s', async (_, entry, property) => {
    const mapping = { name: 'name' };
    const bundle = { name: 'spy', bundle: { p0: { endpoints: [{ endpoint: 'data/in', mapping }] } } };
    const asked = {
      name: 'spy',
      bundle: { p0: { endpoints: [{ endpoint: 'data/in', mapping, ...entry }], ...property } },
    };
    const spy: Played = { id: 'spy', trigger: MANUAL, published: bundle, bundle: () => asked };
    const stage = createStage(spy);
    await open(stage);
    await store(pda, 'data/in', { name: 'ann', salary: 15 }, { name: 'bob', salary: 25 });
    await installAndEnable(pda, spy);
    const reply = await pda.call('GET', `${FUNCTIONS}/spy/trigger`);
    expect(reply.status).toBe(502);
    expect(stage.given.get('spy')).toBeUndefined();
  });
});

describe('a removed package', () => {
  it('that config.json gives another name is not enabled any more when it is installed again', async () => {
    const one: Played = { id: 'alias', trigger: MANUAL, writes: 'made/alias' };
    const stage = createStage(one);
    await open(stage, {
      functions: [{ id: 'alias', version: '1.0.0', baseUrl: 'sandbox:real', namespace: 'made', endpoint: 'alias' }],
    });
    stage.play({ ...one, id: 'real' });
    const folder = packageFolder(manifestFor({ ...one, id: 'real' }));
    await pda.pda.functions.install(folder);
    await expect.poll(async () => (await ownerView(pda, 'alias')).configuration?.status.available).toBe(true);
    await enable(pda, 'alias');
    expect((await pda.call('DELETE', '/api/v2.6/owner/functions/alias')).status).toBe(200);
    await pda.pda.functions.install(folder);
    await expect.poll(async () => (await ownerView(pda, 'alias')).configuration?.status.available).toBe(true);
    expect((await ownerView(pda, 'alias')).configuration?.status.enabled).toBe(false);
  });
});
