import { useUrlQuery } from '../../../../shared/form/use-url-query.ts';
import type { TableFilter, TableSort } from '../../../../../server/wire/table.ts';
import { type ColumnChoice, parseColumns, appendColumns } from '../record-table/column-choices.ts';
import { appendFiltersAndSorts, parseFilters, parseSorts } from '../record-table/view-parameters.ts';
import { CHART_PARAMETERS } from '../charts/chart-parameters.ts';

export type RecordsMode = 'table' | 'json' | 'chart';

/** View of an endpoint, stored in the URL. Missing parameters mean the default: a table, newest first. */
export interface RecordsView {
  search: string;
  filters: readonly TableFilter[];
  /** Empty for creation order. */
  sorts: readonly TableSort[];
  oldestFirst: boolean;
  /** Empty for the automatic columns. */
  columns: readonly ColumnChoice[];
  showsFacets: boolean;
  mode: RecordsMode;
  /** Position of the first record in view, from 0. */
  at: number;
  /** Id of the open record. */
  record: string | null;
}

/** Changed properties, or a function that derives them from the view in the URL, which the page may not show yet. */
export type ViewChange = Partial<RecordsView> | ((current: RecordsView) => Partial<RecordsView>);

export function useRecordsView(): [RecordsView, (change: ViewChange, options?: { replace?: boolean }) => void] {
  const [query, setQuery] = useUrlQuery();
  const change = (changes: ViewChange, options: { replace?: boolean } = {}) =>
    setQuery(
      (current) => {
        const view = parseView(current);
        const next = toUrlParameters({ ...view, ...(typeof changes === 'function' ? changes(view) : changes) });
        if (current.has('add')) next.set('add', '1');
        if (next.get('view') === 'chart') {
          for (const name of CHART_PARAMETERS) {
            const value = current.get(name);
            if (value !== null) next.set(name, value);
          }
        }
        return next;
      },
      { replace: options.replace ?? false, preventScrollReset: true },
    );
  return [parseView(query), change];
}

function parseView(query: URLSearchParams): RecordsView {
  const sorts = parseSorts(query);
  const ordinal = Number(query.get('at') ?? '1');
  const mode = query.get('view');
  return {
    search: query.get('search') ?? '',
    filters: parseFilters(query),
    sorts,
    oldestFirst: sorts.length === 0 && query.get('dir') === 'up',
    columns: parseColumns(query),
    showsFacets: query.get('facets') === '1',
    mode: mode === 'json' || mode === 'chart' ? mode : 'table',
    at: Number.isSafeInteger(ordinal) && ordinal > 1 ? ordinal - 1 : 0,
    record: query.get('record'),
  };
}

function toUrlParameters(view: RecordsView): URLSearchParams {
  const query = new URLSearchParams();
  if (view.search !== '') query.set('search', view.search);
  appendFiltersAndSorts(view, query);
  appendColumns(view.columns, query);
  if (view.showsFacets) query.set('facets', '1');
  if (view.mode !== 'table') query.set('view', view.mode);
  if (view.at > 0) query.set('at', String(view.at + 1));
  if (view.record !== null) query.set('record', view.record);
  return query;
}

/** Returns the URL parameters that a saved view stores: all except the position, the open record and the facets. */
export function viewParametersOf(view: RecordsView): string {
  return toUrlParameters({ ...view, at: 0, record: null, showsFacets: false }).toString();
}

export function viewOf(parameters: string): RecordsView {
  return parseView(new URLSearchParams(parameters));
}
