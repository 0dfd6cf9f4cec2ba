import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { createFileArchive } from '../../../api/files/bulk.ts';
import { ownerFile } from '../../../api/files/queries.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { startDownload } from '../../../../shared/api/url.ts';
import { showToast, runWithToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';

/** Downloads a file through a fresh signed URL. Shows a message if the file has no content. */
export async function downloadFile({ file: { fileId } }: OwnerFile): Promise<void> {
  await runWithToast(async () => {
    const { file } = await queryClient.fetchQuery({ ...ownerFile(fileId), staleTime: 0 });
    if (file.contentUrl === undefined) showToast(m.shell.problem.notDone, m.bulkFiles.download.missing(1));
    else startDownload(file.contentUrl, file.name);
  });
}

/** Downloads files as a ZIP archive, or a single file as it is. Shows how many files the archive does not contain. */
export async function downloadFiles(selectedFiles: readonly OwnerFile[]): Promise<void> {
  const [firstFile] = selectedFiles;
  if (firstFile !== undefined && selectedFiles.length === 1) return downloadFile(firstFile);
  const texts = m.bulkFiles.download;
  await runWithToast(async () => {
    const { url, files, missing } = await createFileArchive(selectedFiles.map(({ file }) => file.fileId));
    startDownload(url);
    const text = texts.startedText(files);
    showToast(texts.started, missing === 0 ? text : `${text} ${texts.missing(missing)}`);
  });
}
