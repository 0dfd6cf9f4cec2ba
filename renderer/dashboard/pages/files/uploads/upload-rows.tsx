import { ActionIcon, Progress, Stack, Tooltip } from '@mantine/core';
import { type Icon, IconPlayerPause, IconPlayerPlay, IconRefresh, IconX } from '@tabler/icons-react';
import { Link } from 'react-router';
import { type Upload, cancelUpload, pauseUpload, resumeUpload } from '../../../api/files/uploads.ts';
import { runWithToast } from '../../../../shared/feedback/toasts.tsx';
import { RequestId, problemText } from '../../../../shared/feedback/states.tsx';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { filesPath } from '../../../navigation.ts';
import classes from './uploads-page.module.css';

const texts = m.files.uploading;

async function cancel(id: number): Promise<void> {
  await runWithToast(() => cancelUpload(id));
}

export function UploadRows({ uploads }: { uploads: readonly Upload[] }) {
  return (
    <ul className={classes.list}>
      {uploads.map((upload) => (
        <UploadRow key={upload.id} upload={upload} />
      ))}
    </ul>
  );
}

function UploadRow({ upload }: { upload: Upload }) {
  const { id, name, source, tags, state, received, file, fileId } = upload;
  return (
    <li>
      <Stack gap={2} miw={0}>
        <span className={classes.name}>
          {state === 'done' && fileId !== undefined ? <Link to={filesPath({ file: fileId })}>{name}</Link> : name}
        </span>
        <UploadState upload={upload} destination={[source, ...tags].join(' / ')} />
      </Stack>
      <div className={classes.actions}>
        {(state === 'sending' || state === 'waiting') && (
          <RowButton
            icon={IconPlayerPause}
            label={texts.pauseOne(name)}
            tooltip={texts.pause}
            onClick={() => pauseUpload(id)}
          />
        )}
        {state === 'paused' && (
          <RowButton
            icon={IconPlayerPlay}
            label={texts.resumeOne(name)}
            tooltip={texts.resume}
            onClick={() => resumeUpload(id)}
          />
        )}
        {state === 'failed' && (
          <RowButton
            icon={IconRefresh}
            label={texts.retryOne(name)}
            tooltip={texts.retry}
            onClick={() => resumeUpload(id)}
          />
        )}
        {state !== 'done' && (
          <RowButton
            icon={IconX}
            label={texts.cancelOne(name)}
            tooltip={m.shell.cancel}
            onClick={() => void cancel(id)}
          />
        )}
      </div>
      {(state === 'sending' || state === 'paused') && (
        <Progress.Root size={4} radius="sm" className={classes.progress ?? ''}>
          <Progress.Section
            value={(received / Math.max(1, file.size)) * 100}
            color={state === 'paused' ? 'gray.5' : 'teal'}
            aria-label={texts.label(name)}
          />
        </Progress.Root>
      )}
    </li>
  );
}

function UploadState({
  upload: { state, received, file, problem },
  destination,
}: {
  upload: Upload;
  destination: string;
}) {
  if (state === 'failed' && problem !== undefined) {
    return (
      <span className={classes.problem}>
        {problem === 'changed' ? texts.changedOnDisk : problemText(problem)}
        {problem !== 'changed' && <RequestId problem={problem} />}
      </span>
    );
  }
  const isPartial = state === 'sending' || (state === 'waiting' && received > 0);
  const text = isPartial
    ? texts.progress(received, file.size)
    : state === 'paused'
      ? texts.pausedOne(received, file.size)
      : bytes(file.size);
  return (
    <span className={classes.secondaryText}>
      {destination} · {text}
    </span>
  );
}

interface RowButtonProps {
  icon: Icon;
  label: string;
  tooltip: string;
  onClick: () => void;
}

function RowButton({ icon: ActionSymbol, label, tooltip, onClick }: RowButtonProps) {
  return (
    <Tooltip label={tooltip}>
      <ActionIcon variant="subtle" color="gray" c="var(--ink-soft)" size={32} aria-label={label} onClick={onClick}>
        <ActionSymbol size={18} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
