import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordsOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import type { CombinatorEntry } from '../../../wire/query.ts';
import { seqOfId } from '../../core/sequence.ts';

let pda: TestPda;
/** Sequence numbers in the order of creation. */
let seqs: number[];

beforeAll(async () => {
  pda = await startTestPda();
  const json = Array.from({ length: 60 }, (_, n) => ({ n: (n * 7) % 60, odd: n % 2 === 1 }));
  const firstRecords = recordsOf(await pda.call('POST', '/api/v2.6/data/a/one', { json: json.slice(0, 40) }));
  const secondRecords = recordsOf(await pda.call('POST', '/api/v2.6/data/a/two', { json: json.slice(40) }));
  seqs = [...firstRecords, ...secondRecords].map(({ recordId }) => seqOfId(recordId) ?? 0);
});
afterAll(() => pda.close());

const ENTRIES: CombinatorEntry[] = [
  { endpoint: 'a/one', filters: [{ field: 'odd', operator: { operator: 'in', value: true } }], mapping: { n: 'n' } },
  { endpoint: 'a/two' },
  { endpoint: 'a/none' },
];

it('matchesAmong returns the matching records of a subset in the order of creation', async () => {
  const subset = seqs.filter((_, index) => index % 3 === 0).toReversed();
  const matches = await pda.pda.queries.matchesAmong(ENTRIES, [...subset, 12_345]);
  const expected = seqs.filter((_, index) => index % 3 === 0 && (index >= 40 || index % 2 === 1));
  expect(matches.map(({ seq }) => seq)).toStrictEqual(expected);
  const records = JSON.parse(`[${matches.map(({ text }) => text).join(',')}]`) as { endpoint: string; data: unknown }[];
  expect(records[0]).toMatchObject({ endpoint: 'a/one', data: { n: 21 } });
  expect(records.at(-1)).toMatchObject({ endpoint: 'a/two', data: { odd: true } });
  expect(await pda.pda.queries.matchesAmong(ENTRIES, [])).toStrictEqual([]);
});

it('matchesAmong returns the same records with an index', async () => {
  const matchesWithoutIndex = await pda.pda.queries.matchesAmong(ENTRIES, seqs);
  await pda.call('POST', '/api/v2.6/combinator/indexed', { json: ENTRIES });
  await pda.pda.indexes.waitUntilIdle();
  expect(await pda.pda.queries.matchesAmong(ENTRIES, seqs)).toStrictEqual(matchesWithoutIndex);
});

it('sortSeqs sorts a subset by a field', async () => {
  const subset = seqs.slice(0, 10);
  const sortedSeqs = await pda.pda.queries.sortSeqs([{ endpoint: 'a/one' }], subset, 'n', 'descending');
  const valueAt = (seq: number): number => (seqs.indexOf(seq) * 7) % 60;
  expect(sortedSeqs).toStrictEqual(subset.toSorted((a, b) => valueAt(b) - valueAt(a)));
});
