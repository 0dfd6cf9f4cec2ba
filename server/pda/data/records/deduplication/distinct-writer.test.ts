import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataAt, recordsOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { MAX_RECORDS_PER_REQUEST } from '../../../../wire/limits.ts';
import { COMPARED_ON_MAIN_THREAD_MAX_BYTES } from '../../../../wire/work-limits.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

let pda: TestPda;
beforeEach(async () => {
  pda = await startTestPda();
});
afterEach(() => pda.close());

const OWNER = { kind: 'owner', name: 'owner' } as const;
const ENDPOINT = 'distinct/values';

const entryTexts = (count: number, start = 0): string[] =>
  Array.from({ length: count }, (_, n) => `{"n":${start + n},"text":"an entry as a plug sends it"}`);
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

/** Returns the CPU time of this thread, in milliseconds, in the longest turn of the event loop. */
const measureLongestTurn = async (work: () => Promise<unknown>): Promise<number> => {
  let longestMs = 0;
  let isDone = false;
  const completion = work().finally(() => {
    isDone = true;
  });
  let lastUsage = process.threadCpuUsage();
  while (!isDone) {
    await nextTurn();
    const { user, system } = process.threadCpuUsage(lastUsage);
    lastUsage = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (user + system) / 1000);
  }
  await completion;
  return longestMs;
};

describe('an array that is compared in slices', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'blocks the event loop for less than twice as long as storing the array without a comparison does',
    { timeout: 300_000 },
    async () => {
      const count = MAX_RECORDS_PER_REQUEST;
      // Takes the shortest of three attempts, because garbage collection may lengthen a turn.
      const measureShortest = async (
        work: (values: readonly string[]) => Promise<unknown>,
        startOf: (attempt: number) => number,
      ): Promise<number> => {
        const longestTurns: number[] = [];
        for (const attempt of [1, 2, 3])
          longestTurns.push(await measureLongestTurn(() => work(entryTexts(count, startOf(attempt)))));
        return Math.min(...longestTurns);
      };
      // Warms up the code before the measurement.
      await createAll(entryTexts(1000, 10 * count));
      const baselineMs = await measureShortest(createAll, (attempt) => attempt * count);
      const halfNewMs = await measureShortest(createDistinct, (attempt) => (3 + attempt / 2) * count);
      const repeatedMs = await measureShortest(createDistinct, () => 0);
      expect(halfNewMs).toBeLessThan(2 * baselineMs);
      expect(repeatedMs).toBeLessThan(2 * baselineMs);
    },
  );

  it('is stored once when two requests send it at the same time', async () => {
    const values = entryTexts(3000);
    const replies = await Promise.all([post('?skipErrors=true', values), post('?skipErrors=true', values)]);
    expect(replies.map((reply) => recordsOf(reply).length).toSorted((a, b) => a - b)).toStrictEqual([0, 3000]);
    expect(await storedTexts()).toStrictEqual(values.toSorted());
  });

  it.skipIf(!IS_THOROUGH_RUN)('is stored without duplicates if its elements are large', async () => {
    const members = Array.from({ length: 20_000 }, (_, n) => `"k${n}":[${n}]`);
    const value = `{${members.join(',')}}`;
    const reversedValue = `{${members.toReversed().join(',')}}`;
    expect(value.length).toBeGreaterThan(COMPARED_ON_MAIN_THREAD_MAX_BYTES);
    expect(recordsOf(await post('?skipErrors=true', [value, reversedValue]))).toHaveLength(1);
    expect(recordsOf(await post('?skipErrors=true', [reversedValue]))).toHaveLength(0);
    expect(recordsOf(await post('?skipErrors=true', [reversedValue.replace('"k7":[7]', '"k7":[8]')]))).toHaveLength(1);
  });

  it('is stored in the order of the array', async () => {
    const values = entryTexts(2000).toReversed();
    await createAll(values.slice(500, 700));
    const storedRecords = await createDistinct(values);
    expect(storedRecords.map(({ data }) => data.toString())).toStrictEqual(values.toSpliced(500, 200));
  });
});

describe('a comparison during concurrent writes', () => {
  const values = entryTexts(10_000);

  const storeAndIndex = async (texts: readonly string[]) => {
    const storedRecords = await createAll(texts);
    await createDistinct([]);
    return storedRecords;
  };

  /**
   * Starts to create the values at an endpoint with an index, and resolves in the middle of their comparison: the
   * fingerprints of 10,000 values take 33 turns of the event loop, and the comparison takes at least as many.
   */
  const startComparison = async (): Promise<{ result: ReturnType<typeof createDistinct> }> => {
    const result = createDistinct(values);
    for (let turn = 0; turn < 45; turn += 1) await nextTurn();
    return { result };
  };

  it('skips elements that another writer has stored', async () => {
    await storeAndIndex(values.slice(0, 10));
    const { result } = await startComparison();
    await createAll(values.slice(4000, 4500));
    expect(await result).toHaveLength(values.length - 510);
    expect(await storedTexts()).toStrictEqual(values.toSorted());
  });

  it.skipIf(!IS_THOROUGH_RUN)('completes even while writes continue', async () => {
    await storeAndIndex(values.slice(0, 1));
    const { result } = await startComparison();
    let isDone = false;
    const completion = result.finally(() => {
      isDone = true;
    });
    const equalValues = values.slice(-100);
    for (let start = 100_000; !isDone; start += 450)
      await createAll([...equalValues.splice(0, 10), ...entryTexts(450, start)]);
    const writtenTexts = (await completion).map(({ data }) => data.toString());
    expect(writtenTexts).toStrictEqual(writtenTexts.filter((text) => values.includes(text)));
    for (const text of values.slice(-20)) expect(writtenTexts).not.toContain(text);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'stores an element whose duplicate was changed, and skips one that equals the changed record',
    async () => {
      const [firstRecord] = await storeAndIndex(values.slice(0, 1));
      const { result } = await startComparison();
      await pda.pda.records.update(
        [{ endpoint: ENDPOINT, recordId: firstRecord?.id ?? '', data: String(values.at(-1)) }],
        OWNER,
      );
      await result;
      expect(await storedTexts()).toStrictEqual(values.toSorted());
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('stores an element whose duplicate was deleted', async () => {
    const [record] = await storeAndIndex(values.slice(0, 1));
    const { result } = await startComparison();
    await pda.pda.records.remove([record?.id ?? ''], () => true, OWNER);
    expect(await result).toHaveLength(values.length);
    expect(await storedTexts()).toStrictEqual(values.toSorted());
  });

  it.skipIf(!IS_THOROUGH_RUN)('stores all elements if the endpoint was deleted', async () => {
    await storeAndIndex(values.slice(0, 2000));
    const { result } = await startComparison();
    await pda.pda.deletions.clearEndpoint(ENDPOINT, OWNER);
    expect(await result).toHaveLength(values.length);
    expect(await storedTexts()).toStrictEqual(values.toSorted());
  });

  it.skipIf(!IS_THOROUGH_RUN)('skips elements that equal records restored by an undo', async () => {
    await storeAndIndex(values.slice(0, 2000));
    const { result } = await startComparison();
    const { deletionId } = await pda.pda.deletions.deleteEndpoint(ENDPOINT, OWNER);
    await createAll(values.slice(2000, 2010));
    await pda.pda.deletions.undo(deletionId, OWNER);
    expect(await result).toHaveLength(values.length - 2010);
    expect(await storedTexts()).toStrictEqual(values.toSorted());
  });
});
