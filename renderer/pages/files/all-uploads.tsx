import { Anchor, Button, Group } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconRefresh, IconX } from '@tabler/icons-react';
import { Link } from 'react-router';
import { type Uploads, cancelUploads, pauseUploads, resumeUploads, retryFailed } from '../../api/files-uploads.ts';
import { tellProblem } from '../../components/notices.tsx';
import { m } from '../../messages/texts.ts';
import { Meter } from '../imports/meter.tsx';
import { isOpen, isPaused, shareOf, stateText } from './upload-words.ts';

const words = m.files.uploading;
const ICON = { size: 15, stroke: 1.6 } as const;

async function cancelAll(): Promise<void> {
  try {
    await cancelUploads();
  } catch (error) {
    tellProblem(m.shell.problem.notDone, error);
  }
}

/** All uploads as one: how far, how long still, and what can be done with them. */
export function AllUploads({ uploads, link = false }: { uploads: Uploads; link?: boolean }) {
  const open = isOpen(uploads);
  const paused = isPaused(uploads);
  return (
    <div>
      <strong role="status">{stateText(uploads)}</strong>
      {open && (
        <Meter
          label={words.labelAll}
          share={shareOf(uploads)}
          detail={words.progress(uploads.received, uploads.bytes)}
          remaining={uploads.remaining === undefined || paused ? undefined : words.remaining(uploads.remaining)}
          paused={paused}
        />
      )}
      <Group gap="sm" mt={open ? 0 : 'sm'}>
        {open && !paused && (
          <Button size="xs" variant="default" leftSection={<IconPlayerPause {...ICON} />} onClick={pauseUploads}>
            {words.pauseAll}
          </Button>
        )}
        {open && paused && (
          <Button size="xs" leftSection={<IconPlayerPlay {...ICON} />} onClick={resumeUploads}>
            {words.resumeAll}
          </Button>
        )}
        {uploads.failed.length > 0 && (
          <Button size="xs" variant="default" leftSection={<IconRefresh {...ICON} />} onClick={retryFailed}>
            {words.retryAll}
          </Button>
        )}
        {(open || uploads.failed.length > 0) && (
          <Button size="xs" variant="default" leftSection={<IconX {...ICON} />} onClick={() => void cancelAll()}>
            {words.cancelAll}
          </Button>
        )}
        {link && (
          <Anchor component={Link} to="/files/uploads" size="sm">
            {words.each}
          </Anchor>
        )}
      </Group>
    </div>
  );
}
