import { Button } from '@mantine/core';
import { useState } from 'react';
import { m } from '../../shared/messages/texts.ts';
import { folderNameOf, stopSharingFolder, type FolderShare } from './actions.ts';

const words = m.sharedFolders;

/** Button that stops sharing a folder with a person. */
export function StopSharingFolder({ share }: { share: FolderShare }) {
  const [busy, setBusy] = useState(false);
  const stop = async () => {
    setBusy(true);
    await stopSharingFolder(share);
    setBusy(false);
  };
  return (
    <Button
      variant="default"
      size="xs"
      c="var(--stop)"
      aria-label={words.stopLabel(share.name, folderNameOf(share.folder))}
      loading={busy}
      onClick={() => void stop()}
    >
      {words.stop}
    </Button>
  );
}
