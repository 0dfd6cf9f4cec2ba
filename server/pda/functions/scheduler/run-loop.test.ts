import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { deletionSchema } from '../../../wire/owner.ts';
import { dataAt, errorOf, recordsOf, type TestPda } from '../../../../tests/support/test-pda.ts';
import type { FunctionHost } from '../runs/function-host.ts';
import {
  createFakeFunctions,
  enable,
  FUNCTIONS,
  install,
  installAndEnable,
  waitForScheduler,
  MARKER,
  ownerView,
  removeFolders,
  runsOf,
  waitUntilIdle,
  statusOf,
  startWithFakes,
  store,
  valuesIn,
  type FakeFunction,
  type FakeFunctions,
} from '../harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let pda: TestPda;
let fakes: FakeFunctions;
const open = async (...fakeList: FakeFunction[]): Promise<void> => {
  fakes = createFakeFunctions(...fakeList);
  pda = await startWithFakes(fakes);
};
const startWith = async (...fakeList: FakeFunction[]): Promise<void> => {
  await open(...fakeList);
  await installAndEnable(pda, ...fakeList);
};
afterEach(() => pda.close());
afterAll(removeFolders);

const inputsOf = (id: string): unknown[][] => (fakes.inputs.get(id) ?? []).map(valuesIn);
const allInputsOf = (id: string): unknown[] => inputsOf(id).flat();
const echo: FakeFunction['process'] = (input) => valuesIn(input).map((value) => ({ of: value }));

