import { MAX_FILE_BYTES, MAX_FILE_NAME_BYTES, MAX_FILE_TAGS } from '../../../../../server/wire/limits.ts';
import type { NewUpload } from '../../../api/files/uploads.ts';

export const DEFAULT_SOURCE = 'uploads';

export interface LocalFile {
  file: File;
  /** Outermost first. */
  folders: readonly string[];
}

interface UploadPlan {
  uploads: NewUpload[];
  /** Names of files that exceed the maximum size. */
  tooLarge: string[];
  /** Names of files that were rejected because the name or source is too long. */
  tooLong: string[];
  /** Number of files that were skipped because operating systems create them. */
  skippedCount: number;
}

/** Names of files that operating systems create in folders. Such files are not uploaded. */
const SYSTEM_FILE =
  /^(?:\.DS_Store|\._.*|Thumbs\.db|ehthumbs\.db|desktop\.ini|\.Spotlight-V100|\.Trashes|\.localized)$/i;
const MAX_TAG_CHARS = 200;

const byteLengthOf = (text: string): number => new TextEncoder().encode(text).length;

/**
 * Plans the upload of files. The name of the outermost folder becomes the source, and the names of the inner folders
 * become tags, up to `MAX_FILE_TAGS`: `photos/2024/Rome/a.jpg` becomes `a.jpg` with the source `photos` and the tags
 * `2024` and `Rome`. A file without a folder is uploaded to `currentSource`, or else to the default source.
 */
export function planUploads(files: readonly LocalFile[], currentSource: string): UploadPlan {
  const plan: UploadPlan = { uploads: [], tooLarge: [], tooLong: [], skippedCount: 0 };
  for (const { file, folders } of files) {
    const [source = currentSource === '' ? DEFAULT_SOURCE : currentSource, ...innerFolders] = folders;
    const tags = [...new Set(innerFolders.map((folder) => folder.slice(0, MAX_TAG_CHARS)))].slice(0, MAX_FILE_TAGS);
    if (SYSTEM_FILE.test(file.name)) plan.skippedCount += 1;
    else if (file.size > MAX_FILE_BYTES) plan.tooLarge.push(file.name);
    else if (byteLengthOf(file.name) > MAX_FILE_NAME_BYTES || byteLengthOf(source) > MAX_FILE_NAME_BYTES)
      plan.tooLong.push(file.name);
    else plan.uploads.push({ file, name: file.name, source, tags });
  }
  return plan;
}

/** Converts the files of a file input. They have folders only if the owner selected a folder. */
export function toLocalFiles(files: Iterable<File>): LocalFile[] {
  return [...files].map((file) => ({ file, folders: file.webkitRelativePath.split('/').slice(0, -1) }));
}
