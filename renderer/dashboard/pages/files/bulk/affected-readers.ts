import { isInFolder } from '../../../../../server/wire/share-links.ts';
import type { OwnerFile, ShareLink } from '../../../../shared/api/contract.ts';

/** People and links that a move of files affects, by name and without duplicates. */
export interface AffectedReaders {
  /** Can open the files after the move. */
  peopleIn: string[];
  linksIn: string[];
  /** Can no longer open some of the files through a folder. */
  peopleOut: string[];
  linksOut: string[];
}

type FolderLink = Pick<ShareLink, 'name' | 'folder' | 'state'>;

const contains = (shared: string, folder: string): boolean => shared === folder || isInFolder(shared, folder);
const namesOf = (items: readonly { name: string }[]): string[] => [...new Set(items.map(({ name }) => name))];

/** Returns who can open files through the folder to which they are moved, and who loses access to some of them. */
export function affectedReaders(
  files: readonly Pick<OwnerFile, 'path'>[],
  target: string,
  shared: { folders: readonly { folder: string; name: string }[]; links: readonly FolderLink[] },
): AffectedReaders {
  const links = shared.links.flatMap(({ name, folder, state }) =>
    folder !== null && state === 'active' ? [{ name, folder }] : [],
  );
  const containsTarget = ({ folder }: { folder: string }): boolean => contains(folder, target);
  /** True if a file is in the shared folder now, and the target is not. */
  const losesFiles = (item: { folder: string }): boolean =>
    !containsTarget(item) && files.some(({ path }) => isInFolder(item.folder, path));
  return {
    peopleIn: namesOf(shared.folders.filter(containsTarget)),
    linksIn: namesOf(links.filter(containsTarget)),
    peopleOut: namesOf(shared.folders.filter(losesFiles)),
    linksOut: namesOf(links.filter(losesFiles)),
  };
}
