import type { FileKind } from '../../../../shared/api/contract.ts';
import { FILE_SORTS, type FileSelection } from '../../../api/files/selection.ts';
import { useUrlQuery } from '../../../../shared/form/use-url-query.ts';

/** `gallery`: pictures by month; `map`: pictures by place. In both, `kind` and `sort` are fixed. */
type FileViewLayout = 'list' | 'grid' | 'gallery' | 'map';

const LAYOUTS: ReadonlyMap<string | null, FileViewLayout> = new Map([
  ['pictures', 'grid'],
  ['gallery', 'gallery'],
  ['map', 'map'],
]);

export const showsOnlyPictures = (layout: FileViewLayout): boolean => layout === 'gallery' || layout === 'map';

/** View of the files, stored in the URL. Missing parameters mean the defaults. */
export interface FilesView extends FileSelection {
  layout: FileViewLayout;
  /** Position of the first file in view, from 0. */
  position: number;
  /** Id of the file with open details. */
  file: string | null;
  /** Id of the full-screen picture. */
  picture: string | null;
}

export const FILE_KINDS: readonly FileKind[] = ['image', 'video', 'audio', 'document', 'text', 'archive', 'other'];

/** Reads the view from the URL. Replaces invalid values with the defaults. */
export function parseView(query: URLSearchParams): FilesView {
  const layout = LAYOUTS.get(query.get('view')) ?? 'list';
  const hasOnlyPictures = showsOnlyPictures(layout);
  const sort = hasOnlyPictures ? 'taken' : (FILE_SORTS.find((name) => name === query.get('sort')) ?? 'added');
  const show = query.get('show');
  const order = query.get('order');
  const ordinal = Number(query.get('at') ?? '1');
  return {
    search: query.get('search') ?? '',
    source: query.get('source') ?? '',
    tag: query.get('tag') ?? '',
    kind: hasOnlyPictures ? 'image' : FILE_KINDS.find((kind) => kind === query.get('kind')),
    show: show === 'shared' || show === 'public' ? show : 'completed',
    folder: query.get('folder') ?? '',
    collection: query.get('collection') ?? undefined,
    visibleTo: query.get('visibleTo') ?? undefined,
    sort,
    order: order === 'ascending' || order === 'descending' ? order : defaultOrder(sort),
    layout,
    position: Number.isSafeInteger(ordinal) && ordinal > 1 ? ordinal - 1 : 0,
    file: query.get('file'),
    picture: hasOnlyPictures ? query.get('picture') : null,
  };
}

export function defaultOrder(sort: FileSelection['sort']): FileSelection['order'] {
  return sort === 'name' ? 'ascending' : 'descending';
}

export function toUrlParameters(view: FilesView): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of ['search', 'source', 'tag', 'folder'] as const) if (view[name] !== '') query.set(name, view[name]);
  const hasOnlyPictures = showsOnlyPictures(view.layout);
  if (view.kind !== undefined && !hasOnlyPictures) query.set('kind', view.kind);
  if (view.collection !== undefined) query.set('collection', view.collection);
  if (view.visibleTo !== undefined) query.set('visibleTo', view.visibleTo);
  if (view.show !== 'completed') query.set('show', view.show);
  if (view.sort !== 'added' && !hasOnlyPictures) query.set('sort', view.sort);
  if (view.order !== defaultOrder(view.sort)) query.set('order', view.order);
  if (view.layout !== 'list') query.set('view', view.layout === 'grid' ? 'pictures' : view.layout);
  if (view.position > 0) query.set('at', String(view.position + 1));
  if (view.file !== null) query.set('file', view.file);
  if (view.picture !== null) query.set('picture', view.picture);
  return query;
}

export function hasFilters({ search, source, tag, kind, show, folder, collection, visibleTo }: FileSelection): boolean {
  const texts = [search, source, tag, folder, kind ?? '', collection ?? '', visibleTo ?? ''];
  return show !== 'completed' || texts.some((text) => text !== '');
}

/** Returns the changes that select a layout. Picture layouts begin with the newest picture. */
export function layoutChange(layout: FileViewLayout, view: FilesView): Partial<FilesView> {
  const position = 0;
  if (showsOnlyPictures(layout)) return { layout, sort: 'taken', order: defaultOrder('taken'), position };
  if (!showsOnlyPictures(view.layout)) return { layout, position };
  return { layout, kind: undefined, sort: 'added', order: defaultOrder('added'), position };
}

type FilesViewChange = Partial<FilesView> | ((currentView: FilesView) => Partial<FilesView>);

/** `replace`: replaces the current entry of the browser history instead of adding one. */
export type ChangeFilesView = (change: FilesViewChange, options?: { replace?: boolean }) => void;

export function useFilesView(): [FilesView, ChangeFilesView] {
  const [query, setQuery] = useUrlQuery();
  const change: ChangeFilesView = (changes, { replace = false } = {}) =>
    setQuery(
      (currentQuery) => {
        const currentView = parseView(currentQuery);
        return toUrlParameters({ ...currentView, ...(typeof changes === 'function' ? changes(currentView) : changes) });
      },
      { replace, preventScrollReset: true },
    );
  return [parseView(query), change];
}
