import type { OwnerFile } from '../../api/contract.ts';
import { ownerFile } from '../../api/files.ts';
import { queryClient } from '../../api/queries.ts';
import { tellProblem } from '../../components/notices.tsx';
import { m } from '../../messages/texts.ts';

/** Asks for an address that is good now, and gives it to the browser to save: the file never lies in the page's memory. */
export async function download({ file: { fileId } }: OwnerFile): Promise<void> {
  try {
    const { file } = await queryClient.fetchQuery({ ...ownerFile(fileId), staleTime: 0 });
    if (file.contentUrl === undefined) return;
    const link = document.createElement('a');
    link.href = file.contentUrl;
    link.download = file.name;
    link.click();
  } catch (error) {
    tellProblem(m.shell.problem.notDone, error);
  }
}