describe('a function', () => {
  it('runs automatically for new records, and its output references the run', async () => {
    await startWith({ id: 'echo', process: echo });
    await store(pda, 'data/in', 1, 2);
    await expect.poll(() => dataAt(pda, 'made/echo')).toStrictEqual([{ of: 1 }, { of: 2 }]);
    const [run] = await runsOf(pda, 'echo');
    expect(run).toMatchObject({
      outcome: 'done',
      reason: 'individual',
      recordsIn: 2,
      recordsOut: 2,
      chain: ['echo'],
      endpoint: 'made/echo',
      window: { fromDate: null },
      peakMemoryBytes: 1_000_000,
    });
    const [record] = recordsOf(await pda.call('GET', '/api/v2.6/data/made/echo'));
    const reply = await pda.call('GET', `/api/v2.6/owner/records/${record?.recordId}`);
    expect(reply.json).toMatchObject({ origin: { kind: 'function', name: 'echo', run: run?.runId } });
    const detail = await pda.call('GET', `${FUNCTIONS}/echo/runs/${run?.runId}`);
    expect(detail.json).toMatchObject({ log: ['hello from echo'], records: [{ recordId: record?.recordId }, {}] });
  });

  it('receives all records first, then those created or changed since its last run', async () => {
    await open({ id: 'echo' });
    await store(pda, 'data/in', 'old');
    await installAndEnable(pda, { id: 'echo' });
    await store(pda, 'data/in', 'a');
    await expect.poll(() => inputsOf('echo')).toStrictEqual([['old', 'a']]);
    const [firstRecord] = recordsOf(await pda.call('GET', '/api/v2.6/data/data/in'));
    await pda.call('PUT', '/api/v2.6/data', { json: [{ ...firstRecord, data: 'older' }] });
    await store(pda, 'data/in', 'b');
    await expect.poll(() => allInputsOf('echo')).toStrictEqual(['old', 'a', 'older', 'b']);
    const status = await statusOf(pda, 'echo');
    const windows = (await runsOf(pda, 'echo')).map(({ window }) => window);
    expect(windows.at(-1)?.fromDate).toBeNull();
    expect(windows.every(({ untilDate }) => untilDate === status.lastExecution)).toBe(true);
  });

  it('does not run for its own records, even when another principal changes them', async () => {
    await startWith({ id: 'echo', reads: ['data/in', 'made/echo'], process: echo });
    await store(pda, 'data/in', 1);
    await expect.poll(() => dataAt(pda, 'made/echo')).toHaveLength(1);
    const [record] = recordsOf(await pda.call('GET', '/api/v2.6/data/made/echo'));
    await pda.call('PUT', '/api/v2.6/data', { json: [{ ...record, data: 'corrected' }] });
    await store(pda, 'data/in', 2);
    await expect.poll(() => allInputsOf('echo')).toStrictEqual([1, 2]);
    await waitUntilIdle(pda, 'echo');
    expect(inputsOf('echo')).toHaveLength(2);
  });

  it('does not run while it is disabled, and continues at its cursor afterwards', async () => {
    await startWith({ id: 'echo' }, MARKER);
    await store(pda, 'data/in', 1);
    await expect.poll(() => allInputsOf('echo')).toStrictEqual([1]);
    // An interrupted run would receive its input again.
    await waitUntilIdle(pda, 'echo');
    await pda.call('GET', `${FUNCTIONS}/echo/disable`);
    await store(pda, 'data/in', 2);
    await waitForScheduler(pda, fakes);
    expect(allInputsOf('echo')).toStrictEqual([1]);
    await enable(pda, 'echo');
    await expect.poll(() => allInputsOf('echo')).toStrictEqual([1, 2]);
  });

  it('receives restored records of an endpoint once', async () => {
    await startWith({ id: 'hand', trigger: { triggerType: 'manual' } });
    const trigger = async (): Promise<void> => {
      expect((await pda.call('GET', `${FUNCTIONS}/hand/trigger`)).status).toBe(200);
    };
    const drop = async (): Promise<string> => {
      const reply = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint: 'data/in' } });
      return deletionSchema.parse(reply.json).deletionId;
    };
    await store(pda, 'data/in', 1);
    await trigger();
    const deletion = await drop();
    await store(pda, 'data/in', 2);
    await trigger();
    await store(pda, 'data/in', 3);
    await pda.call('POST', `/api/v2.6/owner/deletions/${deletion}/undo`);
    await trigger();
    expect(inputsOf('hand')).toStrictEqual([[1], [2], [1, 3]]);
  });

  it('does not run for records that its filters exclude', async () => {
    const bundle = {
      some: {
        endpoints: [{ endpoint: 'data/in', filters: [{ field: 'n', operator: { operator: 'in', value: [7] } }] }],
      },
    };
    await startWith({ id: 'echo', bundle: () => bundle });
    await store(pda, 'data/other', 1);
    await store(pda, 'data/in', { n: 1 });
    await waitUntilIdle(pda, 'echo');
    await store(pda, 'data/in', { n: 7 });
    await expect.poll(() => allInputsOf('echo')).toStrictEqual([{ n: 7 }]);
    await expect.poll(async () => (await runsOf(pda, 'echo')).length).toBe(1);
  });

  it('receives four thousand records, half of them stored concurrently, exactly once in runs of limited size', async () => {
    await startWith({ id: 'echo' });
    const text = 'x'.repeat(2250);
    const values = Array.from({ length: 4000 }, (_, n) => ({ n, text }));
    await store(pda, 'data/in', ...values.slice(0, 2000));
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        store(pda, 'data/in', ...values.slice(2000 + index * 40, 2040 + index * 40)),
      ),
    );
    await expect.poll(() => allInputsOf('echo').length).toBe(4000);
    await waitUntilIdle(pda, 'echo');
    const numbers = (allInputsOf('echo') as { n: number }[]).map(({ n }) => n).toSorted((a, b) => a - b);
    expect(numbers).toStrictEqual(values.map(({ n }) => n));
    const runs = await runsOf(pda, 'echo');
    expect(Math.max(...runs.map(({ bytesIn }) => bytesIn))).toBeLessThanOrEqual(6_000_000);
    expect(runs.length).toBeGreaterThan(1);
  });

  it('applies the limit of a property per run, to the oldest records first', async () => {
    const bundle = { some: { endpoints: [{ endpoint: 'data/in' }], limit: 2, orderBy: 'n', ordering: 'descending' } };
    await startWith({ id: 'echo', bundle: () => bundle });
    await store(pda, 'data/in', { n: 1 }, { n: 2 }, { n: 3 });
    await expect.poll(() => inputsOf('echo')).toStrictEqual([[{ n: 2 }, { n: 1 }], [{ n: 3 }]]);
  });

  it.each([
    [
      3,
      [
        [{ a: 1 }, { b: 1 }],
        [{ a: 2 }, { b: 2 }],
      ],
    ],
    [1, [[{ a: 1 }], [{ a: 2 }]]],
  ])('never exceeds the limit of a property (%i) with records that match two of its entries', async (limit, inputs) => {
    const endpoints = ['a', 'b'].map((output) => ({ endpoint: 'data/in', mapping: { [output]: 'n' } }));
    await startWith({ id: 'echo', bundle: () => ({ some: { endpoints, limit } }) });
    await store(pda, 'data/in', { n: 1 }, { n: 2 });
    await expect.poll(() => inputsOf('echo')).toStrictEqual(inputs);
  });

  it.skipIf(!IS_THOROUGH_RUN)('skips an oversized record with a note', async () => {
    await startWith({ id: 'echo' });
    await store(pda, 'data/in', 'x'.repeat(7_000_000));
    await store(pda, 'data/in', 'next');
    await expect.poll(() => allInputsOf('echo')).toStrictEqual(['next']);
    await waitUntilIdle(pda, 'echo');
    const messages = (await runsOf(pda, 'echo')).map(({ message }) => message).join('');
    expect(messages).toContain('A record of data/in was skipped');
  });

  it('reads the whole bundle if its manifest requests it', async () => {
    await startWith({ id: 'sum', readsAll: true });
    await store(pda, 'data/in', 1);
    await expect.poll(() => inputsOf('sum')).toStrictEqual([[1]]);
    await store(pda, 'data/in', 2);
    await expect.poll(() => inputsOf('sum')).toStrictEqual([[1], [1, 2]]);
  });
});

