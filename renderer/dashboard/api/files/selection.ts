import { COUNTED_MATCHES_MAX } from '../../../../server/wire/limits.ts';
import type { FileKind } from '../../../shared/api/contract.ts';

export const FILE_SORTS = ['added', 'changed', 'taken', 'name', 'size'] as const;
type FileSort = (typeof FILE_SORTS)[number];

/** Filter and sort order of a file list. Empty strings match every file. */
export interface FileSelection {
  search: string;
  /** Whether the search also finds files by their text. */
  texts: 'true' | 'false';
  source: string;
  tag: string;
  kind: FileKind | undefined;
  show: 'here' | 'shared' | 'public';
  /** Path of a folder; files in its subfolders match too. */
  folder: string;
  /** Id of a collection. */
  collection: string | undefined;
  /** Id of a user who can see the files. */
  visibleTo: string | undefined;
  sort: FileSort;
  order: 'ascending' | 'descending';
}

/** Returns true if the number of matches is exact: a search by words or tag counts only the first matches. */
export const isExactTotal = ({ search, tag }: Pick<FileSelection, 'search' | 'tag'>, total: number): boolean =>
  (search.trim() === '' && tag === '') || total < COUNTED_MATCHES_MAX;
