import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TestPda } from '../../../../../tests/support/test-pda.ts';
import { rowsOf } from '../../access-log/recording/access-recorder.test-support.ts';
import {
  aBundle,
  ASKER,
  NOT_ENABLED,
  startDebits,
  store,
  type DebitCalls,
  type DebitTest,
  type ProposalInput,
} from '../harness.test-support.ts';

/** What values may cost the owner, and where they end. */

let pda: TestPda;
let owner: DebitCalls;
let asker: DebitCalls;
let token: string;
let enabled: DebitTest['enabled'];
beforeEach(async () => {
  ({ pda, owner, asker, token, enabled } = await startDebits([ASKER], { strict: false }));
});
afterEach(() => pda.close());

const days = (count: number): object[] => Array.from({ length: count }, (_, n) => ({ n, text: `day ${n}` }));

describe('a call for values that is under way when the owner ends them', () => {
  it.each([
    ['few', 5],
    ['many', 3000],
  ])('is refused also when only its record was made meanwhile (%s records)', async (_, count) => {
    await store(pda, 'a/days', days(count));
    await enabled({ bundle: aBundle('days', 'a/days') });
    const { ledger, debits } = pda.pda;
    const write = ledger.write.bind(ledger);
    const spy = vi.spyOn(ledger, 'write').mockImplementationOnce(async (entry) => {
      const row = await write(entry);
      await debits.disable('lunch', false);
      return row;
    });
    expect(await asker.refused('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    expect(spy).toHaveBeenCalledOnce();
    const rows = async () => (await rowsOf(pda, 'debit=lunch')).map(({ outcome, bytes }) => [outcome, bytes]);
    // Nothing left, and the ledger says so.
    await expect.poll(rows).toStrictEqual([
      ['refused', 0],
      ['allowed', 0],
    ]);
  });
});

describe('a bundle that is larger than what is held in memory', () => {
  const PER_PROPERTY = 900;
  const LARGE = 'x'.repeat(2000);
  const PROPERTIES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

  it('is whole, and holds nothing that its record does not name', async () => {
    for (const from of [0, 450]) {
      const some = Array.from({ length: PER_PROPERTY / 2 }, (_, index) => ({ n: from + index, LARGE }));
      await store(pda, 'a/large', some);
    }
    const property = { endpoints: [{ endpoint: 'a/large' }], orderBy: 'n' };
    const bundle = Object.fromEntries(PROPERTIES.map((name) => [name, property]));
    await enabled({ bundle: { name: 'large', bundle } });
    const answer = await fetch(`http://127.0.0.1:${pda.port}/api/v2.6/data-debit/lunch/values`, {
      headers: { 'x-auth-token': token },
    });
    expect(answer.status).toBe(200);
    const reader = answer.body?.getReader();
    const parts: Uint8Array[] = [(await reader?.read())?.value ?? new Uint8Array()];
    // What comes now may be in no part of it: the row of the ledger is written.
    await store(pda, 'a/large', { n: -1, LARGE });
    for (;;) {
      const piece = await reader?.read();
      if (piece?.done !== false) break;
      parts.push(piece.value);
    }
    const read = JSON.parse(Buffer.concat(parts).toString()) as { bundle: Record<string, { data: { n: number } }[]> };
    expect(Object.keys(read.bundle)).toStrictEqual(PROPERTIES);
    const numbers = Array.from({ length: PER_PROPERTY }, (_, n) => n);
    for (const records of Object.values(read.bundle)) expect(records.map(({ data }) => data.n)).toStrictEqual(numbers);
  });
});

describe('indexes', () => {
  it('are built for approved requests, not for pending ones, and dropped with the last reader', async () => {
    await store(pda, 'a/days', days(20));
    const indexes = async (): Promise<number> => {
      await pda.pda.indexes.whenIdle();
      return pda.pda.indexes.ready().size;
    };
    const filters = [{ field: 'n', operator: { operator: 'between' as const, lower: 3, upper: 6 } }];
    await asker.propose('lunch', {
      bundle: { name: 'b', bundle: { days: { endpoints: [{ endpoint: 'a/days', filters }] } } },
    });
    expect(await indexes()).toBe(0);
    await owner.enable('lunch');
    expect(await indexes()).toBe(1);
    expect((await asker.values('lunch'))['days']).toHaveLength(2);
    await owner.disable('lunch');
    expect(await indexes()).toBe(0);
  });

  it('are built up to a number that writing can bear: what was agreed later waits, and is answered without', async () => {
    const FIELDS = 101;
    const row = (n: number): object =>
      Object.fromEntries(Array.from({ length: FIELDS }, (_, field) => [`f${field}`, (n + field) % 40]));
    await store(
      pda,
      'a/wide',
      Array.from({ length: 200 }, (_, n) => row(n)),
    );
    const asksFor = (...fields: number[]): Partial<ProposalInput> => {
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
    const indexes = async (): Promise<readonly string[]> => {
      await pda.pda.indexes.whenIdle();
      return [...pda.pda.indexes.ready()].toSorted();
    };
    const answer = [10, 11].flatMap((is) => Array.from({ length: 5 }, () => ({ is })));
    const found = async (key: string, property: string): Promise<unknown[]> =>
      ((await asker.values(key))[property] ?? []).toSorted((a, b) =>
        JSON.stringify(a).localeCompare(JSON.stringify(b)),
      );

    // In the order of the alphabet the later one would come first.
    await asker.propose('zeal', asksFor(...Array.from({ length: FIELDS - 1 }, (_, field) => field)));
    await owner.enable('zeal');
    const first = await indexes();
    expect(first).toHaveLength(100);
    await asker.propose('arch', asksFor(FIELDS - 1));
    await owner.enable('arch');
    expect(await indexes()).toStrictEqual(first);
    // Nor does anything else take one away, whatever it is called.
    const filters = [{ field: 'other', operator: { operator: 'between', lower: 1, upper: 2 } }];
    await pda.call('PUT', '/api/v2.6/combinator/abc', { json: [{ endpoint: 'a/wide', filters }] });
    expect(await indexes()).toStrictEqual(first);
    await pda.call('DELETE', '/api/v2.6/combinator/abc');
    // Twice: the first look may run in another thread than the next.
    for (const _ of [1, 2]) {
      expect(await found('arch', `p${FIELDS - 1}`)).toStrictEqual(answer);
      expect(await found('zeal', 'p99')).toStrictEqual(answer);
    }

    // Its turn comes when there is room.
    await owner.disable('zeal');
    expect(await indexes()).toHaveLength(1);
    expect(first).not.toContain((await indexes())[0]);
    expect(await found('arch', `p${FIELDS - 1}`)).toStrictEqual(answer);
  });
});
