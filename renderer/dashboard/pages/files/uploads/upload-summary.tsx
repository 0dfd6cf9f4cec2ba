import { Anchor, Button, Group } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconRefresh, IconX } from '@tabler/icons-react';
import { Link } from 'react-router';
import {
  type UploadSummary,
  cancelUploads,
  pauseUploads,
  resumeUploads,
  retryFailed,
} from '../../../api/files/uploads.ts';
import { showProblemToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { ProgressMeter } from '../../../components/progress-meter.tsx';
import { hasOpenUploads, isPaused, shareOf, uploadStatusText } from './upload-text.ts';

const words = m.files.uploading;
const ICON = { size: 15, stroke: 1.6 } as const;

async function cancelAll(): Promise<void> {
  try {
    await cancelUploads();
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
  }
}

/** All uploads as one: how far, how long still, and what can be done with them. */
export function AllUploads({ uploads, link = false }: { uploads: UploadSummary; link?: boolean }) {
  const open = hasOpenUploads(uploads);
  const paused = isPaused(uploads);
  return (
    <div>
      <strong role="status">{uploadStatusText(uploads)}</strong>
      {open && (
        <ProgressMeter
          label={words.labelAll}
          share={shareOf(uploads)}
          detail={words.progress(uploads.received, uploads.bytes)}
          remaining={uploads.remainingMs === undefined || paused ? undefined : words.remaining(uploads.remainingMs)}
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
