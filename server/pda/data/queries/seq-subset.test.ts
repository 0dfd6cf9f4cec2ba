import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordsOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import type { CombinatorEntry } from '../../../wire/query.ts';
import { placeOf } from '../../core/sequence.ts';

let pda: TestPda;
/** Places, in order of creation. */
let places: number[];

beforeAll(async () => {
  pda = await startTestPda();
  const json = Array.from({ length: 60 }, (_, n) => ({ n: (n * 7) % 60, odd: n % 2 === 1 }));
  const some = recordsOf(await pda.call('POST', '/api/v2.6/data/a/one', { json: json.slice(0, 40) }));
  const more = recordsOf(await pda.call('POST', '/api/v2.6/data/a/two', { json: json.slice(40) }));
  places = [...some, ...more].map(({ recordId }) => placeOf(recordId) ?? 0);
});
afterAll(() => pda.close());

const BOTH: CombinatorEntry[] = [
  { endpoint: 'a/one', filters: [{ field: 'odd', operator: { operator: 'in', value: true } }], mapping: { n: 'n' } },
  { endpoint: 'a/two' },
  { endpoint: 'a/none' },
];

it('of some places those that match are found, in order of creation, and nothing beside them', async () => {
  const asked = places.filter((_, at) => at % 3 === 0).toReversed();
  const found = await pda.pda.queries.matchesAt(BOTH, [...asked, 12_345]);
  const expected = places.filter((_, at) => at % 3 === 0 && (at >= 40 || at % 2 === 1));
  expect(found.map(({ seq }) => seq)).toStrictEqual(expected);
  const all = JSON.parse(`[${found.map(({ text }) => text).join(',')}]`) as { endpoint: string; data: unknown }[];
  expect(all[0]).toMatchObject({ endpoint: 'a/one', data: { n: 21 } });
  expect(all.at(-1)).toMatchObject({ endpoint: 'a/two', data: { odd: true } });
  expect(await pda.pda.queries.matchesAt(BOTH, [])).toStrictEqual([]);
});

it('the same when an index stands ready for the filter', async () => {
  const before = await pda.pda.queries.matchesAt(BOTH, places);
  await pda.call('POST', '/api/v2.6/combinator/indexed', { json: BOTH });
  await pda.pda.indexes.settled();
  expect(await pda.pda.queries.matchesAt(BOTH, places)).toStrictEqual(before);
});

it('some places are put into the order of a field', async () => {
  const some = places.slice(0, 10);
  const inOrder = await pda.pda.queries.placesInOrder([{ endpoint: 'a/one' }], some, 'n', 'descending');
  const valueAt = (place: number): number => (places.indexOf(place) * 7) % 60;
  expect(inOrder).toStrictEqual(some.toSorted((a, b) => valueAt(b) - valueAt(a)));
});
