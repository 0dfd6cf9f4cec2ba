import { Progress } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import { useUploads } from '../../../api/files/uploads.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './upload-bar.module.css';
import { hasOpenUploads, isPaused, shareOf, uploadStatusText } from './upload-text.ts';

const words = m.files.uploading;

/** On every page while something is uploaded, or could not be; it leads to where each file is listed. */
export function UploadBar() {
  const uploads = useUploads();
  const { pathname } = useLocation();
  const open = hasOpenUploads(uploads);
  const failed = uploads.failed.length;
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !open && failed === 0 && uploads.done > 0) showToast(words.doneTitle(uploads.done));
    wasOpen.current = open;
  }, [open, failed, uploads.done]);
  if ((!open && failed === 0) || pathname === '/files/uploads') return null;
  const paused = isPaused(uploads);
  return (
    <Link to="/files/uploads" className={classes.bar} data-failed={(!open && failed > 0) || undefined}>
      <span className={classes.words}>
        <span>{uploadStatusText(uploads)}</span>
        {open && (
          <span className={classes.soft}>
            {words.share(shareOf(uploads))}
            {uploads.remainingMs !== undefined && !paused && ` · ${words.remaining(uploads.remainingMs)}`}
          </span>
        )}
      </span>
      {open && (
        <Progress.Root size={4} radius="sm">
          <Progress.Section
            value={shareOf(uploads) * 100}
            color={paused ? 'gray.5' : 'teal'}
            aria-label={words.labelAll}
          />
        </Progress.Root>
      )}
    </Link>
  );
}
