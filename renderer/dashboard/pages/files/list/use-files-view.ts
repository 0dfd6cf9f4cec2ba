import type { FileKind } from '../../../../shared/api/contract.ts';
import { FILE_SORTS, type FileSelection } from '../../../api/files/selection.ts';
import { useUrlQuery } from '../../../../shared/form/use-url-query.ts';

/** What the address says about which files are shown, how, and which one is open. What is not said is the usual. */
export interface FilesView extends FileSelection {
  tiles: boolean;
  /** Position of the first file in view, from 0. */
  at: number;
  file: string | null;
}

export const KINDS: readonly FileKind[] = ['image', 'video', 'audio', 'document', 'text', 'archive', 'other'];

export function readView(query: URLSearchParams): FilesView {
  const sort = FILE_SORTS.find((one) => one === query.get('sort')) ?? 'added';
  const show = query.get('show');
  const order = query.get('order');
  const at = Number(query.get('at') ?? '1');
  return {
    search: query.get('search') ?? '',
    source: query.get('source') ?? '',
    tag: query.get('tag') ?? '',
    kind: KINDS.find((one) => one === query.get('kind')),
    show: show === 'shared' || show === 'public' ? show : 'here',
    sort,
    order: order === 'ascending' || order === 'descending' ? order : usualOrder(sort),
    tiles: query.get('view') === 'pictures',
    at: Number.isSafeInteger(at) && at > 1 ? at - 1 : 0,
    file: query.get('file'),
  };
}

/** Names from A on; everything else with the newest or the largest first. */
export function usualOrder(sort: FileSelection['sort']): FileSelection['order'] {
  return sort === 'name' ? 'ascending' : 'descending';
}

export function writeView(view: FilesView): URLSearchParams {
  const written = new URLSearchParams();
  for (const name of ['search', 'source', 'tag'] as const) if (view[name] !== '') written.set(name, view[name]);
  if (view.kind !== undefined) written.set('kind', view.kind);
  if (view.show !== 'here') written.set('show', view.show);
  if (view.sort !== 'added') written.set('sort', view.sort);
  if (view.order !== usualOrder(view.sort)) written.set('order', view.order);
  if (view.tiles) written.set('view', 'pictures');
  if (view.at > 0) written.set('at', String(view.at + 1));
  if (view.file !== null) written.set('file', view.file);
  return written;
}

export function isNarrowed({ search, source, tag, kind, show }: FileSelection): boolean {
  return search !== '' || source !== '' || tag !== '' || kind !== undefined || show !== 'here';
}

export type ChangeView = (change: Partial<FilesView>, options?: { replace?: boolean }) => void;

export function useFilesView(): [FilesView, ChangeView] {
  const [query, setQuery] = useUrlQuery();
  const change: ChangeView = (wanted, { replace = false } = {}) =>
    setQuery((now) => writeView({ ...readView(now), ...wanted }), { replace, preventScrollReset: true });
  return [readView(query), change];
}
