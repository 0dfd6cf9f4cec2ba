import { MAX_FILE_BYTES, MAX_FILE_NAME_BYTES, MAX_FILE_TAGS } from '../../../../../server/wire/limits.ts';
import type { NewUpload } from '../../../api/files/uploads.ts';

/** Where files go that were chosen or dropped. */

/** Source of what comes in no folder. */
export const LOOSE = 'uploads';

/** A file with the folders it was found in, the outermost first. */
export interface FoundFile {
  file: File;
  folders: readonly string[];
}

interface Sorted {
  uploads: NewUpload[];
  tooLarge: string[];
  tooLong: string[];
  /** Left out: what operating systems put into every folder. */
  leftOut: number;
}

/** Not what anybody means by "my files". */
const OF_SYSTEM = /^(?:\.DS_Store|\._.*|Thumbs\.db|ehthumbs\.db|desktop\.ini|\.Spotlight-V100|\.Trashes|\.localized)$/i;
const MAX_TAG_CHARS = 200;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/**
 * The name of a dropped folder becomes the source, each folder in it a tag: `photos/2024/Rome/a.jpg` is `a.jpg` of source
 * `photos` with the tags `2024` and `Rome`. What comes in no folder goes to the source that is being looked at.
 */
export function sortFound(found: readonly FoundFile[], looseSource: string): Sorted {
  const sorted: Sorted = { uploads: [], tooLarge: [], tooLong: [], leftOut: 0 };
  for (const { file, folders } of found) {
    const [source = looseSource === '' ? LOOSE : looseSource, ...inner] = folders;
    const tags = [...new Set(inner.map((folder) => folder.slice(0, MAX_TAG_CHARS)))].slice(0, MAX_FILE_TAGS);
    if (OF_SYSTEM.test(file.name)) sorted.leftOut += 1;
    else if (file.size > MAX_FILE_BYTES) sorted.tooLarge.push(file.name);
    else if (bytesOf(file.name) > MAX_FILE_NAME_BYTES || bytesOf(source) > MAX_FILE_NAME_BYTES)
      sorted.tooLong.push(file.name);
    else sorted.uploads.push({ file, name: file.name, source, tags });
  }
  return sorted;
}

/** What a chooser gives: the path is known only when a folder was chosen. */
export function fromChooser(files: Iterable<File>): FoundFile[] {
  return [...files].map((file) => ({ file, folders: file.webkitRelativePath.split('/').slice(0, -1) }));
}
