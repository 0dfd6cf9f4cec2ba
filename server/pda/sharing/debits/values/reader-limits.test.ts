import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TestPda } from '../../../../../tests/support/test-pda.ts';
import { createAccessTrace } from '../../../../platform/auth/access-trace.ts';
import { NON_OWNER_READ_MS } from '../../../../wire/limits.ts';
import { ENDPOINT_MAX_INDEXES } from '../../../../wire/work-limits.ts';
import { rowsOf } from '../../access-log/recording/access-recorder.test-support.ts';
import {
  aBundle,
  REQUESTER,
  NOT_ENABLED,
  startDebits,
  store,
  type DebitCalls,
  type DebitTest,
  type ProposalInput,
} from '../harness.test-support.ts';
import { createDebitValues } from './reader.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
let token: string;
let proposeAndEnable: DebitTest['proposeAndEnable'];
beforeEach(async () => {
  ({ pda, owner, requester, token, proposeAndEnable } = await startDebits([REQUESTER], { strict: false }));
});
afterEach(() => pda.close());

const createDays = (count: number): object[] => Array.from({ length: count }, (_, n) => ({ n, text: `day ${n}` }));

describe('a `values` request in flight when the owner disables the Data Debit', () => {
  it.each([
    ['few', 5],
    ['many', 3000],
  ])('is refused even if it has already been logged (%s records)', async (_, count) => {
    await store(pda, 'a/days', createDays(count));
    await proposeAndEnable({ bundle: aBundle('days', 'a/days') });
    const { ledger: accessLog, debits } = pda.pda;
    const write = accessLog.write.bind(accessLog);
    const writeSpy = vi.spyOn(accessLog, 'write').mockImplementationOnce(async (entry) => {
      const row = await write(entry);
      await debits.disable('lunch', false);
      return row;
    });
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    expect(writeSpy).toHaveBeenCalledOnce();
    const readRows = async () =>
      (await rowsOf(pda, 'debit=lunch'))
        .filter(({ who }) => who.kind !== 'owner')
        .map(({ outcome, bytes }) => [outcome, bytes]);
    // The access log shows that nothing was sent.
    await expect.poll(readRows).toStrictEqual([
      ['refused', 0],
      ['allowed', 0],
    ]);
  });
});

describe('the conditions of a Data Debit', () => {
  it('are read one after another, until they have taken the time of one read together', async () => {
    const CONDITION_COUNT = 10;
    const names = Array.from({ length: CONDITION_COUNT }, (_, n) => `c${n}`);
    const bundle = Object.fromEntries(names.map((name) => [name, { endpoints: [{ endpoint: `a/${name}` }] }]));
    await proposeAndEnable({ bundle: aBundle('days', 'a/days'), conditions: { name: 'conditions', bundle } });

    let elapsedMs = 0;
    const start = performance.now();
    const clockSpy = vi.spyOn(performance, 'now').mockImplementation(() => start + elapsedMs);
    const { debits, queries } = pda.pda;
    const readEndpoints: (string | undefined)[] = [];
    const read: typeof queries.read = async (entries, options) => {
      readEndpoints.push(entries[0]?.endpoint);
      await new Promise(setImmediate);
      elapsedMs += NON_OWNER_READ_MS / 2;
      return queries.read(entries, options);
    };
    const debitValues = createDebitValues({ debits, queries: { ...queries, read }, clock: pda.clock });
    const { principal } = await pda.pda.owner.authenticate(token);
    const caller = { principal, trace: createAccessTrace(), headersOnly: false, admitLongRead: () => undefined };
    try {
      await expect(debitValues.values('lunch', caller)).rejects.toMatchObject({ code: 'query_limit_exceeded' });
    } finally {
      clockSpy.mockRestore();
    }
    expect(readEndpoints).toStrictEqual(['a/c0', 'a/c1', 'a/c2']);
  });
});

describe('a bundle larger than the memory buffer', () => {
  const RECORDS_PER_PROPERTY = 900;
  const LARGE_TEXT = 'x'.repeat(2000);
  const PROPERTIES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

  it.skipIf(!IS_THOROUGH_RUN)('is complete and contains no records that were stored after its first byte', async () => {
    for (const start of [0, 450]) {
      const batch = Array.from({ length: RECORDS_PER_PROPERTY / 2 }, (_, index) => ({
        n: start + index,
        text: LARGE_TEXT,
      }));
      await store(pda, 'a/large', batch);
    }
    const property = { endpoints: [{ endpoint: 'a/large' }], orderBy: 'n' };
    const bundle = Object.fromEntries(PROPERTIES.map((name) => [name, property]));
    await proposeAndEnable({ bundle: { name: 'large', bundle } });
    const response = await fetch(`http://127.0.0.1:${pda.port}/api/v2.6/data-debit/lunch/values`, {
      headers: { 'x-auth-token': token },
    });
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    const chunks: Uint8Array[] = [(await reader?.read())?.value ?? new Uint8Array()];
    // Records that are stored from this point on must not be in the response, because the log entry is already written.
    await store(pda, 'a/large', { n: -1, text: LARGE_TEXT });
    for (;;) {
      const chunk = await reader?.read();
      if (chunk?.done !== false) break;
      chunks.push(chunk.value);
    }
    const values = JSON.parse(Buffer.concat(chunks).toString()) as {
      bundle: Record<string, { data: { n: number } }[]>;
    };
    expect(Object.keys(values.bundle)).toStrictEqual(PROPERTIES);
    const numbers = Array.from({ length: RECORDS_PER_PROPERTY }, (_, n) => n);
    for (const records of Object.values(values.bundle))
      expect(records.map(({ data }) => data.n)).toStrictEqual(numbers);
  });
});

