import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { downloadFiles } from '../detail/download.ts';
import { tooManyFilesText } from './actions.tsx';

export function DownloadSelected({ files }: { files: readonly OwnerFile[] }) {
  const [busy, setBusy] = useState(false);
  const disabledReason = tooManyFilesText(files.length);
  const download = async () => {
    setBusy(true);
    await downloadFiles(files);
    setBusy(false);
  };
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconDownload size={16} stroke={1.6} />}
      loading={busy}
      disabled={disabledReason !== undefined}
      title={disabledReason}
      onClick={() => void download()}
    >
      {m.bulkFiles.download.button}
    </Button>
  );
}
