import { describe, expect, it } from 'vitest';
import { ENDPOINT_MAX_INDEXES } from '../../../../wire/work-limits.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { Endpoints } from '../../records/service.ts';
import type { BundleSources } from '../bundle-sources.ts';
import { defineQueryIndex } from '../sql/index-definitions.ts';
import type { QueryStore } from '../store.ts';
import type { RequiredIndex } from './manager.ts';
import { collectRequiredIndexes } from './requirements.ts';

/** The number in a path is the id of its endpoint. */
const PATHS = ['a/1', 'a/2'];

const combinator = (endpoint: string, names: readonly string[]) => ({
  definition: JSON.stringify([
    { endpoint, filters: names.map((field) => ({ field, operator: { operator: 'between', lower: 1, upper: 2 } })) },
  ]),
});
const FIND = {
  field: 'text',
  transformation: { transformation: 'searchable' },
  operator: { operator: 'find', search: 'lunch' },
};
const fields = (count: number, from = 0): string[] => Array.from({ length: count }, (_, n) => `f${from + n}`);

const collect = (
  combinators: readonly { definition: string }[],
  {
    existing = [],
    unready = [],
    tableIndexes = [],
  }: { existing?: readonly string[]; unready?: readonly string[]; tableIndexes?: readonly RequiredIndex[] } = {},
): Promise<RequiredIndex[]> =>
  collectRequiredIndexes({
    store: {
      combinators: { list: () => combinators },
      bundles: { list: () => [] },
      indexes: () => [...existing.map((name) => ({ name, ready: 1 })), ...unready.map((name) => ({ name, ready: 0 }))],
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
    const requiredIndexes = await collect(combinators);
    expect(PATHS.map((path) => countAt(requiredIndexes, path))).toEqual([ENDPOINT_MAX_INDEXES, 3]);
  });

  it('are divided among the queries, and existing ones have priority in each round', async () => {
    const largeCombinator = combinator('a/1', fields(ENDPOINT_MAX_INDEXES));
    const smallCombinator = combinator('a/1', fields(2, 100));
    const [largeNames, smallNames] = [
      namesOf(await collect([largeCombinator])),
      namesOf(await collect([smallCombinator])),
    ];
    const dividedNames = [largeNames[0], smallNames[0], largeNames[1], smallNames[1], ...largeNames.slice(2, -2)];
    expect(namesOf(await collect([largeCombinator, smallCombinator]))).toEqual(dividedNames);
    expect(namesOf(await collect([largeCombinator, smallCombinator], { existing: largeNames }))).toEqual(dividedNames);
    const namesWithSmallFirst = [smallNames[0], largeNames[0], ...dividedNames.slice(2)];
    expect(namesOf(await collect([largeCombinator, smallCombinator], { existing: smallNames.slice(0, 1) }))).toEqual(
      namesWithSmallFirst,
    );
    expect(namesOf(await collect([largeCombinator, smallCombinator], { unready: smallNames.slice(0, 1) }))).toEqual(
      dividedNames,
    );
  });

  it('begin with a text index, even if others already exist', async () => {
    const otherQueries = Array.from({ length: ENDPOINT_MAX_INDEXES }, (_, n) => combinator('a/1', fields(50, 50 * n)));
    const existingNames = namesOf(await collect(otherQueries));
    const search = { definition: JSON.stringify([{ endpoint: 'a/1', filters: [FIND] }]) };
    const [textName] = namesOf(await collect([search]));
    const requiredIndexes = await collect([...otherQueries, search], { existing: existingNames });
    expect(namesOf(requiredIndexes)).toEqual([textName, ...existingNames.slice(0, -1)]);
  });

  it('include those of queries before those of the table, even if the latter exist', async () => {
    const tableIndexes = [1, 2].map((n) => ({ ...defineQueryIndex(1, [`data ->> '$.t${n}'`]), path: 'a/1' }));
    const tableNames = namesOf(tableIndexes);
    const queries = combinator('a/1', fields(ENDPOINT_MAX_INDEXES - 1));
    const queryNames = namesOf(await collect([queries]));
    for (const existing of [tableNames, tableNames.slice(1)]) {
      const requiredIndexes = await collect([queries], { existing, tableIndexes });
      expect(namesOf(requiredIndexes)).toEqual([...queryNames, existing[0]]);
    }
  });

  it('are limited for all endpoints together', async () => {
    const paths = Array.from({ length: 9 }, (_, n) => `a/${n + 1}`);
    const requiredIndexes = await collect(paths.map((path) => combinator(path, fields(ENDPOINT_MAX_INDEXES))));
    expect(requiredIndexes).toHaveLength(100);
  });
});
