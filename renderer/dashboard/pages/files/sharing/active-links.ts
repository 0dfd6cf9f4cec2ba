import { isInFolder } from '../../../../../server/wire/share-links.ts';
import type { OwnerFile, ShareLink } from '../../../../shared/api/contract.ts';

type Link = Pick<ShareLink, 'files' | 'folder' | 'collection' | 'state'>;
type LinkedFile = Pick<OwnerFile, 'path' | 'collections'> & { file: Pick<OwnerFile['file'], 'fileId'> };

/** Active links: the number of those with single files by file, and those with a folder or collection. */
interface LinkIndex {
  fileLinks: ReadonlyMap<string, number>;
  targetLinks: readonly Link[];
}

/** Indexes by the response with the links, because each row of a list counts its links. */
const indexes = new WeakMap<readonly Link[], LinkIndex>();

function indexOf(links: readonly Link[]): LinkIndex {
  const existing = indexes.get(links);
  if (existing !== undefined) return existing;
  const activeLinks = links.filter(({ state }) => state === 'active');
  const fileLinks = new Map<string, number>();
  for (const { fileId } of activeLinks.flatMap(({ files }) => files))
    fileLinks.set(fileId, (fileLinks.get(fileId) ?? 0) + 1);
  const targetLinks = activeLinks.filter(({ folder, collection }) => folder !== null || collection !== null);
  const index = { fileLinks, targetLinks };
  indexes.set(links, index);
  return index;
}

/** Returns true if the link opens the file. */
export const opensFile = ({ files, folder, collection }: Link, file: LinkedFile): boolean =>
  files.some(({ fileId }) => fileId === file.file.fileId) ||
  (folder !== null && isInFolder(folder, file.path)) ||
  file.collections.some(({ collectionId }) => collectionId === collection?.collectionId);

/** Returns the number of active links that open a file. A link contains files, a folder or a collection. */
export function countActiveLinks(links: readonly Link[], file: LinkedFile): number {
  const { fileLinks, targetLinks } = indexOf(links);
  return (fileLinks.get(file.file.fileId) ?? 0) + targetLinks.filter((link) => opensFile(link, file)).length;
}
