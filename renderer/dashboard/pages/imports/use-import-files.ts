import { useNavigate } from 'react-router';
import { MAX_IMPORT_BYTES } from '../../../../server/wire/limits.ts';
import { startImportUpload } from '../../api/import-uploads.ts';
import { compare } from '../../../shared/format/format.ts';
import { showToast, showProblemToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { importPath } from '../../navigation.ts';

const words = m.imports.choose;

const ARCHIVE_NAME = /\.(?:zip|tgz|tar\.gz)$/i;

/** Groups files into imports: archives that were chosen together are one export, every other file is an import. */
function groupFiles(files: readonly File[]): File[][] {
  const archives = files.filter(({ name }) => ARCHIVE_NAME.test(name));
  const otherFiles = files.filter(({ name }) => !ARCHIVE_NAME.test(name)).map((file) => [file]);
  return archives.length === 0 ? otherFiles : [archives.toSorted((a, b) => compare(a.name, b.name)), ...otherFiles];
}

/** Returns a function that starts the uploads and navigates to their progress. */
export function useImportFiles(): (files: readonly File[]) => Promise<void> {
  const navigate = useNavigate();
  return async (files) => {
    const importIds: string[] = [];
    for (const group of groupFiles(files)) {
      const [file] = group;
      if (file === undefined) continue;
      if (group.reduce((sum, { size }) => sum + size, 0) > MAX_IMPORT_BYTES) showToast(words.tooLarge(file.name));
      else if (file.size === 0) showToast(words.empty(file.name));
      else {
        try {
          importIds.push(await startImportUpload(group));
        } catch (error) {
          showProblemToast(words.failed, error);
        }
      }
    }
    const [first] = importIds;
    if (first !== undefined) await navigate(importIds.length === 1 ? importPath(first) : '/data/imports');
  };
}
