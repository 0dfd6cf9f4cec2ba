import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { dataAt, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import {
  createFakeFunctions,
  installAndEnable,
  waitForScheduler,
  MARKER,
  ownerView,
  QUICK_PACE,
  removeFolders,
  runsOf,
  store,
  valuesIn,
  type FakeFunction,
  type FakeFunctions,
} from '../harness.test-support.ts';

const HOUR = 3_600_000;
let pda: TestPda;
let fakes: FakeFunctions;
/** The monotonic counter, which stops while the machine sleeps. */
let counter = 0;

const perform = async (...fakeList: FakeFunction[]): Promise<void> => {
  fakes = createFakeFunctions(...fakeList, MARKER);
  counter = 1000;
  const pace = { gatherMs: 0, gatherMaxMs: 0, pollMs: 10, backoff: [30, 60, 90], counter: () => counter };
  pda = await startTestPda({ functions: { host: fakes.host, pace } });
  await installAndEnable(pda, ...fakeList, MARKER);
};
afterEach(() => pda.close());
afterAll(removeFolders);

const DAILY: FakeFunction = {
  id: 'daily',
  trigger: { triggerType: 'periodic', period: 'PT24H' },
  process: (given) => valuesIn(given),
};
const givenTo = (id: string): unknown[][] => (fakes.given.get(id) ?? []).map(valuesIn);

describe('a periodic function', () => {
  it('runs only after its period and with new input', async () => {
    await perform(DAILY);
    await store(pda, 'data/in', 1);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1]]);
    await store(pda, 'data/in', 2);
    pda.clock.advance(23 * HOUR);
    await waitForScheduler(pda, fakes);
    expect(givenTo('daily')).toHaveLength(1);
    expect((await ownerView(pda, 'daily')).nextRun).toMatchObject({ kind: 'at', onlyWithData: false });
    pda.clock.advance(2 * HOUR);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1], [2]]);
    pda.clock.advance(100 * HOUR);
    pda.token = await pda.signIn();
    await waitForScheduler(pda, fakes);
    expect(givenTo('daily')).toHaveLength(2);
  });

  it('counts time during which the machine slept', async () => {
    await perform({ ...DAILY, trigger: { triggerType: 'periodic', period: 8 * HOUR } });
    await store(pda, 'data/in', 1);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1]]);
    await store(pda, 'data/in', 2);
    await waitForScheduler(pda, fakes);
    expect(givenTo('daily')).toHaveLength(1);
    pda.clock.advance(8 * HOUR);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1], [2]]);
  });

  it('waits at most its period after the clock is set back, without duplicate input', async () => {
    await perform(DAILY);
    await store(pda, 'data/in', 1);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1]]);
    pda.clock.advance(-400 * HOUR);
    // A token that was issued in the future is invalid.
    pda.token = await pda.signIn();
    await store(pda, 'data/in', 2);
    counter += 23 * HOUR;
    await waitForScheduler(pda, fakes);
    expect(givenTo('daily')).toHaveLength(1);
    counter += 2 * HOUR;
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1], [2]]);
  });

  it('waits a period after a start at which the clock was set back', async () => {
    await perform(DAILY);
    await store(pda, 'data/in', 1);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1]]);
    pda.clock.advance(-400 * HOUR);
    await pda.restart();
    pda.token = await pda.signIn();
    await store(pda, 'data/in', 2);
    await waitForScheduler(pda, fakes);
    expect(givenTo('daily')).toHaveLength(1);
    pda.clock.advance(25 * HOUR);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1], [2]]);
  });

  it('runs once when the clock jumps ahead and continues when it is corrected', async () => {
    await perform(DAILY);
    await store(pda, 'data/in', 1);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1]]);
    await store(pda, 'data/in', 2);
    pda.clock.advance(60 * HOUR);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1], [2]]);
    pda.clock.advance(-60 * HOUR);
    await store(pda, 'data/in', 3);
    counter += 25 * HOUR;
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1], [2], [3]]);
    await expect.poll(() => dataAt(pda, 'made/daily')).toStrictEqual([1, 2, 3]);
  });
});

describe('an individual function', () => {
  it('receives everything once while the clock jumps', async () => {
    await perform({ id: 'echo', process: (given) => valuesIn(given) });
    const jumps = [5 * HOUR, -40 * HOUR, 30 * HOUR, 8 * HOUR, -3 * HOUR, 1, -1];
    for (const [n, jump] of jumps.entries()) {
      await store(pda, 'data/in', `${n}a`, `${n}b`);
      pda.clock.advance(jump);
      await store(pda, 'data/in', `${n}c`);
    }
    const all = jumps.flatMap((_, n) => [`${n}a`, `${n}b`, `${n}c`]);
    await expect.poll(() => givenTo('echo').flat()).toStrictEqual(all);
    await waitForScheduler(pda, fakes);
    expect(await dataAt(pda, 'made/echo')).toStrictEqual(all);
    expect((await runsOf(pda, 'echo')).every(({ outcome }) => outcome === 'done')).toBe(true);
  });
});

describe('an endless stream of events', () => {
  it('does not postpone a run', async () => {
    fakes = createFakeFunctions({ id: 'echo' });
    pda = await startTestPda({
      functions: { host: fakes.host, pace: { ...QUICK_PACE, gatherMs: 10_000, gatherMaxMs: 100 } },
    });
    await installAndEnable(pda, { id: 'echo' });
    for (let n = 0; n < 2000 && givenTo('echo').length === 0; n += 1) await store(pda, 'data/in', n);
    expect(givenTo('echo').length).toBeGreaterThan(0);
  });
});
