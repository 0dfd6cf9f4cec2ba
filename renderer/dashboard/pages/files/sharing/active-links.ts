import { isInFolder } from '../../../../../server/wire/values.ts';
import type { OwnerFile, ShareLink } from '../../../../shared/api/contract.ts';

type Link = Pick<ShareLink, 'files' | 'folder' | 'collection' | 'state'>;
type LinkedFile = Pick<OwnerFile, 'path' | 'collections'> & { file: Pick<OwnerFile['file'], 'fileId'> };

interface LinkIndex {
  /** Number of active links that list a file individually, by file id. */
  linkCounts: ReadonlyMap<string, number>;
  /** Active links with a folder or a collection. */
  targetLinks: readonly Link[];
}

/** Cached by response, because every list row counts the links to its file. */
const indexes = new WeakMap<readonly Link[], LinkIndex>();

function linkIndexOf(links: readonly Link[]): LinkIndex {
  const existing = indexes.get(links);
  if (existing !== undefined) return existing;
  const activeLinks = links.filter(({ state }) => state === 'active');
  const linkCounts = new Map<string, number>();
  for (const { fileId } of activeLinks.flatMap(({ files }) => files))
    linkCounts.set(fileId, (linkCounts.get(fileId) ?? 0) + 1);
  const targetLinks = activeLinks.filter(({ folder, collection }) => folder !== null || collection !== null);
  const index = { linkCounts, targetLinks };
  indexes.set(links, index);
  return index;
}

export const opensFile = ({ files, folder, collection }: Link, file: LinkedFile): boolean =>
  files.some(({ fileId }) => fileId === file.file.fileId) ||
  (folder !== null && isInFolder(folder, file.path)) ||
  file.collections.some(({ collectionId }) => collectionId === collection?.collectionId);

export function countActiveLinks(links: readonly Link[], file: LinkedFile): number {
  const { linkCounts, targetLinks } = linkIndexOf(links);
  return (linkCounts.get(file.file.fileId) ?? 0) + targetLinks.filter((link) => opensFile(link, file)).length;
}
