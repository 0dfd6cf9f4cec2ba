import { afterAll, afterEach, expect, it } from 'vitest';
import { dataAt, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import {
  createFakeFunctions,
  enable,
  FUNCTIONS,
  install,
  ownerView,
  removeFolders,
  startWithFakes,
  store,
  valuesIn,
  type FakeFunction,
} from '../harness.test-support.ts';

let pda: TestPda | undefined;
afterEach(() => pda?.close());
afterAll(removeFolders);

const MANUAL_FUNCTION: FakeFunction = {
  id: 'hand',
  trigger: { triggerType: 'manual' },
  process: (input) => valuesIn(input),
};
const open = async (...functions: unknown[]): Promise<TestPda> => {
  pda = await startWithFakes(createFakeFunctions(MANUAL_FUNCTION), { config: { functions } });
  return pda;
};
const registration = { id: 'hand', version: '1.0.0', baseUrl: 'sandbox:', namespace: 'own', endpoint: 'place' };

it('a package named in config.json may write only to the endpoint that config.json states', async () => {
  const testPda = await open(registration);
  expect(await ownerView(testPda, 'hand')).toMatchObject({ configuration: null, writes: 'own/place' });
  expect((await ownerView(testPda, 'hand')).problem).toContain('not installed');
  await install(testPda, MANUAL_FUNCTION);
  await expect.poll(async () => (await ownerView(testPda, 'hand')).configuration?.status.available).toBe(true);
  await enable(testPda, 'hand');
  await store(testPda, 'data/in', 1);
  const reply = await testPda.call('GET', `${FUNCTIONS}/hand/trigger`);
  // The function writes to the endpoint of its manifest.
  expect(reply.status).toBe(502);
  expect(await dataAt(testPda, 'own/place')).toStrictEqual([]);
});

it('a package that config.json registers under a different id runs under that id', async () => {
  const testPda = await open({
    ...registration,
    id: 'alias',
    baseUrl: 'sandbox:hand',
    namespace: 'made',
    endpoint: 'hand',
  });
  await install(testPda, MANUAL_FUNCTION);
  await expect.poll(async () => (await ownerView(testPda, 'alias')).configuration?.status.available).toBe(true);
  expect(await ownerView(testPda, 'alias')).toMatchObject({ configuration: { id: 'alias' }, problem: null });
  await enable(testPda, 'alias');
  await store(testPda, 'data/in', 1);
  expect((await testPda.call('GET', `${FUNCTIONS}/alias/trigger`)).status).toBe(200);
  expect(await dataAt(testPda, 'made/hand')).toStrictEqual([1]);
});

it('a package whose version differs from config.json is unavailable, and its problem names both versions', async () => {
  const testPda = await open({ ...registration, version: '2.0.0' });
  await install(testPda, MANUAL_FUNCTION);
  expect((await ownerView(testPda, 'hand')).problem).toContain('version 2.0.0; version 1.0.0 is installed');
  expect((await testPda.call('GET', `${FUNCTIONS}/hand/enable`)).status).toBe(400);
});

it.each([
  [[registration, { ...registration, id: 'HAND' }], 'functions.1.id'],
  [[{ ...registration, baseUrl: 'file:///etc/passwd' }], 'functions.0.baseUrl'],
  [[{ ...registration, endpoint: '../x' }], 'functions.0.endpoint'],
  [[{ ...registration, memory: 1 }], 'functions.0: has the unknown property "memory"'],
])('the error about an invalid config.json names the key: %j', async (functions, key) => {
  await expect(startTestPda({ config: { functions } })).rejects.toThrow(key);
});
