import { useSearchParams } from 'react-router';

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
  const [query, setQuery] = useSearchParams();
  const orderBy = query.get('by') ?? '';
  const direction = query.get('dir');
  const at = Number(query.get('at') ?? '1');
  const view: View = {
    search: query.get('search') ?? '',
    orderBy,
    descending: direction === null ? orderBy === '' : direction === 'down',
    json: query.get('view') === 'json',
    at: Number.isSafeInteger(at) && at > 1 ? at - 1 : 0,
    record: query.get('record'),
  };
  const change = (wanted: Change, options: { replace?: boolean } = {}) => {
    const next = { ...view, ...wanted };
    const usual = next.orderBy === '';
    const written = new URLSearchParams();
    if (next.search !== '') written.set('search', next.search);
    if (next.orderBy !== '') written.set('by', next.orderBy);
    if (next.descending !== usual) written.set('dir', next.descending ? 'down' : 'up');
    if (next.json) written.set('view', 'json');
    if (next.at > 0) written.set('at', String(next.at + 1));
    if (next.record !== null) written.set('record', next.record);
    if (query.has('add')) written.set('add', '1');
    setQuery(written, { replace: options.replace ?? false, preventScrollReset: true });
  };
  return [view, change];
}
