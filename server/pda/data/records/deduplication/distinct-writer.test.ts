import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataAt, recordsOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { MAX_RECORDS_PER_REQUEST } from '../../../../wire/limits.ts';

let pda: TestPda;
beforeEach(async () => {
  pda = await startTestPda();
});
afterEach(() => pda.close());

const OWNER = { kind: 'owner', name: 'owner' } as const;
const ENDPOINT = 'distinct/values';

const numbers = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => `{"n":${from + n},"text":"an entry as a plug sends it"}`);
const post = (query: string, values: readonly string[]) =>
  pda.call('POST', `/api/v2.6/data/${ENDPOINT}${query}`, { body: `[${values.join(',')}]` });
const createDistinct = (values: readonly string[]) =>
  pda.pda.records.createDistinct(ENDPOINT, values, { origin: OWNER, compareWith: 'all' });
const createAll = (values: readonly string[]) =>
  pda.pda.records.create(
    values.map((data) => ({ endpoint: ENDPOINT, data })),
    OWNER,
  );
const storedTexts = async (): Promise<string[]> =>
  (await dataAt(pda, ENDPOINT)).map((value) => JSON.stringify(value)).toSorted();

/** Milliseconds of CPU time that this thread spent in the longest turn of the event loop while some work ran. */
const longestTurn = async (work: () => Promise<unknown>): Promise<number> => {
  let longest = 0;
  let isDone = false;
  const completion = work().finally(() => {
    isDone = true;
  });
  let last = process.threadCpuUsage();
  while (!isDone) {
    await nextTurn();
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
  }
  await completion;
  return longest;
};

describe('an array that is compared in slices', () => {
  it(
    'blocks the event loop about as long as storing the array without a comparison',
    { timeout: 300_000 },
    async () => {
      const count = MAX_RECORDS_PER_REQUEST;
      // The shortest of three attempts: garbage collection may lengthen a turn in any of them.
      const shortest = async (work: (values: readonly string[]) => Promise<unknown>, step: number): Promise<number> => {
        const longestTurns: number[] = [];
        for (const attempt of [1, 2, 3])
          longestTurns.push(await longestTurn(() => work(numbers(count, attempt * step))));
        return Math.min(...longestTurns);
      };
      // The first array of a process also pays for compiling the code.
      await createAll(numbers(1000, 10 * count));
      const baseline = await shortest(createAll, count);
      const halfNew = await shortest(createDistinct, 3.5 * count);
      const repeated = await shortest(createDistinct, 0);
      expect(halfNew).toBeLessThan(2 * baseline);
      expect(repeated).toBeLessThan(2 * baseline);
    },
  );

  it('is stored once when two requests send it at the same time', async () => {
    const values = numbers(3000);
    const replies = await Promise.all([post('?skipErrors=true', values), post('?skipErrors=true', values)]);
    expect(replies.map((reply) => recordsOf(reply).length).toSorted((a, b) => a - b)).toStrictEqual([0, 3000]);
    expect(await storedTexts()).toStrictEqual(values.toSorted());
  });

  it('keeps its order', async () => {
    const values = numbers(2000).toReversed();
    await createAll(values.slice(500, 700));
    const stored = await createDistinct(values);
    expect(stored.map(({ data }) => data.toString())).toStrictEqual(values.toSpliced(500, 200));
  });
});

describe('concurrent writes during the comparison', () => {
  const values = numbers(10_000);

  const storeAndIndex = async (texts: readonly string[]) => {
    const stored = await createAll(texts);
    await createDistinct([]);
    return stored;
  };

  /**
   * Starts to create the values at an endpoint with an index, and resolves in the middle of their comparison: the fingerprints of 10,000
   * values take 33 turns of the event loop, and the comparison at least as many again.
   */
  const startComparison = async (): Promise<{ result: ReturnType<typeof createDistinct> }> => {
    const result = createDistinct(values);
    for (let turn = 0; turn < 45; turn += 1) await nextTurn();
    return { result };
  };

  it('skip elements that another writer stored', async () => {
    await storeAndIndex(values.slice(0, 10));
    const { result } = await startComparison();
    await createAll(values.slice(4000, 4500));
    expect(await result).toHaveLength(values.length - 510);
    expect(await storedTexts()).toStrictEqual(values.toSorted());
  });

  it('do not keep the request from finishing if they never stop', async () => {
    await storeAndIndex(values.slice(0, 1));
    const { result } = await startComparison();
    let isDone = false;
    const finished = result.finally(() => {
      isDone = true;
    });
    const equal = values.slice(-100);
    for (let from = 100_000; !isDone; from += 450) await createAll([...equal.splice(0, 10), ...numbers(450, from)]);
    const stored = (await finished).map(({ data }) => data.toString());
    expect(stored).toStrictEqual(stored.filter((text) => values.includes(text)));
    for (const text of values.slice(-20)) expect(stored).not.toContain(text);
  });

  it('store an element whose duplicate was updated away, and skip one that an update made a duplicate', async () => {
    const [first] = await storeAndIndex(values.slice(0, 1));
    const { result } = await startComparison();
    await pda.pda.records.update(
      [{ endpoint: ENDPOINT, recordId: first?.id ?? '', data: String(values.at(-1)) }],
      OWNER,
    );
    await result;
    expect(await storedTexts()).toStrictEqual(values.toSorted());
  });

  it('store an element whose duplicate was deleted', async () => {
    const [record] = await storeAndIndex(values.slice(0, 1));
    const { result } = await startComparison();
    await pda.pda.records.remove([record?.id ?? ''], () => true, OWNER);
    expect(await result).toHaveLength(values.length);
    expect(await storedTexts()).toStrictEqual(values.toSorted());
  });

  it('store all elements if the endpoint was deleted', async () => {
    await storeAndIndex(values.slice(0, 2000));
    const { result } = await startComparison();
    await pda.pda.deletions.clearEndpoint(ENDPOINT, OWNER);
    expect(await result).toHaveLength(values.length);
    expect(await storedTexts()).toStrictEqual(values.toSorted());
  });

  it('skip records restored by an undo', async () => {
    await storeAndIndex(values.slice(0, 2000));
    const { result } = await startComparison();
    const { deletionId } = await pda.pda.deletions.deleteEndpoint(ENDPOINT, OWNER);
    await createAll(values.slice(2000, 2010));
    await pda.pda.deletions.undo(deletionId, OWNER);
    expect(await result).toHaveLength(values.length - 2010);
    expect(await storedTexts()).toStrictEqual(values.toSorted());
  });
});
