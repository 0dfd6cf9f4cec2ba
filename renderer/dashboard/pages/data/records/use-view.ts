import { useUrlQuery } from '../../../../shared/form/use-url-query.ts';

/** What the address says about the view of an endpoint. Whatever is not said is the usual: a table, newest first. */
export interface View {
  search: string;
  orderBy: string;
  descending: boolean;
  json: boolean;
  /** Position of the first record in view, from 0. */
  at: number;
  record: string | null;
}

type Change = Partial<View>;

export function useView(): [View, (change: Change, options?: { replace?: boolean }) => void] {
  const [query, setQuery] = useUrlQuery();
  const change = (wanted: Change, options: { replace?: boolean } = {}) =>
    setQuery(
      (now) => {
        const written = writeView({ ...readView(now), ...wanted });
        if (now.has('add')) written.set('add', '1');
        return written;
      },
      { replace: options.replace ?? false, preventScrollReset: true },
    );
  return [readView(query), change];
}

function readView(query: URLSearchParams): View {
  const orderBy = query.get('by') ?? '';
  const direction = query.get('dir');
  const at = Number(query.get('at') ?? '1');
  return {
    search: query.get('search') ?? '',
    orderBy,
    descending: direction === null ? orderBy === '' : direction === 'down',
    json: query.get('view') === 'json',
    at: Number.isSafeInteger(at) && at > 1 ? at - 1 : 0,
    record: query.get('record'),
  };
}

function writeView(view: View): URLSearchParams {
  const written = new URLSearchParams();
  const usual = view.orderBy === '';
  if (view.search !== '') written.set('search', view.search);
  if (view.orderBy !== '') written.set('by', view.orderBy);
  if (view.descending !== usual) written.set('dir', view.descending ? 'down' : 'up');
  if (view.json) written.set('view', 'json');
  if (view.at > 0) written.set('at', String(view.at + 1));
  if (view.record !== null) written.set('record', view.record);
  return written;
}
