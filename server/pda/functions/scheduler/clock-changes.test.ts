import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { dataAt, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import {
  createStage,
  installAndEnable,
  looked,
  MARKER,
  ownerView,
  QUICK,
  removeFolders,
  runsOf,
  store,
  valuesIn,
  type Played,
  type Stage,
} from '../harness.test-support.ts';

const HOUR = 3_600_000;
let pda: TestPda;
let stage: Stage;
/** The monotonic counter, which stops while the machine sleeps. */
let counter = 0;

const perform = async (...cast: Played[]): Promise<void> => {
  stage = createStage(...cast, MARKER);
  counter = 1000;
  const pace = { gather: 0, gatherAtMost: 0, look: 10, backoff: [30, 60, 90], counter: () => counter };
  pda = await startTestPda({ functions: { host: stage.host, pace } });
  await installAndEnable(pda, ...cast, MARKER);
};
afterEach(() => pda.close());
afterAll(removeFolders);

const DAILY: Played = {
  id: 'daily',
  trigger: { triggerType: 'periodic', period: 'PT24H' },
  process: (given) => valuesIn(given),
};
const givenTo = (id: string): unknown[][] => (stage.given.get(id) ?? []).map(valuesIn);

describe('a periodic function', () => {
  it('runs when its period has passed and something came, and not before, nor for nothing', async () => {
    await perform(DAILY);
    await store(pda, 'data/in', 1);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1]]);
    await store(pda, 'data/in', 2);
    pda.clock.advance(23 * HOUR);
    await looked(pda, stage);
    expect(givenTo('daily')).toHaveLength(1);
    expect((await ownerView(pda, 'daily')).nextRun).toMatchObject({ kind: 'at', onlyWithData: false });
    pda.clock.advance(2 * HOUR);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1], [2]]);
    pda.clock.advance(100 * HOUR);
    pda.token = await pda.signIn();
    await looked(pda, stage);
    expect(givenTo('daily')).toHaveLength(2);
  });

  it('has waited long enough after a night of sleep, in which its counter stood still', async () => {
    await perform({ ...DAILY, trigger: { triggerType: 'periodic', period: 8 * HOUR } });
    await store(pda, 'data/in', 1);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1]]);
    await store(pda, 'data/in', 2);
    await looked(pda, stage);
    expect(givenTo('daily')).toHaveLength(1);
    pda.clock.advance(8 * HOUR);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1], [2]]);
  });

  it('waits no longer than its period when the clock is set back, and gets nothing twice', async () => {
    await perform(DAILY);
    await store(pda, 'data/in', 1);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1]]);
    pda.clock.advance(-400 * HOUR);
    // A token of days that have not come yet is none.
    pda.token = await pda.signIn();
    await store(pda, 'data/in', 2);
    counter += 23 * HOUR;
    await looked(pda, stage);
    expect(givenTo('daily')).toHaveLength(1);
    counter += 2 * HOUR;
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1], [2]]);
  });

  it('that finds the clock set back at a start waits a period from then', async () => {
    await perform(DAILY);
    await store(pda, 'data/in', 1);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1]]);
    pda.clock.advance(-400 * HOUR);
    await pda.restart();
    pda.token = await pda.signIn();
    await store(pda, 'data/in', 2);
    await looked(pda, stage);
    expect(givenTo('daily')).toHaveLength(1);
    pda.clock.advance(25 * HOUR);
    await expect.poll(() => givenTo('daily')).toStrictEqual([[1], [2]]);
  });

  it('runs once when the clock is set a year ahead, and goes on when it is set right again', async () => {
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
  it('gets everything once while the clock jumps about', async () => {
    await perform({ id: 'echo', process: (given) => valuesIn(given) });
    const jumps = [5 * HOUR, -40 * HOUR, 30 * HOUR, 8 * HOUR, -3 * HOUR, 1, -1];
    for (const [n, jump] of jumps.entries()) {
      await store(pda, 'data/in', `${n}a`, `${n}b`);
      pda.clock.advance(jump);
      await store(pda, 'data/in', `${n}c`);
    }
    const all = jumps.flatMap((_, n) => [`${n}a`, `${n}b`, `${n}c`]);
    await expect.poll(() => givenTo('echo').flat()).toStrictEqual(all);
    await looked(pda, stage);
    expect(await dataAt(pda, 'made/echo')).toStrictEqual(all);
    expect((await runsOf(pda, 'echo')).every(({ outcome }) => outcome === 'done')).toBe(true);
  });
});

describe('a stream of events that does not end', () => {
  it('does not put a run off: it begins while they come', async () => {
    stage = createStage({ id: 'echo' });
    pda = await startTestPda({
      functions: { host: stage.host, pace: { ...QUICK, gather: 10_000, gatherAtMost: 100 } },
    });
    await installAndEnable(pda, { id: 'echo' });
    for (let n = 0; n < 2000 && givenTo('echo').length === 0; n += 1) await store(pda, 'data/in', n);
    expect(givenTo('echo').length).toBeGreaterThan(0);
  });
});
