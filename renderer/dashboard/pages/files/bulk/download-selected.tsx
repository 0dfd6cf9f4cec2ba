import { IconDownload } from '@tabler/icons-react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { downloadFiles } from '../detail/download.ts';
import { tooManyFilesText } from './actions.tsx';
import { ActionButton } from '../../../../shared/feedback/action-button.tsx';

export function DownloadSelected({ files }: { files: readonly OwnerFile[] }) {
  const disabledReason = tooManyFilesText(files.length);
  return (
    <ActionButton
      icon={<IconDownload size={16} stroke={1.6} />}
      disabled={disabledReason !== undefined}
      title={disabledReason}
      action={() => downloadFiles(files)}
    >
      {m.bulkFiles.download.button}
    </ActionButton>
  );
}