describe('indexes', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'are built for approved requests, not for pending ones, and dropped when the Data Debit is disabled',
    async () => {
      await store(pda, 'a/days', createDays(20));
      const countIndexes = async (): Promise<number> => {
        await pda.pda.indexes.waitUntilIdle();
        return pda.pda.indexes.readyNames().size;
      };
      const filters = [{ field: 'n', operator: { operator: 'between' as const, lower: 3, upper: 6 } }];
      await requester.propose('lunch', {
        bundle: { name: 'b', bundle: { days: { endpoints: [{ endpoint: 'a/days', filters }] } } },
      });
      expect(await countIndexes()).toBe(0);
      await owner.enable('lunch');
      expect(await countIndexes()).toBe(1);
      expect((await requester.values('lunch'))['days']).toHaveLength(2);
      await owner.disable('lunch');
      expect(await countIndexes()).toBe(0);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'are built for some fields of an endpoint, and the values of other fields are read without an index',
    async () => {
      const FIELD_COUNT = ENDPOINT_MAX_INDEXES + 1;
      const row = (n: number): object =>
        Object.fromEntries(Array.from({ length: FIELD_COUNT }, (_, field) => [`f${field}`, (n + field) % 40]));
      await store(
        pda,
        'a/wide',
        Array.from({ length: 200 }, (_, n) => row(n)),
      );
      const requestFor = (...fields: number[]): Partial<ProposalInput> => {
        const property = (field: number) => {
          const operator = { operator: 'between' as const, lower: 9, upper: 12 };
          const filters = [{ field: `f${field}`, operator }];
          return { endpoints: [{ endpoint: 'a/wide', filters, mapping: { is: `f${field}` } }] };
        };
        return {
          bundle: {
            name: `b${fields.length}`,
            bundle: Object.fromEntries(fields.map((field) => [`p${field}`, property(field)])),
          },
        };
      };
      const readIndexNames = async (): Promise<readonly string[]> => {
        await pda.pda.indexes.waitUntilIdle();
        return [...pda.pda.indexes.readyNames()].toSorted();
      };
      const expectedRecords = [10, 11].flatMap((is) => Array.from({ length: 5 }, () => ({ is })));
      const valuesOf = async (key: string, property: string): Promise<unknown[]> =>
        ((await requester.values(key))[property] ?? []).toSorted((a, b) =>
          JSON.stringify(a).localeCompare(JSON.stringify(b)),
        );

      // The second key precedes the first in alphabetical order.
      await requester.propose('zeal', requestFor(...Array.from({ length: FIELD_COUNT - 1 }, (_, field) => field)));
      await owner.enable('zeal');
      const initialIndexes = await readIndexNames();
      expect(initialIndexes).toHaveLength(ENDPOINT_MAX_INDEXES);
      await requester.propose('arch', requestFor(FIELD_COUNT - 1));
      await owner.enable('arch');
      // The second Data Debit gets one index, which replaces the last index of the first Data Debit.
      const newIndexes = await readIndexNames();
      expect(newIndexes).toHaveLength(ENDPOINT_MAX_INDEXES);
      expect(initialIndexes.filter((name) => !newIndexes.includes(name))).toHaveLength(1);
      // A combinator does not raise the maximum number of indexes.
      const filters = [{ field: 'other', operator: { operator: 'between', lower: 1, upper: 2 } }];
      await pda.call('PUT', '/api/v2.6/combinator/abc', { json: [{ endpoint: 'a/wide', filters }] });
      expect(await readIndexNames()).toHaveLength(ENDPOINT_MAX_INDEXES);
      await pda.call('DELETE', '/api/v2.6/combinator/abc');
      // Read twice, because the reads can run in different threads.
      for (const _ of [1, 2]) {
        expect(await valuesOf('arch', `p${FIELD_COUNT - 1}`)).toStrictEqual(expectedRecords);
        expect(await valuesOf('zeal', `p${FIELD_COUNT - 2}`)).toStrictEqual(expectedRecords);
      }

      // The indexes of a disabled Data Debit are dropped.
      await owner.disable('zeal');
      expect(await readIndexNames()).toHaveLength(1);
      expect(initialIndexes).not.toContain((await readIndexNames())[0]);
      expect(await valuesOf('arch', `p${FIELD_COUNT - 1}`)).toStrictEqual(expectedRecords);
    },
  );
});
