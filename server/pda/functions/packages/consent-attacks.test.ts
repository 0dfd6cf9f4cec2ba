import { afterEach, describe, expect, it } from 'vitest';
import { dataAt, type TestPda } from '../../../../tests/support/test-pda.ts';
import {
  createFakeFunctions,
  enable,
  FUNCTIONS,
  install,
  installAndEnable,
  waitForScheduler,
  manifestFor,
  MARKER,
  ownerView,
  createPackageFolder,
  removeFolders,
  runsOf,
  startWithFakes,
  store,
  type FakeFunction,
  type FakeFunctions,
} from '../harness.test-support.ts';

let pda: TestPda;
const open = async (fakes: FakeFunctions, config?: unknown): Promise<TestPda> =>
  (pda = await startWithFakes(fakes, { config }));
afterEach(async () => {
  await pda.close();
  removeFolders();
});

const MANUAL = { triggerType: 'manual' } as const;

describe('an update of an enabled package', () => {
  it('does not run without a new approval if it writes to a different endpoint', async () => {
    const firstVersion: FakeFunction = { id: 'sum', trigger: MANUAL, process: () => [{ n: 1 }] };
    const fakes = createFakeFunctions(firstVersion);
    await open(fakes);
    await installAndEnable(pda, firstVersion);
    const secondVersion: FakeFunction = { ...firstVersion, version: '2.0.0', writes: 'profile/owner' };
    fakes.set(secondVersion);
    await install(pda, secondVersion);
    expect((await ownerView(pda, 'sum')).asksForMore).toBe(true);
    await store(pda, 'data/in', { a: 1 });
    expect((await pda.call('GET', `${FUNCTIONS}/sum/trigger`)).status).toBe(400);
    expect(await dataAt(pda, 'profile/owner')).toEqual([]);
    await enable(pda, 'sum');
    expect((await ownerView(pda, 'sum')).asksForMore).toBe(false);
    expect((await pda.call('GET', `${FUNCTIONS}/sum/trigger`)).status).toBe(200);
    expect(await dataAt(pda, 'profile/owner')).toEqual([{ n: 1 }]);
  });

  it('does not run without a new approval if it changes from manual to automatic runs', async () => {
    const firstVersion: FakeFunction = { id: 'sum', trigger: MANUAL, process: () => [{ n: 1 }] };
    const fakes = createFakeFunctions(firstVersion, MARKER);
    await open(fakes);
    await installAndEnable(pda, firstVersion, MARKER);
    const secondVersion: FakeFunction = { ...firstVersion, version: '2.0.0', trigger: { triggerType: 'individual' } };
    fakes.set(secondVersion);
    await install(pda, secondVersion);
    expect((await ownerView(pda, 'sum')).asksForMore).toBe(true);
    await store(pda, 'data/in', { a: 1 });
    await waitForScheduler(pda, fakes);
    expect(await runsOf(pda, 'sum')).toEqual([]);
  });
});

describe('an approval', () => {
  it.each([
    [{ writes: 'made/other' }, 409],
    [{ trigger: { triggerType: 'individual' } }, 409],
    [{ writes: 'made/sum', trigger: MANUAL }, 200],
  ])('is accepted only if the function is as the owner reviewed it: %j returns %i', async (reviewed, status) => {
    const fake: FakeFunction = { id: 'sum', trigger: MANUAL };
    await open(createFakeFunctions(fake));
    await install(pda, fake);
    const reply = await pda.call('POST', '/api/v2.6/owner/functions/sum/enable', {
      json: { version: '1.0.0', ...reviewed },
    });
    expect(reply.status).toBe(status);
  });
});

describe('a function that may read only some fields', () => {
  it.each([
    ['a filter', { filters: [{ field: 'salary', operator: { operator: 'between', lower: 10, upper: 20 } }] }, {}],
    ['an order', {}, { orderBy: 'salary' }],
  ])('cannot infer other fields from %s', async (_, entry, property) => {
    const mapping = { name: 'name' };
    const bundle = { name: 'spy', bundle: { p0: { endpoints: [{ endpoint: 'data/in', mapping }] } } };
    const requestedBundle = {
      name: 'spy',
      bundle: { p0: { endpoints: [{ endpoint: 'data/in', mapping, ...entry }], ...property } },
    };
    const spyFunction: FakeFunction = {
      id: 'spy',
      trigger: MANUAL,
      publishedBundle: bundle,
      bundle: () => requestedBundle,
    };
    const fakes = createFakeFunctions(spyFunction);
    await open(fakes);
    await store(pda, 'data/in', { name: 'ann', salary: 15 }, { name: 'bob', salary: 25 });
    await installAndEnable(pda, spyFunction);
    const reply = await pda.call('GET', `${FUNCTIONS}/spy/trigger`);
    expect(reply.status).toBe(502);
    expect(fakes.inputs.get('spy')).toBeUndefined();
  });
});

describe('a removed package', () => {
  it('is disabled after a reinstallation if config.json registers it under a different id', async () => {
    const fake: FakeFunction = { id: 'alias', trigger: MANUAL, writes: 'made/alias' };
    const fakes = createFakeFunctions(fake);
    await open(fakes, {
      functions: [{ id: 'alias', version: '1.0.0', baseUrl: 'sandbox:real', namespace: 'made', endpoint: 'alias' }],
    });
    fakes.set({ ...fake, id: 'real' });
    const folder = createPackageFolder(manifestFor({ ...fake, id: 'real' }));
    await pda.pda.functions.install(folder);
    await expect.poll(async () => (await ownerView(pda, 'alias')).configuration?.status.available).toBe(true);
    await enable(pda, 'alias');
    expect((await pda.call('DELETE', '/api/v2.6/owner/functions/alias')).status).toBe(200);
    await pda.pda.functions.install(folder);
    await expect.poll(async () => (await ownerView(pda, 'alias')).configuration?.status.available).toBe(true);
    expect((await ownerView(pda, 'alias')).configuration?.status.enabled).toBe(false);
  });
});
