import { COUNTED_MATCHES_MAX } from '../../../../server/wire/limits.ts';
import type { FileKind } from '../../../shared/api/contract.ts';

export const FILE_SORTS = ['added', 'changed', 'taken', 'name', 'size'] as const;
type FileSort = (typeof FILE_SORTS)[number];

/** Empty strings match every file. */
export interface FileSelection {
  search: string;
  source: string;
  tag: string;
  kind: FileKind | undefined;
  show: 'completed' | 'shared' | 'public';
  /** Includes subfolders. */
  folder: string;
  collection: string | undefined;
  visibleTo: string | undefined;
  sort: FileSort;
  order: 'ascending' | 'descending';
}

/** Returns the conditions of a selection, without its sort order. */
export function filtersOf(selection: FileSelection): Omit<FileSelection, 'sort' | 'order'> {
  const { search, source, tag, kind, show, folder, collection, visibleTo } = selection;
  return { search, source, tag, kind, show, folder, collection, visibleTo };
}

/** Returns false if there may be more matches: a search by words or tag stops counting at `COUNTED_MATCHES_MAX`. */
export const isExactTotal = ({ search, tag }: Pick<FileSelection, 'search' | 'tag'>, total: number): boolean =>
  (search.trim() === '' && tag === '') || total < COUNTED_MATCHES_MAX;
