import { useUrlQuery } from '../../../../shared/form/use-url-query.ts';
import { CHART_PARAMETERS } from '../charts/chart-parameters.ts';

/** How the records of an endpoint are shown. */
export type RecordsMode = 'table' | 'json' | 'chart';

/** View of an endpoint, stored in the URL. Missing parameters mean the default: a table, newest first. */
export interface RecordsView {
  search: string;
  orderBy: string;
  descending: boolean;
  mode: RecordsMode;
  /** Position of the first record in view, from 0. */
  at: number;
  /** Id of the open record. */
  record: string | null;
}

type ViewChange = Partial<RecordsView>;

/** Returns the view in the URL and a function that changes it. */
export function useRecordsView(): [RecordsView, (change: ViewChange, options?: { replace?: boolean }) => void] {
  const [query, setQuery] = useUrlQuery();
  const change = (changes: ViewChange, options: { replace?: boolean } = {}) =>
    setQuery(
      (current) => {
        const next = writeView({ ...readView(current), ...changes });
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
  return [readView(query), change];
}

function readView(query: URLSearchParams): RecordsView {
  const orderBy = query.get('by') ?? '';
  const direction = query.get('dir');
  const at = Number(query.get('at') ?? '1');
  const mode = query.get('view');
  return {
    search: query.get('search') ?? '',
    orderBy,
    descending: direction === null ? orderBy === '' : direction === 'down',
    mode: mode === 'json' || mode === 'chart' ? mode : 'table',
    at: Number.isSafeInteger(at) && at > 1 ? at - 1 : 0,
    record: query.get('record'),
  };
}

function writeView(view: RecordsView): URLSearchParams {
  const query = new URLSearchParams();
  const defaultDescending = view.orderBy === '';
  if (view.search !== '') query.set('search', view.search);
  if (view.orderBy !== '') query.set('by', view.orderBy);
  if (view.descending !== defaultDescending) query.set('dir', view.descending ? 'down' : 'up');
  if (view.mode !== 'table') query.set('view', view.mode);
  if (view.at > 0) query.set('at', String(view.at + 1));
  if (view.record !== null) query.set('record', view.record);
  return query;
}
