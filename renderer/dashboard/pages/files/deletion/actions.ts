import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { deleteFile, refreshFiles, restoreFile } from '../../../api/files/queries.ts';
import { offerUndo } from '../../../components/deletion.tsx';
import { showToast, showProblemToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { titleOf } from '../file-kinds.ts';

const texts = m.files.deletion;
const MAX_CONCURRENT_REQUESTS = 4;

/**
 * Runs an action for each file, a few at a time, then refreshes the files. Returns the files for which the action
 * succeeded, and the first error.
 */
async function forEachFile(
  files: readonly OwnerFile[],
  action: (fileId: string) => Promise<void>,
): Promise<{ succeededFiles: OwnerFile[]; error: unknown }> {
  const succeededFiles: OwnerFile[] = [];
  let error: unknown;
  const fileIterator = files[Symbol.iterator]();
  const worker = async () => {
    for (const file of fileIterator) {
      try {
        await action(file.file.fileId);
        succeededFiles.push(file);
      } catch (failure) {
        error ??= failure;
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, worker));
  await refreshFiles();
  return { succeededFiles, error };
}

export async function restoreFiles(files: readonly OwnerFile[]): Promise<void> {
  const { succeededFiles, error } = await forEachFile(files, restoreFile);
  const [firstFile] = succeededFiles;
  if (error !== undefined) showProblemToast(m.shell.problem.notDone, error);
  if (firstFile !== undefined)
    showToast(
      succeededFiles.length === 1 ? texts.restored(titleOf(firstFile)) : texts.restoredMany(succeededFiles.length),
    );
}

/** Deletes files and offers to undo the deletion. Returns true if all files were deleted. */
export async function deleteFiles(files: readonly OwnerFile[]): Promise<boolean> {
  const { succeededFiles, error } = await forEachFile(files, deleteFile);
  const [firstFile] = succeededFiles;
  if (error !== undefined)
    showProblemToast(
      succeededFiles.length === 0 ? m.shell.problem.notDone : texts.notAll(succeededFiles.length, files.length),
      error,
    );
  if (firstFile !== undefined) {
    const isSingle = succeededFiles.length === 1;
    offerUndo({
      title: isSingle ? texts.done(titleOf(firstFile)) : texts.doneMany(succeededFiles.length),
      text: isSingle ? texts.doneText : texts.doneManyText,
      undo: () => void restoreFiles(succeededFiles),
    });
  }
  return error === undefined;
}
