import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { dataAt, errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import {
  createFakeFunctions,
  FakeFailure,
  FUNCTIONS,
  installAndEnable,
  waitForScheduler,
  MARKER,
  ownerView,
  FAST_TIMING,
  removeFolders,
  runsOf,
  statusOf,
  startWithFakes,
  store,
  valuesIn,
  type FakeFunction,
  type FakeFunctions,
} from '../harness.test-support.ts';

let pda: TestPda;
let fakes: FakeFunctions;
const startWith = async (...fakeList: FakeFunction[]): Promise<void> => {
  fakes = createFakeFunctions(...fakeList);
  pda = await startWithFakes(fakes);
  await installAndEnable(pda, ...fakeList);
};
afterEach(() => pda.close());
afterAll(removeFolders);

describe('a run', () => {
  it('stores nothing if its output is invalid or for another endpoint', async () => {
    const invalidOutputs = [
      ['another endpoint', '[{"namespace":"made","endpoint":"other","data":[1]}]', /may store only at made\/bad/u],
      ['another namespace', '[{"namespace":"data","endpoint":"bad","data":[1]}]', /may store only at made\/bad/u],
      [
        'its own endpoint and another one',
        '[{"namespace":"made","endpoint":"bad","data":[1]},{"namespace":"made","endpoint":"x","data":[1]}]',
        /may store only at made\/bad/u,
      ],
      ['an output that is not a list', '{"namespace":"made","endpoint":"bad","data":[1]}', /not a list/u],
      [
        'data that is not a list',
        '[{"namespace":"made","endpoint":"bad","data":{}}]',
        /data in the output is not a list/u,
      ],
      ['no data', '[{"namespace":"made","endpoint":"bad"}]', /without namespace, endpoint or data/u],
      ['invalid JSON', 'not JSON', /cannot be stored/u],
      ['a duplicate key', '[{"namespace":"made","endpoint":"bad","data":[{"a":1,"a":2}]}]', /cannot be stored/u],
    ] as const;
    let currentOutput = '';
    await startWith({ id: 'bad', trigger: { triggerType: 'manual' }, process: () => currentOutput });
    for (const [label, output, problem] of invalidOutputs) {
      currentOutput = output;
      const reply = await pda.call('GET', `${FUNCTIONS}/bad/trigger`);
      expect([label, reply.status, errorOf(reply).error]).toStrictEqual([label, 502, 'output']);
      expect(errorOf(reply).cause, label).toMatch(problem);
      expect((await pda.call('GET', '/api/v2.6/data/sources')).json, label).toStrictEqual({});
      expect(await statusOf(pda, 'bad')).toStrictEqual({ available: true, enabled: true });
    }
  });

  it('cannot read endpoints outside its published bundle', async () => {
    const bundle = { all: { endpoints: [{ endpoint: 'data/secret' }] } };
    await startWith({ id: 'nosy', trigger: { triggerType: 'manual' }, bundle: () => bundle });
    await store(pda, 'data/secret', 1);
    const reply = await pda.call('GET', `${FUNCTIONS}/nosy/trigger`);
    expect([reply.status, errorOf(reply).error]).toStrictEqual([502, 'error']);
    expect(errorOf(reply).cause).toContain('data/secret');
    expect(fakes.inputs.size).toBe(0);
  });

  it('fails with its outcome as the error code', async () => {
    const outcomes = ['memory', 'time', 'error', 'output', 'crashed'] as const;
    let currentOutcome: (typeof outcomes)[number] = 'memory';
    await startWith({
      id: 'bad',
      trigger: { triggerType: 'manual' },
      process() {
        throw new FakeFailure(currentOutcome);
      },
    });
    for (const outcome of outcomes) {
      currentOutcome = outcome;
      const reply = await pda.call('GET', `${FUNCTIONS}/bad/trigger`);
      expect(reply.status).toBe(502);
      expect(errorOf(reply)).toMatchObject({
        error: outcome,
        message: 'Bad Gateway',
        cause: `the outcome is ${outcome}`,
      });
      expect((await runsOf(pda, 'bad'))[0]).toMatchObject({ outcome, message: `the outcome is ${outcome}` });
      expect((await ownerView(pda, 'bad')).nextRun).toStrictEqual({ kind: 'by hand' });
    }
  });
});

describe('a failed run', () => {
  it.each([
    ['reports a failure', new FakeFailure('error')],
    ['throws an error', new Error('database or disk is full')],
  ])('that %s is retried three times, then waits for new input without losing any', async (_label, failure) => {
    let isFailing = true;
    const failingFunction: FakeFunction = {
      id: 'ill',
      process(input) {
        if (isFailing) throw failure;
        return valuesIn(input);
      },
    };
    fakes = createFakeFunctions(failingFunction, MARKER);
    let counterOffsetMs = 0;
    const timing = { ...FAST_TIMING, counter: () => performance.now() + counterOffsetMs };
    pda = await startTestPda({ functions: { host: fakes.host, timing } });
    await installAndEnable(pda, failingFunction, MARKER);
    await store(pda, 'data/in', 1);
    await expect.poll(async () => (await ownerView(pda, 'ill')).failures).toBe(4);
    counterOffsetMs += 3_600_000;
    await waitForScheduler(pda, fakes);
    const runs = await runsOf(pda, 'ill');
    expect(runs.map(({ reason }) => reason)).toStrictEqual(['retry', 'retry', 'retry', 'individual']);
    expect(await statusOf(pda, 'ill')).toStrictEqual({ available: true, enabled: true });
    isFailing = false;
    await store(pda, 'data/in', 2);
    await expect.poll(() => dataAt(pda, 'made/ill')).toStrictEqual([1, 2]);
    expect((await ownerView(pda, 'ill')).failures).toBe(0);
  });

  it('can succeed on a later attempt with the same records', async () => {
    let attempts = 0;
    await startWith({
      id: 'ill',
      process(input) {
        attempts += 1;
        if (attempts < 3) throw new FakeFailure('crashed');
        return valuesIn(input);
      },
    });
    await store(pda, 'data/in', 1);
    await expect.poll(() => dataAt(pda, 'made/ill')).toStrictEqual([1]);
    expect((await runsOf(pda, 'ill')).map(({ outcome }) => outcome)).toStrictEqual(['done', 'crashed', 'crashed']);
  });

  it('is tried again for input that arrives during the last retry', async () => {
    let attempts = 0;
    await startWith({
      id: 'ill',
      async process(input) {
        attempts += 1;
        if (attempts === 4) await store(pda, 'data/in', 2);
        if (attempts < 5) throw new FakeFailure('crashed');
        return valuesIn(input);
      },
    });
    await store(pda, 'data/in', 1);
    await expect.poll(() => dataAt(pda, 'made/ill')).toStrictEqual([1, 2]);
  });

  it('no longer delays new input once its own input has been deleted', async () => {
    let isFailing = true;
    const failingFunction: FakeFunction = {
      id: 'ill',
      process(input) {
        if (isFailing) throw new FakeFailure('error');
        return valuesIn(input);
      },
    };
    fakes = createFakeFunctions(failingFunction);
    const hour = 3_600_000;
    let counterOffsetMs = 0;
    const timing = { ...FAST_TIMING, backoff: [hour], counter: () => performance.now() + counterOffsetMs };
    pda = await startTestPda({ functions: { host: fakes.host, timing } });
    await installAndEnable(pda, failingFunction);
    await store(pda, 'data/in', 1);
    await expect.poll(async () => (await ownerView(pda, 'ill')).failures).toBe(1);
    await pda.call('DELETE', '/api/v2.6/data/data/in');
    counterOffsetMs += hour;
    await expect.poll(async () => (await ownerView(pda, 'ill')).failures).toBe(0);
    isFailing = false;
    await store(pda, 'data/in', 2);
    await expect.poll(() => dataAt(pda, 'made/ill')).toStrictEqual([2]);
  });
});
