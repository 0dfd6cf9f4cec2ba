import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { dataAt, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import {
  createFakeFunctions,
  installAndEnable,
  waitForScheduler,
  waitUntilIdle,
  MARKER,
  ownerView,
  FAST_TIMING,
  removeFolders,
  runsOf,
  store,
  valuesIn,
  type FakeFunction,
  type FakeFunctions,
} from '../harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

const HOUR_MS = 3_600_000;
let pda: TestPda;
let fakes: FakeFunctions;
/** The monotonic counter, which stops while the machine sleeps. */
let monotonicMs = 0;

const startWith = async (...fakeList: FakeFunction[]): Promise<void> => {
  fakes = createFakeFunctions(...fakeList, MARKER);
  monotonicMs = 1000;
  const timing = { gatherMs: 0, gatherMaxMs: 0, pollMs: 10, backoff: [30, 60, 90], counter: () => monotonicMs };
  pda = await startTestPda({ functions: { host: fakes.host, timing } });
  await installAndEnable(pda, ...fakeList, MARKER);
};
afterEach(() => pda.close());
afterAll(removeFolders);

const DAILY: FakeFunction = {
  id: 'daily',
  trigger: { triggerType: 'periodic', period: 'PT24H' },
  process: (input) => valuesIn(input),
};
const inputsOf = (id: string): unknown[][] => (fakes.inputs.get(id) ?? []).map(valuesIn);

describe('a periodic function', () => {
  it('runs only after its period and with new input', async () => {
    await startWith(DAILY);
    await store(pda, 'data/in', 1);
    await expect.poll(() => inputsOf('daily')).toStrictEqual([[1]]);
    await store(pda, 'data/in', 2);
    pda.clock.advance(23 * HOUR_MS);
    await waitForScheduler(pda, fakes);
    expect(inputsOf('daily')).toHaveLength(1);
    expect((await ownerView(pda, 'daily')).nextRun).toMatchObject({ kind: 'at', onlyWithData: false });
    pda.clock.advance(2 * HOUR_MS);
    await expect.poll(() => inputsOf('daily')).toStrictEqual([[1], [2]]);
    pda.clock.advance(100 * HOUR_MS);
    pda.token = await pda.signIn();
    await waitForScheduler(pda, fakes);
    expect(inputsOf('daily')).toHaveLength(2);
  });

  it('processes input that exceeds the limits of one run in several runs within a period', async () => {
    const requestedBundle = { name: 'daily', bundle: { p0: { endpoints: [{ endpoint: 'data/in' }], limit: 2 } } };
    await startWith({ ...DAILY, publishedBundle: requestedBundle, bundle: () => requestedBundle });
    await store(pda, 'data/in', 1, 2, 3, 4, 5);
    await expect.poll(() => inputsOf('daily')).toStrictEqual([[1, 2], [3, 4], [5]]);
    await store(pda, 'data/in', 6);
    await waitForScheduler(pda, fakes);
    expect(inputsOf('daily')).toHaveLength(3);
    pda.clock.advance(25 * HOUR_MS);
    await expect.poll(() => inputsOf('daily').flat()).toStrictEqual([1, 2, 3, 4, 5, 6]);
  });

  it('counts time during which the machine slept', async () => {
    await startWith({ ...DAILY, trigger: { triggerType: 'periodic', period: 8 * HOUR_MS } });
    await store(pda, 'data/in', 1);
    await expect.poll(() => inputsOf('daily')).toStrictEqual([[1]]);
    await store(pda, 'data/in', 2);
    await waitForScheduler(pda, fakes);
    expect(inputsOf('daily')).toHaveLength(1);
    pda.clock.advance(8 * HOUR_MS);
    await expect.poll(() => inputsOf('daily')).toStrictEqual([[1], [2]]);
  });

  it('waits at most its period after the clock is set back, without duplicate input', async () => {
    await startWith(DAILY);
    await store(pda, 'data/in', 1);
    await expect.poll(() => inputsOf('daily')).toStrictEqual([[1]]);
    pda.clock.advance(-400 * HOUR_MS);
    // A token that was issued in the future is invalid.
    pda.token = await pda.signIn();
    await store(pda, 'data/in', 2);
    monotonicMs += 23 * HOUR_MS;
    await waitForScheduler(pda, fakes);
    expect(inputsOf('daily')).toHaveLength(1);
    monotonicMs += 2 * HOUR_MS;
    await expect.poll(() => inputsOf('daily')).toStrictEqual([[1], [2]]);
  });

  it.skipIf(!IS_THOROUGH_RUN)('waits one period if the clock was set back before the restart', async () => {
    await startWith(DAILY);
    await store(pda, 'data/in', 1);
    await expect.poll(() => inputsOf('daily')).toStrictEqual([[1]]);
    // A run that the restart interrupts would receive its input again.
    await waitUntilIdle(pda, 'daily');
    pda.clock.advance(-400 * HOUR_MS);
    await pda.restart();
    pda.token = await pda.signIn();
    await store(pda, 'data/in', 2);
    await waitForScheduler(pda, fakes);
    expect(inputsOf('daily')).toHaveLength(1);
    pda.clock.advance(25 * HOUR_MS);
    await expect.poll(() => inputsOf('daily')).toStrictEqual([[1], [2]]);
  });

  it.skipIf(!IS_THOROUGH_RUN)('runs once when the clock jumps ahead and continues when it is corrected', async () => {
    await startWith(DAILY);
    await store(pda, 'data/in', 1);
    await expect.poll(() => inputsOf('daily')).toStrictEqual([[1]]);
    await store(pda, 'data/in', 2);
    pda.clock.advance(60 * HOUR_MS);
    await expect.poll(() => inputsOf('daily')).toStrictEqual([[1], [2]]);
    pda.clock.advance(-60 * HOUR_MS);
    await store(pda, 'data/in', 3);
    monotonicMs += 25 * HOUR_MS;
    await expect.poll(() => inputsOf('daily')).toStrictEqual([[1], [2], [3]]);
    await expect.poll(() => dataAt(pda, 'made/daily')).toStrictEqual([1, 2, 3]);
  });
});

describe('an individual function', () => {
  it.skipIf(!IS_THOROUGH_RUN)('receives everything once while the clock jumps', async () => {
    await startWith({ id: 'echo', process: (input) => valuesIn(input) });
    const jumps = [5 * HOUR_MS, -40 * HOUR_MS, 30 * HOUR_MS, 8 * HOUR_MS, -3 * HOUR_MS, 1, -1];
    for (const [n, jump] of jumps.entries()) {
      await store(pda, 'data/in', `${n}a`, `${n}b`);
      pda.clock.advance(jump);
      await store(pda, 'data/in', `${n}c`);
    }
    const expected = jumps.flatMap((_, n) => [`${n}a`, `${n}b`, `${n}c`]);
    await expect.poll(() => inputsOf('echo').flat()).toStrictEqual(expected);
    await waitForScheduler(pda, fakes);
    // The output of the last run is stored after its input was received.
    await expect.poll(() => dataAt(pda, 'made/echo')).toStrictEqual(expected);
    expect((await runsOf(pda, 'echo')).every(({ outcome }) => outcome === 'done')).toBe(true);
  });
});

describe('an endless stream of events', () => {
  it('does not postpone a run indefinitely', async () => {
    fakes = createFakeFunctions({ id: 'echo' });
    pda = await startTestPda({
      functions: { host: fakes.host, timing: { ...FAST_TIMING, gatherMs: 10_000, gatherMaxMs: 100 } },
    });
    await installAndEnable(pda, { id: 'echo' });
    for (let n = 0; n < 2000 && inputsOf('echo').length === 0; n += 1) await store(pda, 'data/in', n);
    expect(inputsOf('echo').length).toBeGreaterThan(0);
  });
});
