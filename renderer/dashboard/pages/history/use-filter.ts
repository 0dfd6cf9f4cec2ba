import { ACTS } from '../../../../server/wire/access-kinds.ts';
import type { AccessLogFilter } from '../../api/sharing/access.ts';
import { useUrlQuery } from '../../../shared/form/use-url-query.ts';
import { localDate } from '../../../shared/format/local-date.ts';

/** Filter of the access history, stored in the URL. Days are local calendar days. */
export interface Filter extends Omit<AccessLogFilter, 'from' | 'to'> {
  /** First day such as `2026-03-01`. */
  from?: string | undefined;
  /** Last day, inclusive. */
  to?: string | undefined;
}

export const FILTERS = [
  'search',
  'who',
  'application',
  'debit',
  'user',
  'contract',
  'function',
  'link',
  'act',
  'endpoint',
  'record',
  'outcome',
  'from',
  'to',
] as const;

/** Kinds of readers without a name. Other kinds have filters of their own, except `offer` and `pda`. */
const WHO_VALUES = ['owner', 'visitor', 'exchange'] as const;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Returns the start of the day `daysLater` days after `day`, in ISO 8601; undefined if `day` does not exist. */
function startOfDay(day: string, daysLater: number): string | undefined {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  if (localDate(new Date(year, month - 1, date)) !== day) return undefined;
  return new Date(year, month - 1, date + daysLater).toISOString();
}

/** Reads the filter from the URL. Ignores invalid values. */
export function parseFilter(query: URLSearchParams): Filter {
  const validValue = (name: string, isValid: (value: string) => boolean = () => true) => {
    const value = query.get(name) ?? '';
    return value !== '' && isValid(value) ? value : undefined;
  };
  const outcome = query.get('outcome');
  return {
    search: validValue('search'),
    who: WHO_VALUES.find((who) => who === query.get('who')),
    function: validValue('function'),
    act: ACTS.find((act) => act === query.get('act')),
    endpoint: validValue('endpoint'),
    application: validValue('application'),
    debit: validValue('debit'),
    user: validValue('user', (value) => UUID.test(value)),
    contract: validValue('contract'),
    link: validValue('link', (value) => UUID.test(value)),
    record: validValue('record', (value) => UUID.test(value)),
    outcome: outcome === 'allowed' || outcome === 'refused' ? outcome : undefined,
    from: validValue('from', (value) => DAY.test(value) && startOfDay(value, 0) !== undefined),
    to: validValue('to', (value) => DAY.test(value) && startOfDay(value, 1) !== undefined),
  };
}

export function selectionOf(filter: Filter): AccessLogFilter {
  const end = filter.to === undefined ? undefined : startOfDay(filter.to, 1);
  return {
    ...filter,
    from: filter.from === undefined ? undefined : startOfDay(filter.from, 0),
    to: end === undefined ? undefined : new Date(Date.parse(end) - 1).toISOString(),
  };
}

export const activeFilters = (filter: Filter) =>
  FILTERS.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [[name, value] as const];
  });

export function isFiltered(filter: Filter): boolean {
  return activeFilters(filter).length > 0;
}

/** Returns the URL parameters of a filter and an open entry. Keeps the display mode of the chart from `current`. */
export function historyUrlParameters(
  current: URLSearchParams,
  filter: Filter,
  entryId: number | undefined,
): URLSearchParams {
  const query = new URLSearchParams();
  const chart = current.get('chart');
  if (chart !== null) query.set('chart', chart);
  for (const [name, value] of activeFilters(filter)) if (value !== '') query.set(name, value);
  if (entryId !== undefined) query.set('row', String(entryId));
  return query;
}

interface UrlFilter {
  filter: Filter;
  /** Id of the open entry. */
  entryId: number | undefined;
  change: (change: Partial<Filter>) => void;
  clear: () => void;
  open: (entryId: number | undefined, options?: { replace?: boolean }) => void;
}

export function useFilter(): UrlFilter {
  const [query, setQuery] = useUrlQuery();
  const filter = parseFilter(query);
  const openId = Number(query.get('row') ?? '');
  return {
    filter,
    entryId: Number.isSafeInteger(openId) && openId > 0 ? openId : undefined,
    change: (change) =>
      setQuery((current) => historyUrlParameters(current, { ...parseFilter(current), ...change }, undefined), {
        preventScrollReset: true,
      }),
    clear: () => setQuery(() => new URLSearchParams(), { preventScrollReset: true }),
    open: (entryId, { replace = false } = {}) =>
      setQuery((current) => historyUrlParameters(current, parseFilter(current), entryId), {
        replace,
        preventScrollReset: true,
      }),
  };
}
