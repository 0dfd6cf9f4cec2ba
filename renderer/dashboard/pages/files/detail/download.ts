import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { ownerFile } from '../../../api/files/queries.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { showProblemToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';

/** Downloads a file with a fresh signed URL. The browser saves the content without loading it into memory. */
export async function downloadFile({ file: { fileId } }: OwnerFile): Promise<void> {
  try {
    const { file } = await queryClient.fetchQuery({ ...ownerFile(fileId), staleTime: 0 });
    if (file.contentUrl === undefined) return;
    const link = document.createElement('a');
    link.href = file.contentUrl;
    link.download = file.name;
    link.click();
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
  }
}