describe('a chain of functions', () => {
  it('runs in order, and its last run records the chain', async () => {
    await startWith(
      { id: 'a', process: echo },
      { id: 'b', reads: ['made/a'], process: echo },
      { id: 'c', reads: ['made/b'], process: echo },
    );
    await store(pda, 'data/in', 1);
    await expect.poll(() => dataAt(pda, 'made/c')).toStrictEqual([{ of: { of: { of: 1 } } }]);
    expect((await runsOf(pda, 'c'))[0]?.chain).toStrictEqual(['a', 'b', 'c']);
  });

  it('is stopped and recorded if it is a cycle', async () => {
    const fakeList: FakeFunction[] = [
      { id: 'a', reads: ['data/in', 'made/b'], process: echo },
      { id: 'b', reads: ['made/a'], process: echo },
    ];
    await startWith(...fakeList);
    await store(pda, 'data/in', 1);
    await expect.poll(async () => (await ownerView(pda, 'a')).cycle?.chain).toStrictEqual(['a', 'b', 'a']);
    await waitUntilIdle(pda, 'a', 'b');
    expect([inputsOf('a').length, inputsOf('b').length]).toStrictEqual([1, 1]);
    expect((await runsOf(pda, 'a'))[0]).toMatchObject({ outcome: 'stopped', recordsIn: 1, chain: ['a', 'b', 'a'] });
    await store(pda, 'data/in', 2);
    await expect.poll(() => allInputsOf('a')).toStrictEqual([1, 2]);
    await expect.poll(() => allInputsOf('b').length).toBe(2);
    await waitUntilIdle(pda, 'a', 'b');
    expect(allInputsOf('a')).toStrictEqual([1, 2]);
  });

  it('separates inputs by chain in a cycle', async () => {
    const manual = { triggerType: 'manual' } as const;
    await startWith(
      { id: 'a', reads: ['data/a', 'made/b'], trigger: manual, process: echo },
      { id: 'b', reads: ['data/b', 'made/a'], trigger: manual, process: echo },
    );
    const trigger = async (id: string): Promise<void> => {
      expect((await pda.call('GET', `${FUNCTIONS}/${id}/trigger`)).status).toBe(200);
    };
    await store(pda, 'data/a', 'x');
    await store(pda, 'data/b', 'y');
    await trigger('b');
    await store(pda, 'data/a', 'z');
    await trigger('a');
    expect(allInputsOf('a')).toStrictEqual(['x', { of: 'y' }, 'z']);
    await trigger('b');
    expect(allInputsOf('b')).toStrictEqual(['y', { of: 'x' }, { of: 'z' }]);
    expect((await ownerView(pda, 'b')).cycle?.chain).toStrictEqual(['b', 'a', 'b']);
  });

  it('does not drop later input when it is stopped', async () => {
    await startWith(
      { id: 'a', reads: ['data/in', 'made/b'], process: echo },
      { id: 'b', reads: ['made/a'], trigger: { triggerType: 'manual' }, process: echo },
    );
    await store(pda, 'data/in', 1);
    await expect.poll(() => dataAt(pda, 'made/a')).toHaveLength(1);
    await pda.call('GET', `${FUNCTIONS}/a/disable`);
    expect((await pda.call('GET', `${FUNCTIONS}/b/trigger`)).status).toBe(200);
    await store(pda, 'data/in', 2);
    await enable(pda, 'a');
    await expect.poll(() => allInputsOf('a')).toStrictEqual([1, 2]);
    await waitUntilIdle(pda, 'a');
    const stoppedRuns = (await runsOf(pda, 'a')).filter(({ outcome }) => outcome === 'stopped');
    expect(stoppedRuns).toMatchObject([{ chain: ['a', 'b', 'a'], recordsIn: 1 }]);
  });
});

