import { sep } from 'node:path';
import { isIgnoredFolder } from '../folder/rules.ts';

/** Returns the tags after a change. Existing tags keep their order, and new ones follow. */
export const changedTags = (
  tags: readonly string[],
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): string[] => {
  const removedTags = new Set(remove);
  return [...new Set([...tags, ...add])].filter((tag) => !removedTags.has(tag));
};

/**
 * Returns true if the path names `files/` or a folder below it that is not ignored.
 * @param separator `/` or `\`
 */
export const isFolderPath = (folder: string, separator: string = sep): boolean => {
  const names = folder.split('/');
  return (
    folder === '' ||
    (names.every((name) => name !== '' && !name.includes('\0')) &&
      (separator === '/' || !folder.includes(separator)) &&
      !isIgnoredFolder(folder))
  );
};
