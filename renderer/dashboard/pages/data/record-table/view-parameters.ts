import type { TableFilter, TableSort, TableValue } from '../../../../../server/wire/table.ts';
import { isObject } from '../../../../../server/wire/values.ts';

const isUndefinedOr = (value: unknown, type: 'string' | 'number'): boolean =>
  value === undefined || typeof value === type;

const isTableValue = (value: unknown): value is TableValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** The server checks the filter's limits. */
function isTableFilter(value: unknown): value is TableFilter {
  if (!isObject(value)) return false;
  const { is, field, min, max, from, to, days, text, values } = value;
  // The empty path is the whole record, which cannot be filtered.
  if (field === '') return false;
  if (is === 'days')
    return isUndefinedOr(field, 'string') && isUndefinedOr(from, 'string') && isUndefinedOr(to, 'string');
  if (is === 'lastDays') return isUndefinedOr(field, 'string') && typeof days === 'number';
  if (typeof field !== 'string') return false;
  switch (is) {
    case 'range':
      return isUndefinedOr(min, 'number') && isUndefinedOr(max, 'number');
    case 'contains':
    case 'containsElement':
      return typeof text === 'string';
    case 'oneOf':
      return Array.isArray(values) && values.every(isTableValue);
    default:
      return is === 'empty' || is === 'filled';
  }
}

/** Ignores invalid filters. */
export function parseFilters(query: URLSearchParams): TableFilter[] {
  try {
    const parsed: unknown = JSON.parse(query.get('filters') ?? '[]');
    return Array.isArray(parsed) ? parsed.filter(isTableFilter) : [];
  } catch {
    return [];
  }
}

/** Parses pairs of `by` and `dir`. */
export function parseSorts(query: URLSearchParams): TableSort[] {
  const directions = query.getAll('dir');
  return query
    .getAll('by')
    .map((field, index) => ({ field, descending: directions[index] === 'down' }))
    .filter(({ field }) => field !== '');
}

export function appendFiltersAndSorts(
  {
    filters,
    sorts,
    oldestFirst,
  }: { filters: readonly TableFilter[]; sorts: readonly TableSort[]; oldestFirst: boolean },
  query: URLSearchParams,
): void {
  if (filters.length > 0) query.set('filters', JSON.stringify(filters));
  for (const { field, descending } of sorts) {
    query.append('by', field);
    query.append('dir', descending ? 'down' : 'up');
  }
  if (sorts.length === 0 && oldestFirst) query.set('dir', 'up');
}

/**
 * Sorts by the column only, or reverses the direction if the table is sorted by this column only. If `isAdditional`,
 * keeps the other sort orders and adds one for the column, or reverses the column's existing sort order. If there are
 * `max` sort orders, the added one replaces the last.
 */
export function toggleSort(
  sorts: readonly TableSort[],
  field: string,
  { isAdditional, max }: { isAdditional: boolean; max: number },
): TableSort[] {
  const existing = sorts.find((sort) => sort.field === field);
  if (!isAdditional)
    return [{ field, descending: existing !== undefined && sorts.length === 1 ? !existing.descending : false }];
  if (existing !== undefined)
    return sorts.map((sort) => (sort === existing ? { ...sort, descending: !sort.descending } : sort));
  return [...sorts.slice(0, max - 1), { field, descending: false }];
}

/**
 * Replaces a filter, or appends the new one if the old one no longer exists. Compares filters by content, because each
 * parse of the URL creates new objects.
 */
export function replaceFilter(
  filters: readonly TableFilter[],
  oldFilter: TableFilter,
  newFilter: TableFilter,
): TableFilter[] {
  const content = JSON.stringify(oldFilter);
  const index = filters.findIndex((filter) => JSON.stringify(filter) === content);
  return index === -1 ? [...filters, newFilter] : filters.with(index, newFilter);
}

export function toggleValue(filters: readonly TableFilter[], field: string, value: TableValue): TableFilter[] {
  const existing = filters.find((filter) => filter.is === 'oneOf' && filter.field === field);
  if (existing?.is !== 'oneOf') return [...filters, { is: 'oneOf', field, values: [value] }];
  const values = existing.values.includes(value)
    ? existing.values.filter((other) => other !== value)
    : [...existing.values, value];
  return filters.flatMap((filter) => {
    if (filter !== existing) return filter;
    return values.length === 0 ? [] : { ...existing, values };
  });
}
