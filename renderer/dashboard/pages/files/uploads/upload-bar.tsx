import { Progress } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import { useUploads } from '../../../api/files/uploads.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { percent } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './upload-bar.module.css';
import { hasOpenUploads, areAllPaused, progressOf, uploadStatusText } from './upload-text.ts';

const texts = m.files.uploading;

/** Shown while uploads are not finished or if some have failed, on every page except the Uploads page. */
export function UploadBar() {
  const uploads = useUploads();
  const { pathname } = useLocation();
  const isUploading = hasOpenUploads(uploads);
  const failedCount = uploads.failed.length;
  const wasUploading = useRef(false);
  useEffect(() => {
    if (wasUploading.current && !isUploading && failedCount === 0 && uploads.doneCount > 0)
      showToast(texts.doneTitle(uploads.doneCount));
    wasUploading.current = isUploading;
  }, [isUploading, failedCount, uploads.doneCount]);
  if ((!isUploading && failedCount === 0) || pathname === '/files/uploads') return null;
  const isPaused = areAllPaused(uploads);
  return (
    <Link to="/files/uploads" className={classes.bar} data-failed={(!isUploading && failedCount > 0) || undefined}>
      <span className={classes.status}>
        <span>{uploadStatusText(uploads)}</span>
        {isUploading && (
          <span className={classes.secondaryText}>
            {percent(progressOf(uploads))}
            {uploads.remainingMs !== undefined && !isPaused && ` · ${m.shell.timeLeft(uploads.remainingMs)}`}
          </span>
        )}
      </span>
      {isUploading && (
        <Progress.Root size={4} radius="sm">
          <Progress.Section
            value={progressOf(uploads) * 100}
            color={isPaused ? 'gray.5' : 'teal'}
            aria-label={texts.labelAll}
          />
        </Progress.Root>
      )}
    </Link>
  );
}
