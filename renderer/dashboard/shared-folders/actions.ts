import type { SharedFolder } from '../../shared/api/contract.ts';
import { showProblemToast, showToast } from '../../shared/feedback/toasts.tsx';
import { m } from '../../shared/messages/texts.ts';
import { shareFolder, unshareFolder } from '../api/files/shared-folders.ts';

const words = m.sharedFolders;

/** The properties of a shared folder that its rows show. */
export type FolderShare = Pick<SharedFolder, 'sharedFolderId' | 'folder' | 'userId' | 'name'>;

/** Returns the last part of the path of a folder. */
export const folderNameOf = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1);

/** Shares a folder with a person and shows the result. */
export async function shareFolderWithUser(folder: string, user: { userId: string; name: string }): Promise<void> {
  try {
    await shareFolder(folder, user.userId);
    showToast(words.shared(user.name, folderNameOf(folder)));
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
  }
}

/** Stops sharing a folder with a person and shows the result. */
export async function stopSharingFolder({ sharedFolderId, folder, name }: FolderShare): Promise<void> {
  try {
    await unshareFolder(sharedFolderId);
    showToast(words.stopped(name, folderNameOf(folder)), words.stoppedText);
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
  }
}