describe('runs', () => {
  it('are executed at most two at a time; the others are queued', async () => {
    let release: () => void = () => undefined;
    const releasePromise = new Promise<void>((resolve) => {
      release = resolve;
    });
    const fakeList = ['a', 'b', 'c', 'd'].map((id) => ({ id, process: () => releasePromise.then(() => []) }));
    await startWith(...fakeList);
    await store(pda, 'data/in', 1);
    await expect.poll(() => fakes.inputs.size).toBe(2);
    await expect
      .poll(
        async () =>
          (await Promise.all(fakeList.map(({ id }) => ownerView(pda, id)))).filter(({ queued }) => queued).length,
      )
      .toBe(2);
    expect(fakes.inputs.size).toBe(2);
    release();
    await expect.poll(() => fakes.inputs.size).toBe(4);
    expect(fakes.peakConcurrentRuns).toBe(2);
  });

  it('never overlap for one function; a concurrent trigger is rejected', async () => {
    let release: () => void = () => undefined;
    const releasePromise = new Promise<void>((resolve) => {
      release = resolve;
    });
    const process = () => releasePromise.then(() => ['done']);
    await startWith({ id: 'slow', trigger: { triggerType: 'manual' }, process });
    const firstReply = pda.call('GET', `${FUNCTIONS}/slow/trigger`);
    await expect.poll(() => fakes.inputs.size).toBe(1);
    expect((await statusOf(pda, 'slow')).executionStarted).toBeDefined();
    const secondReply = await pda.call('GET', `${FUNCTIONS}/slow/trigger`);
    expect([secondReply.status, errorOf(secondReply).error]).toStrictEqual([409, 'wrong_state']);
    const dryRun = await pda.call('POST', `${FUNCTIONS}/slow/dry-run`, { json: {} });
    expect(dryRun.status).toBe(409);
    release();
    expect((await firstReply).status).toBe(200);
    expect((await statusOf(pda, 'slow')).executionStarted).toBeUndefined();
    expect(await dataAt(pda, 'made/slow')).toStrictEqual(['done']);
  });

  it('store nothing if they end while the function is being disabled', async () => {
    const quickFakes = createFakeFunctions({ id: 'quick', process: () => ['done'] });
    let disablePromise: Promise<unknown> | undefined;
    const open: FunctionHost['open'] = (...target) => {
      const session = quickFakes.host.open(...target);
      const close: typeof session.close = () => {
        // The disabling transaction is queued before the transaction that stores the output, and has not ended yet.
        if (quickFakes.inputs.has('quick')) disablePromise ??= pda.pda.functions.disable('quick');
        return session.close();
      };
      return { ...session, close };
    };
    pda = await startWithFakes({ host: { open } });
    await installAndEnable(pda, { id: 'quick' });
    await store(pda, 'data/in', 1);
    await expect.poll(async () => (await runsOf(pda, 'quick'))[0]?.finished).toBeTruthy();
    await disablePromise;
    expect(await runsOf(pda, 'quick')).toMatchObject([
      { outcome: 'crashed', message: 'The function was disabled during the run.' },
    ]);
    expect(await dataAt(pda, 'made/quick')).toStrictEqual([]);
  });

  it('are cancelled when the function is disabled, and store nothing', async () => {
    let release: () => void = () => undefined;
    const releasePromise = new Promise<void>((resolve) => {
      release = resolve;
    });
    await startWith({ id: 'slow', process: () => releasePromise.then(() => ['done']) });
    await store(pda, 'data/in', 1);
    await expect.poll(() => fakes.inputs.size).toBe(1);
    await pda.call('GET', `${FUNCTIONS}/slow/disable`);
    release();
    await expect.poll(async () => (await runsOf(pda, 'slow'))[0]?.outcome).toBe('crashed');
    expect(await dataAt(pda, 'made/slow')).toStrictEqual([]);
    expect((await ownerView(pda, 'slow')).failures).toBe(0);
  });

  it('are repeated after the next start if a shutdown interrupts them', async () => {
    let attempts = 0;
    await startWith({
      id: 'slow',
      process: (input, signal) => {
        attempts += 1;
        return attempts > 1
          ? valuesIn(input)
          : new Promise((resolve) => {
              signal?.addEventListener('abort', () => resolve([]));
            });
      },
    });
    await store(pda, 'data/in', 1);
    await expect.poll(() => attempts).toBe(1);
    await pda.restart();
    expect((await statusOf(pda, 'slow')).executionStarted).toBeUndefined();
    await expect.poll(() => dataAt(pda, 'made/slow')).toStrictEqual([1]);
    expect((await runsOf(pda, 'slow')).map(({ outcome }) => outcome)).toStrictEqual(['done', 'crashed']);
  });
});

