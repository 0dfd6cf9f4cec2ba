import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { between, dayAt, days, inRange, createQueryCalls, type Day, type QueryCalls } from './service.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let pda: TestPda;
let calls: QueryCalls;

const startPda = async (): Promise<void> => {
  pda = await startTestPda();
  calls = createQueryCalls(pda);
};

/** More records than a response contains without being streamed. */
const RECORD_COUNT = 3000;

describe('a read', () => {
  // These tests share a PDA and its records, which the last test deletes.
  beforeAll(async () => {
    await startPda();
    await calls.post('test/days', days(RECORD_COUNT));
  });
  afterAll(() => pda.close());

  it.skipIf(!IS_THOROUGH_RUN)('returns the same records before, during and after the build of its index', async () => {
    const expected = days(RECORD_COUNT).filter(inRange(100, 120));
    await calls.put('range', [{ endpoint: 'test/days', filters: between(100, 120) }]);
    for (let round = 0; round < 5; round += 1) expect(await calls.read('range')).toEqual(expected);
    await pda.pda.indexes.waitUntilIdle();
    for (let round = 0; round < 5; round += 1) expect(await calls.read('range')).toEqual(expected);
    expect(await calls.read('range', 'orderBy=value&take=100000')).toEqual(
      expected.toSorted((a, b) => a.value - b.value),
    );
  });

  it('returns the same records as a stream and in pages', async () => {
    await calls.put('all', [{ endpoint: 'test/days' }]);
    const allDays = await calls.read('all');
    expect(allDays).toEqual(days(RECORD_COUNT));
    const pages: Day[] = [];
    for (let skip = 0; skip < RECORD_COUNT; skip += 700)
      pages.push(...(await calls.read('all', `skip=${skip}&take=700`)));
    expect(pages).toEqual(allDays);
    expect(await calls.read('all', 'ordering=descending&take=100000')).toEqual(allDays.toReversed());
    expect(await calls.read('all', `skip=${RECORD_COUNT}`)).toEqual([]);
    expect(await calls.read('all', 'take=0')).toEqual([]);
  });

  it('is sorted by a field with the name undefined, even if it was read without an order before', async () => {
    await calls.post('test/undefined', [{ undefined: 2 }, { undefined: 1 }]);
    await calls.put('undefined', [{ endpoint: 'test/undefined' }]);
    expect(await calls.read('undefined')).toEqual([{ undefined: 2 }, { undefined: 1 }]);
    expect(await calls.read('undefined', 'take=100000&orderBy=undefined')).toEqual([
      { undefined: 1 },
      { undefined: 2 },
    ]);
  });

  it('is streamed in chunks if its records are large', async () => {
    const largeText = 'x'.repeat(800_000);
    for (let n = 0; n < 2; n += 1)
      await calls.post(
        'test/large',
        Array.from({ length: 10 }, () => ({ large: largeText })),
      );
    const text = await pda.pda.queries.read([{ endpoint: 'test/large' }], {
      ordering: 'ascending',
      skip: 0,
      take: null,
    });
    if (typeof text === 'string') throw new Error('the response was not streamed');
    let totalChars = 0;
    let largestChunkChars = 0;
    for await (const chunk of text) {
      totalChars += chunk.length;
      largestChunkChars = Math.max(largestChunkChars, chunk.length);
    }
    expect(totalChars).toBeGreaterThan(16_000_000);
    expect(largestChunkChars).toBeLessThan(4_000_000);
  });

  it('omits records that are moved to another endpoint during streaming', async () => {
    const ids = await calls.post('test/leaving', days(RECORD_COUNT));
    const text = await pda.pda.queries.read([{ endpoint: 'test/leaving' }], {
      orderBy: 'n',
      ordering: 'ascending',
      skip: 0,
      take: null,
    });
    if (typeof text === 'string') throw new Error('the response was not streamed');
    const chunks: string[] = [];
    for await (const chunk of text) {
      if (chunks.length === 0) {
        const json = { from: 'test/leaving', to: 'elsewhere/days', records: ids.slice(-100) };
        expect((await pda.call('POST', '/api/v2.6/owner/record-moves', { json })).status).toBe(200);
      }
      chunks.push(chunk);
    }
    const streamedIds = (JSON.parse(chunks.join('')) as { recordId: string }[]).map(({ recordId }) => recordId);
    expect(streamedIds).toStrictEqual(ids.slice(0, -100));
  });

  it('omits records that are deleted during streaming', async () => {
    const text = await pda.pda.queries.read([{ endpoint: 'test/days' }], {
      ordering: 'ascending',
      skip: 0,
      take: null,
    });
    if (typeof text === 'string') throw new Error('the response was not streamed');
    let fullText = '';
    for await (const chunk of text) {
      if (fullText.length === 1) await pda.call('DELETE', '/api/v2.6/data/test/days');
      fullText += chunk;
    }
    expect((JSON.parse(fullText) as unknown[]).length).toBeLessThanOrEqual(1000);
  });
});

