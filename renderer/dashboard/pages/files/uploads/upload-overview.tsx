import { Button, Group } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconRefresh, IconX } from '@tabler/icons-react';
import {
  type UploadSummary,
  cancelUploads,
  pauseUploads,
  resumeUploads,
  retryFailed,
} from '../../../api/files/uploads.ts';
import { runWithToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { ProgressMeter } from '../../../components/progress-meter.tsx';
import { hasOpenUploads, areAllPaused, progressOf, uploadStatusText } from './upload-text.ts';

const texts = m.files.uploading;
const ICON_PROPS = { size: 15, stroke: 1.6 } as const;

async function cancelAll(): Promise<void> {
  await runWithToast(cancelUploads);
}

export function UploadOverview({ uploads }: { uploads: UploadSummary }) {
  const isUploading = hasOpenUploads(uploads);
  const isPaused = areAllPaused(uploads);
  return (
    <div>
      <strong role="status">{uploadStatusText(uploads)}</strong>
      {isUploading && (
        <ProgressMeter
          label={texts.labelAll}
          share={progressOf(uploads)}
          detail={texts.progress(uploads.receivedBytes, uploads.totalBytes)}
          remaining={uploads.remainingMs === undefined || isPaused ? undefined : m.shell.timeLeft(uploads.remainingMs)}
          paused={isPaused}
        />
      )}
      <Group gap="sm" mt={isUploading ? 0 : 'sm'}>
        {isUploading && !isPaused && (
          <Button size="xs" variant="default" leftSection={<IconPlayerPause {...ICON_PROPS} />} onClick={pauseUploads}>
            {texts.pauseAll}
          </Button>
        )}
        {isUploading && isPaused && (
          <Button size="xs" leftSection={<IconPlayerPlay {...ICON_PROPS} />} onClick={resumeUploads}>
            {texts.resumeAll}
          </Button>
        )}
        {uploads.failed.length > 0 && (
          <Button size="xs" variant="default" leftSection={<IconRefresh {...ICON_PROPS} />} onClick={retryFailed}>
            {texts.retryAll}
          </Button>
        )}
        {(isUploading || uploads.failed.length > 0) && (
          <Button size="xs" variant="default" leftSection={<IconX {...ICON_PROPS} />} onClick={() => void cancelAll()}>
            {texts.cancelAll}
          </Button>
        )}
      </Group>
    </div>
  );
}
