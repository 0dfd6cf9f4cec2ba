import type { AccessLogFilter } from '../../api/sharing/access.ts';
import { useUrlQuery } from '../../../shared/form/use-url-query.ts';

/** What the address says about which entries are shown, and which one is open. Days are calendar days where the reader is. */
export interface Filter extends Omit<AccessLogFilter, 'from' | 'to'> {
  /** `2026-03-01`, itself included. */
  from?: string | undefined;
  to?: string | undefined;
}

export const FILTERS = ['application', 'debit', 'user', 'contract', 'record', 'outcome', 'from', 'to'] as const;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function startOf(day: string, later: number): string | undefined {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const moment = new Date(year, month - 1, date + later);
  return Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
}

/** What is no such value is left out, rather than asked for: an address can be typed. */
export function readFilter(query: URLSearchParams): Filter {
  const given = (name: string, fits: (value: string) => boolean = () => true) => {
    const value = query.get(name) ?? '';
    return value !== '' && fits(value) ? value : undefined;
  };
  const outcome = query.get('outcome');
  return {
    application: given('application'),
    debit: given('debit'),
    user: given('user', (value) => UUID.test(value)),
    contract: given('contract'),
    record: given('record', (value) => UUID.test(value)),
    outcome: outcome === 'allowed' || outcome === 'refused' ? outcome : undefined,
    from: given('from', (value) => DAY.test(value) && startOf(value, 0) !== undefined),
    to: given('to', (value) => DAY.test(value) && startOf(value, 1) !== undefined),
  };
}

/** The same as the PDA is asked. The last millisecond of the last day is the last that counts. */
export function selectionOf(filter: Filter): AccessLogFilter {
  const end = filter.to === undefined ? undefined : startOf(filter.to, 1);
  return {
    application: filter.application,
    debit: filter.debit,
    user: filter.user,
    contract: filter.contract,
    record: filter.record,
    outcome: filter.outcome,
    from: filter.from === undefined ? undefined : startOf(filter.from, 0),
    to: end === undefined ? undefined : new Date(Date.parse(end) - 1).toISOString(),
  };
}

export function isFiltered(filter: Filter): boolean {
  return FILTERS.some((name) => filter[name] !== undefined);
}

function writeFilter(filter: Filter, row: number | undefined): URLSearchParams {
  const written = new URLSearchParams();
  for (const name of FILTERS) {
    const value = filter[name];
    if (value !== undefined && value !== '') written.set(name, value);
  }
  if (row !== undefined) written.set('row', String(row));
  return written;
}

interface FilterInAddress {
  filter: Filter;
  /** Number of the entry that is open. */
  row: number | undefined;
  change: (change: Partial<Filter>) => void;
  clear: () => void;
  open: (row: number | undefined, options?: { replace?: boolean }) => void;
}

export function useFilter(): FilterInAddress {
  const [query, setQuery] = useUrlQuery();
  const filter = readFilter(query);
  const row = Number(query.get('row') ?? '');
  return {
    filter,
    row: Number.isSafeInteger(row) && row > 0 ? row : undefined,
    change: (change) =>
      setQuery((now) => writeFilter({ ...readFilter(now), ...change }, undefined), { preventScrollReset: true }),
    clear: () => setQuery(() => new URLSearchParams(), { preventScrollReset: true }),
    open: (opened, { replace = false } = {}) =>
      setQuery((now) => writeFilter(readFilter(now), opened), { replace, preventScrollReset: true }),
  };
}
