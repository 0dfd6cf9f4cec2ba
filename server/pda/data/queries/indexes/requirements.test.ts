import { describe, expect, it } from 'vitest';
import { ENDPOINT_MAX_INDEXES } from '../../../../wire/work-limits.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { Endpoints } from '../../records/service.ts';
import type { BundleSources } from '../bundle-sources.ts';
import { queryIndex } from '../sql/index-definitions.ts';
import type { QueryStore } from '../store.ts';
import type { RequiredIndex } from './manager.ts';
import { collectRequiredIndexes } from './requirements.ts';

/** Paths end with the id of their endpoint. */
const PATHS = ['a/1', 'a/2'];

/** Returns a combinator with one filter on each of these fields of an endpoint. */
const combinator = (endpoint: string, names: readonly string[]) => ({
  definition: JSON.stringify([
    { endpoint, filters: names.map((field) => ({ field, operator: { operator: 'between', lower: 1, upper: 2 } })) },
  ]),
});
const fields = (count: number, from = 0): string[] => Array.from({ length: count }, (_, n) => `f${from + n}`);

const collect = (
  combinators: readonly { definition: string }[],
  { existing = [], tableIndexes = [] }: { existing?: readonly string[]; tableIndexes?: readonly RequiredIndex[] } = {},
): Promise<RequiredIndex[]> =>
  collectRequiredIndexes({
    store: {
      combinators: { list: () => combinators },
      bundles: { list: () => [] },
      indexes: () => existing.map((name) => ({ name })),
    } as unknown as QueryStore,
    endpoints: { intern: (_: Transaction, path: string) => Number(path.slice(2)) } as unknown as Endpoints,
    writer: {
      write: (job: (tx: Transaction) => unknown) => Promise.resolve(job({} as Transaction)),
    } as unknown as Writer,
    sources: { bundles: () => [] } as unknown as BundleSources,
    tableIndexes: () => tableIndexes,
  });
const namesOf = (indexes: readonly RequiredIndex[]): string[] => indexes.map(({ name }) => name);
const countAt = (indexes: readonly RequiredIndex[], path: string): number =>
  indexes.filter((index) => index.path === path).length;

describe('the required indexes', () => {
  it('are limited for each endpoint', async () => {
    const combinators = [combinator('a/1', fields(ENDPOINT_MAX_INDEXES + 5)), combinator('a/2', fields(3))];
    const required = await collect(combinators);
    expect(PATHS.map((path) => countAt(required, path))).toEqual([ENDPOINT_MAX_INDEXES, 3]);
  });

  it('of an endpoint are existing ones, then those of combinators, then those of the table', async () => {
    const all = await collect([combinator('a/1', fields(ENDPOINT_MAX_INDEXES))]);
    const existing = namesOf(await collect([combinator('a/1', fields(2, 100))]));
    const tableIndex = { ...queryIndex(1, ['data']), path: 'a/1' };
    const combinators = [combinator('a/1', fields(ENDPOINT_MAX_INDEXES)), combinator('a/1', fields(2, 100))];
    const required = await collect(combinators, { existing, tableIndexes: [tableIndex] });
    expect(namesOf(required)).toEqual([...existing, ...namesOf(all).slice(0, -2)]);
  });

  it('are limited for all endpoints together', async () => {
    const paths = Array.from({ length: 9 }, (_, n) => `a/${n + 1}`);
    const required = await collect(paths.map((path) => combinator(path, fields(ENDPOINT_MAX_INDEXES))));
    expect(required).toHaveLength(100);
  });
});
