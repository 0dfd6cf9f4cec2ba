import { isInFolder } from '../../../../../server/wire/values.ts';
import type { OwnerFile, ShareLink } from '../../../../shared/api/contract.ts';

/** Distinct names of the people and links that a move of files affects. */
interface AffectedReaders {
  /** People who can open the files through the target folder. */
  peopleIn: string[];
  linksIn: string[];
  /** People who can no longer open some of the files through a shared folder. */
  peopleOut: string[];
  linksOut: string[];
}

type FolderLink = Pick<ShareLink, 'name' | 'folder' | 'state'>;

const contains = (parent: string, folder: string): boolean => parent === folder || isInFolder(parent, folder);
const namesOf = (items: readonly { name: string }[]): string[] => [...new Set(items.map(({ name }) => name))];

export function affectedReaders(
  files: readonly Pick<OwnerFile, 'path'>[],
  target: string,
  sharing: { folders: readonly { folder: string; userId: string; name: string }[]; links: readonly FolderLink[] },
): AffectedReaders {
  const links = sharing.links.flatMap(({ name, folder, state }) =>
    folder !== null && state === 'active' ? [{ name, folder }] : [],
  );
  const containsTarget = ({ folder }: { folder: string }): boolean => contains(folder, target);
  /** True if the folder contains one of the files, but not the target. */
  const losesFiles = (item: { folder: string }): boolean =>
    !containsTarget(item) && files.some(({ path }) => isInFolder(item.folder, path));
  const targetFolders = sharing.folders.filter(containsTarget);
  const targetUserIds = new Set(targetFolders.map(({ userId }) => userId));
  return {
    peopleIn: namesOf(targetFolders),
    linksIn: namesOf(links.filter(containsTarget)),
    peopleOut: namesOf(sharing.folders.filter((item) => losesFiles(item) && !targetUserIds.has(item.userId))),
    linksOut: namesOf(links.filter(losesFiles)),
  };
}
