import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { deleteFile, refreshFiles, restoreFile } from '../../../api/files/queries.ts';
import { offerUndo } from '../../../components/deletion.tsx';
import { showToast, showProblemToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { titleOf } from '../file-kinds.ts';

const words = m.files.deletion;
const MAX_CONCURRENT_REQUESTS = 4;

/** Runs several actions at a time. Returns the files without an error, and the first error. */
async function forEachFile(
  files: readonly OwnerFile[],
  action: (fileId: string) => Promise<void>,
): Promise<{ succeeded: OwnerFile[]; error: unknown }> {
  const succeeded: OwnerFile[] = [];
  let error: unknown;
  const remaining = files[Symbol.iterator]();
  const worker = async () => {
    for (const file of remaining) {
      try {
        await action(file.file.fileId);
        succeeded.push(file);
      } catch (failure) {
        error ??= failure;
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, worker));
  await refreshFiles();
  return { succeeded, error };
}

export async function restoreFiles(files: readonly OwnerFile[]): Promise<void> {
  const { succeeded, error } = await forEachFile(files, restoreFile);
  const [first] = succeeded;
  if (error !== undefined) showProblemToast(m.shell.problem.notDone, error);
  if (first !== undefined)
    showToast(succeeded.length === 1 ? words.restored(titleOf(first)) : words.restoredMany(succeeded.length));
}

/** Offers to undo the deletion. Returns true if all files were deleted. */
export async function deleteFiles(files: readonly OwnerFile[]): Promise<boolean> {
  const { succeeded, error } = await forEachFile(files, deleteFile);
  const [first] = succeeded;
  if (error !== undefined)
    showProblemToast(
      succeeded.length === 0 ? m.shell.problem.notDone : words.notAll(succeeded.length, files.length),
      error,
    );
  if (first !== undefined) {
    const isSingle = succeeded.length === 1;
    offerUndo({
      title: isSingle ? words.done(titleOf(first)) : words.doneMany(succeeded.length),
      text: isSingle ? words.doneText : words.doneManyText,
      undo: () => void restoreFiles(succeeded),
    });
  }
  return error === undefined;
}