describe('several endpoints', () => {
  beforeEach(startPda);
  afterEach(() => pda.close());

  const fill = async (): Promise<{ walks: Day[]; runs: Day[] }> => {
    const walks: Day[] = [];
    const runs: Day[] = [];
    // Stores the batches alternately, so that the endpoints interleave by time.
    for (let turn = 0; turn < 12; turn += 1) {
      const batch = days(100, turn * 100);
      await calls.post(turn % 3 === 0 ? 'test/runs' : 'test/walks', batch);
      (turn % 3 === 0 ? runs : walks).push(...batch);
    }
    await calls.put('both', [
      { endpoint: 'test/walks', mapping: { n: 'n', value: 'value', kind: 'group' }, filters: between(50, 900) },
      { endpoint: 'test/runs', mapping: { n: 'n', value: 'value', kind: 'group' } },
      { endpoint: 'test/nothing-yet' },
    ]);
    return { walks, runs };
  };
  const toMapped = ({ n, value, group }: Day) => ({ n, value, kind: group });

  it.skipIf(!IS_THOROUGH_RUN)('interleave in the order of creation, each with its filter and mapping', async () => {
    const { walks, runs } = await fill();
    const expected = [...walks.filter(inRange(50, 900)), ...runs].toSorted((a, b) => a.n - b.n).map(toMapped);
    expect(await calls.read('both')).toEqual(expected);
    expect(await calls.read('both', 'skip=333&take=100')).toEqual(expected.slice(333, 433));
    expect(await calls.read('both', 'ordering=descending&skip=5&take=5')).toEqual(expected.toReversed().slice(5, 10));
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'are sorted together by a field, with consistent pages, with and without indexes',
    async () => {
      const { walks, runs } = await fill();
      const expected = [...walks.filter(inRange(50, 900)), ...runs]
        .toSorted((a, b) => a.value - b.value || a.n - b.n)
        .map(toMapped);
      for (let round = 0; round < 2; round += 1) {
        const pages: unknown[] = [];
        for (let skip = 0; skip < expected.length; skip += 250) {
          pages.push(...(await calls.read('both', `orderBy=value&skip=${skip}&take=250`)));
        }
        expect(pages).toEqual(expected);
        await pda.pda.indexes.waitUntilIdle();
      }
      const kinds = (await calls.read('both', 'orderBy=kind&take=100000')) as unknown as { kind: string }[];
      expect(kinds.map(({ kind }) => kind)).toEqual(expected.map(({ kind }) => kind).toSorted());
    },
  );
});

describe('a query index', () => {
  beforeEach(startPda);
  afterEach(() => pda.close());

  it.skipIf(!IS_THOROUGH_RUN)(
    'is built when a combinator needs it, updated by every write, and dropped with the last combinator that needs it',
    async () => {
      const ids = await calls.post('test/days', days(3000));
      expect((await calls.indexes()).builtNames).toEqual([]);
      await calls.put('one', [{ endpoint: 'test/days', filters: between(100, 120) }]);
      await calls.put('two', [{ endpoint: 'test/days', filters: between(0, 5) }]);
      const { builtNames, readyNames } = await calls.indexes();
      expect(builtNames, 'one index for both').toHaveLength(1);
      expect(readyNames).toEqual(builtNames);

      const expected = new Map(ids.map((id, index) => [id, dayAt(index)]));
      const [firstId = '', secondId = '', thirdId = ''] = ids;
      await pda.call('PUT', '/api/v2.6/data', {
        json: [{ endpoint: 'test/days', recordId: firstId, data: { ...dayAt(0), value: 110 } }],
      });
      expected.set(firstId, { ...dayAt(0), value: 110 });
      await pda.call('DELETE', `/api/v2.6/data?records=${secondId},${thirdId}`);
      expected.delete(secondId);
      expected.delete(thirdId);
      for (const [index, id] of (await calls.post('test/days', days(50, 3000))).entries())
        expected.set(id, dayAt(3000 + index));
      expect(await calls.read('one')).toEqual([...expected.values()].filter(inRange(100, 120)));

      await pda.call('DELETE', '/api/v2.6/combinator/one');
      expect(await calls.indexes()).toEqual({ builtNames, readyNames });
      await pda.call('DELETE', '/api/v2.6/combinator/two');
      expect(await calls.indexes()).toEqual({ builtNames: [], readyNames: [] });
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('survives a restart without being rebuilt', async () => {
    await calls.post('test/days', days(3000));
    await calls.put('range', [{ endpoint: 'test/days', filters: between(100, 120) }]);
    const searchable = { transformation: 'searchable' };
    const find = { field: 'group', transformation: searchable, operator: { operator: 'find', search: 'g3' } };
    await calls.put('words', [{ endpoint: 'test/days', filters: [find] }]);
    const indexesBefore = await calls.indexes();
    expect(indexesBefore.readyNames).toHaveLength(2);
    await pda.restart();
    expect([...pda.pda.indexes.readyNames()]).toEqual(indexesBefore.readyNames);
    expect(await calls.indexes()).toEqual(indexesBefore);
    expect(await calls.read('range')).toEqual(days(3000).filter(inRange(100, 120)));
  });

  it.skipIf(!IS_THOROUGH_RUN)('is rebuilt for an endpoint that was deleted and recreated', async () => {
    await calls.put('range', [{ endpoint: 'test/days', filters: between(100, 120) }]);
    const emptyIndexes = await calls.indexes();
    expect(emptyIndexes.readyNames, 'before the first record').toHaveLength(1);
    await calls.post('test/days', days(3000));
    await pda.call('DELETE', '/api/v2.6/data/test/days');
    expect(await calls.read('range')).toEqual([]);
    await calls.post('test/days', days(2500));
    expect(await calls.read('range')).toEqual(days(2500).filter(inRange(100, 120)));
    const rebuiltIndexes = await calls.indexes();
    expect(rebuiltIndexes.readyNames).toHaveLength(1);
    expect(rebuiltIndexes.readyNames).not.toEqual(emptyIndexes.readyNames);
    expect(rebuiltIndexes.builtNames, 'the old index was dropped').toEqual(rebuiltIndexes.readyNames);
    expect(await calls.read('range')).toEqual(days(2500).filter(inRange(100, 120)));
  });

  it.skipIf(!IS_THOROUGH_RUN)('is rebuilt for an endpoint whose deletion was undone', async () => {
    await calls.post('test/days', days(2500));
    await calls.put('range', [{ endpoint: 'test/days', filters: between(100, 120) }]);
    await calls.indexes();
    const deletion = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint: 'test/days' } });
    await calls.put('range', [{ endpoint: 'test/days', filters: between(100, 130) }]);
    await calls.indexes();
    const { deletionId } = deletion.json as { deletionId: string };
    expect((await pda.call('POST', `/api/v2.6/owner/deletions/${deletionId}/undo`)).status).toBe(200);
    expect(await calls.read('range')).toEqual(days(2500).filter(inRange(100, 130)));
    const { builtNames, readyNames } = await calls.indexes();
    expect(readyNames).toHaveLength(1);
    expect(builtNames).toEqual(readyNames);
  });

  it.skipIf(!IS_THOROUGH_RUN)('can be dropped while queries are queued, which then run without it', async () => {
    await calls.post('test/days', days(RECORD_COUNT));
    const expected = days(RECORD_COUNT).filter(inRange(100, 400));
    for (let round = 0; round < 2; round += 1) {
      await calls.put('range', [{ endpoint: 'test/days', filters: between(100, 400) }]);
      await pda.pda.indexes.waitUntilIdle();
      const reads = Promise.all(Array.from({ length: 5 }, () => calls.read('range', 'orderBy=n&take=5000')));
      await calls.put('range', [{ endpoint: 'test/days' }]);
      await pda.pda.indexes.waitUntilIdle();
      for (const result of await reads) {
        expect(
          [expected, days(RECORD_COUNT)].some((candidate) => JSON.stringify(candidate) === JSON.stringify(result)),
        ).toBe(true);
      }
    }
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'is built for each of many combinators registered concurrently, while records are written',
    async () => {
      const names = Array.from({ length: 12 }, (_, index) => `by-${index}`);
      const writes = Array.from({ length: 20 }, (_, turn) => calls.post('test/days', days(50, turn * 50)));
      await Promise.all(
        names.map((name, index) =>
          calls.put(name, [
            { endpoint: 'test/days', filters: [{ field: `field-${index}`, operator: { operator: 'in', value: 1 } }] },
          ]),
        ),
      );
      await Promise.all(writes);
      const { builtNames, readyNames } = await calls.indexes();
      expect(builtNames).toHaveLength(12);
      expect(readyNames).toEqual(builtNames);
    },
  );
});
