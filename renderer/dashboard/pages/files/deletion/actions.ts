import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { deleteFile, refreshFiles, restoreFile } from '../../../api/files/queries.ts';
import { offerUndo } from '../../../components/deletion.tsx';
import { showToast, showProblemToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { titleOf } from '../file-kinds.ts';

/** Deletes and restores files. Deleting offers to undo it. */

const words = m.files.deletion;
/** Calls on their way at a time. */
const AT_ONCE = 4;

/** Runs an action on each file and returns those that succeeded; reports the first failure at the end. */
async function each(
  files: readonly OwnerFile[],
  act: (fileId: string) => Promise<void>,
): Promise<{ done: OwnerFile[]; error: unknown }> {
  const done: OwnerFile[] = [];
  let error: unknown;
  const left = files[Symbol.iterator]();
  const work = async () => {
    for (const file of left) {
      try {
        await act(file.file.fileId);
        done.push(file);
      } catch (refused) {
        error ??= refused;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await refreshFiles();
  return { done, error };
}

export async function restoreFiles(files: readonly OwnerFile[]): Promise<void> {
  const { done, error } = await each(files, restoreFile);
  const [first] = done;
  if (error !== undefined) showProblemToast(m.shell.problem.notDone, error);
  if (first !== undefined)
    showToast(done.length === 1 ? words.restored(titleOf(first)) : words.restoredMany(done.length));
}

/** True when all of them are deleted. */
export async function deleteFiles(files: readonly OwnerFile[]): Promise<boolean> {
  const { done, error } = await each(files, deleteFile);
  const [first] = done;
  if (error !== undefined)
    showProblemToast(done.length === 0 ? m.shell.problem.notDone : words.notAll(done.length, files.length), error);
  if (first !== undefined) {
    const one = done.length === 1;
    offerUndo({
      title: one ? words.done(titleOf(first)) : words.doneMany(done.length),
      text: one ? words.doneText : words.doneManyText,
      undo: () => void restoreFiles(done),
    });
  }
  return error === undefined;
}
