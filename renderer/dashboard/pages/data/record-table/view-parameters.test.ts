import { describe, expect, it } from 'vitest';
import type { TableFilter, TableSort } from '../../../../../server/wire/table.ts';
import {
  appendFiltersAndSorts,
  parseFilters,
  parseSorts,
  replaceFilter,
  toggleSort,
  toggleValue,
} from './view-parameters.ts';

const filters: TableFilter[] = [
  { is: 'range', field: 'steps', min: 5 },
  { is: 'lastDays', days: 7 },
  { is: 'days', field: 'at', from: '2026-03-01' },
  { is: 'oneOf', field: 'kind', values: ['a&b', 3, true] },
  { is: 'contains', field: 'a=b', text: '100 %' },
  { is: 'containsElement', field: 'tags', text: 'red' },
  { is: 'empty', field: 'x' },
];
const sorts: TableSort[] = [
  { field: 'kind', descending: false },
  { field: '-steps', descending: true },
];

describe('filters and sort orders in the URL', () => {
  it('survive a round trip', () => {
    const query = new URLSearchParams();
    appendFiltersAndSorts({ filters, sorts, oldestFirst: false }, query);
    const restoredQuery = new URLSearchParams(query.toString());
    expect([parseFilters(restoredQuery), parseSorts(restoredQuery)]).toEqual([filters, sorts]);
  });

  it('are omitted if empty, except for the oldest-first order', () => {
    const query = new URLSearchParams();
    appendFiltersAndSorts({ filters: [], sorts: [], oldestFirst: false }, query);
    expect(query.toString()).toBe('');
    appendFiltersAndSorts({ filters: [], sorts: [], oldestFirst: true }, query);
    expect(query.toString()).toBe('dir=up');
  });

  it.each([
    '{',
    '5',
    'null',
    '[{"is":"range"}]',
    '[{"is":"near","field":"x"}]',
    '[{"is":"oneOf","field":"x","values":[null]}]',
    '[{"is":"filled","field":""}]',
    '[{"is":"lastDays","field":"","days":7}]',
  ])('are ignored if they are invalid: %s', (text) => {
    expect(parseFilters(new URLSearchParams({ filters: text }))).toEqual([]);
  });
});

describe('replaceFilter', () => {
  const newFilter: TableFilter = { is: 'range', field: 'steps', min: 7 };
  const query = new URLSearchParams();
  appendFiltersAndSorts({ filters, sorts: [], oldestFirst: false }, query);

  it('replaces the edited filter even after the URL was parsed again', () => {
    const [editedFilter = newFilter] = parseFilters(query);
    expect(replaceFilter(parseFilters(query), editedFilter, newFilter)).toEqual([newFilter, ...filters.slice(1)]);
  });

  it('appends the filter if the edited one no longer exists', () => {
    expect(replaceFilter(filters.slice(1), { is: 'range', field: 'steps', min: 5 }, newFilter)).toEqual([
      ...filters.slice(1),
      newFilter,
    ]);
  });
});

describe('toggleSort', () => {
  const max = 3;
  it('sorts by one column, then reverses the direction', () => {
    expect(toggleSort(sorts, 'kind', { isAdditional: false, max })).toEqual([{ field: 'kind', descending: false }]);
    const ascending = [{ field: 'kind', descending: false }];
    expect(toggleSort(ascending, 'kind', { isAdditional: false, max })).toEqual([{ field: 'kind', descending: true }]);
  });

  it('adds, reverses and, at the maximum, replaces additional orders', () => {
    expect(toggleSort(sorts, 'n', { isAdditional: true, max })).toEqual([...sorts, { field: 'n', descending: false }]);
    expect(toggleSort(sorts, '-steps', { isAdditional: true, max })).toEqual([
      sorts[0],
      { field: '-steps', descending: false },
    ]);
    expect(toggleSort(sorts, 'n', { isAdditional: true, max: 2 })).toEqual([
      sorts[0],
      { field: 'n', descending: false },
    ]);
  });
});

describe('toggleValue', () => {
  it('adds a value to its field’s filter, removes it, and drops an empty filter', () => {
    const oneValue = toggleValue([], 'kind', 'a');
    expect(oneValue).toEqual([{ is: 'oneOf', field: 'kind', values: ['a'] }]);
    const twoValues = toggleValue(oneValue, 'kind', 'b');
    expect(twoValues).toEqual([{ is: 'oneOf', field: 'kind', values: ['a', 'b'] }]);
    expect(toggleValue(twoValues, 'kind', 'a')).toEqual([{ is: 'oneOf', field: 'kind', values: ['b'] }]);
    expect(toggleValue(oneValue, 'kind', 'a')).toEqual([]);
  });
});