describe('a trigger', () => {
  it('runs the function even without new records, with `useAll` on all records, and returns the function', async () => {
    await startWith({ id: 'hand', trigger: { triggerType: 'manual' }, process: echo });
    await store(pda, 'data/in', 1);
    // The scheduler has detected the input, and the function waits for a manual run.
    await expect.poll(async () => (await ownerView(pda, 'hand')).waiting).toBe(true);
    expect(fakes.inputs.size).toBe(0);
    const reply = await pda.call('GET', `${FUNCTIONS}/hand/trigger`);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ id: 'hand', status: { available: true, enabled: true } });
    expect((await pda.call('GET', `${FUNCTIONS}/hand/trigger`)).status).toBe(200);
    expect(inputsOf('hand')).toStrictEqual([[1], []]);
    expect((await pda.call('GET', `${FUNCTIONS}/hand/trigger?useAll=true`)).status).toBe(200);
    expect(inputsOf('hand').at(-1)).toStrictEqual([1]);
  });

  it('runs until no input is pending', async () => {
    const bundle = { some: { endpoints: [{ endpoint: 'data/in' }], limit: 2 } };
    await startWith({ id: 'hand', trigger: { triggerType: 'manual' }, bundle: () => bundle });
    await store(pda, 'data/in', 1, 2, 3, 4, 5);
    expect((await pda.call('GET', `${FUNCTIONS}/hand/trigger`)).status).toBe(200);
    expect(inputsOf('hand')).toStrictEqual([[1, 2], [3, 4], [5]]);
  });

  it('with `useAll` leaves new records pending, because a limit can exclude them', async () => {
    const bundle = { some: { endpoints: [{ endpoint: 'data/in' }], limit: 2 } };
    await startWith({ id: 'hand', trigger: { triggerType: 'manual' }, bundle: () => bundle });
    await store(pda, 'data/in', 1, 2);
    expect((await pda.call('GET', `${FUNCTIONS}/hand/trigger`)).status).toBe(200);
    await store(pda, 'data/in', 3, 4);
    expect((await pda.call('GET', `${FUNCTIONS}/hand/trigger?useAll=true`)).status).toBe(200);
    expect((await pda.call('GET', `${FUNCTIONS}/hand/trigger`)).status).toBe(200);
    expect(inputsOf('hand')).toStrictEqual([
      [1, 2],
      [1, 2],
      [3, 4],
    ]);
  });

  it('returns 404 for unknown functions, and 400 for disabled and removed ones', async () => {
    await open({ id: 'hand' });
    await install(pda, { id: 'hand' });
    const tryTrigger = async (id: string): Promise<unknown[]> => {
      const reply = await pda.call('GET', `${FUNCTIONS}/${id}/trigger`);
      return [reply.status, errorOf(reply).error];
    };
    expect(await tryTrigger('unknown')).toStrictEqual([404, 'not_found']);
    expect(await tryTrigger('hand')).toStrictEqual([400, 'function_not_enabled']);
    await pda.call('DELETE', '/api/v2.6/owner/functions/hand');
    expect(await tryTrigger('hand')).toStrictEqual([400, 'function_not_available']);
  });
});
