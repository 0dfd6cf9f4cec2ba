import { ActionIcon, Progress, Tooltip } from '@mantine/core';
import { type Icon, IconPlayerPause, IconPlayerPlay, IconRefresh, IconX } from '@tabler/icons-react';
import { Link } from 'react-router';
import { type Upload, cancelUpload, pauseUpload, resumeUpload } from '../../../api/files/uploads.ts';
import { showProblemToast } from '../../../../shared/feedback/toasts.tsx';
import { RequestId, problemText } from '../../../../shared/feedback/states.tsx';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { filesPath } from '../../../navigation.ts';
import classes from './uploads-page.module.css';

const words = m.files.uploading;

async function cancel(id: number): Promise<void> {
  try {
    await cancelUpload(id);
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
  }
}

export function UploadLines({ uploads }: { uploads: readonly Upload[] }) {
  return (
    <ul className={classes.list}>
      {uploads.map((upload) => (
        <Line key={upload.id} upload={upload} />
      ))}
    </ul>
  );
}

function Line({ upload }: { upload: Upload }) {
  const { id, name, source, tags, state, received, file, fileId } = upload;
  return (
    <li>
      <div className={classes.what}>
        <span className={classes.name}>
          {state === 'done' && fileId !== undefined ? <Link to={filesPath({ file: fileId })}>{name}</Link> : name}
        </span>
        <State upload={upload} place={[source, ...tags].join(' / ')} />
      </div>
      <div className={classes.actions}>
        {(state === 'sending' || state === 'waiting') && (
          <Act sign={IconPlayerPause} label={words.pauseOne(name)} tip={words.pause} act={() => pauseUpload(id)} />
        )}
        {state === 'paused' && (
          <Act sign={IconPlayerPlay} label={words.resumeOne(name)} tip={words.resume} act={() => resumeUpload(id)} />
        )}
        {state === 'failed' && (
          <Act sign={IconRefresh} label={words.retryOne(name)} tip={words.retry} act={() => resumeUpload(id)} />
        )}
        {state !== 'done' && (
          <Act sign={IconX} label={words.cancelOne(name)} tip={words.cancel} act={() => void cancel(id)} />
        )}
      </div>
      {(state === 'sending' || state === 'paused') && (
        <Progress.Root size={4} radius="sm" className={classes.progress ?? ''}>
          <Progress.Section
            value={(received / Math.max(1, file.size)) * 100}
            color={state === 'paused' ? 'gray.5' : 'teal'}
            aria-label={words.label(name)}
          />
        </Progress.Root>
      )}
    </li>
  );
}

function State({ upload: { state, received, file, problem }, place }: { upload: Upload; place: string }) {
  if (state === 'failed' && problem !== undefined) {
    return (
      <span className={classes.problem}>
        {problem === 'changed' ? words.changedOnDisk : problemText(problem)}
        {problem !== 'changed' && <RequestId problem={problem} />}
      </span>
    );
  }
  const isPart = state === 'sending' || (state === 'waiting' && received > 0);
  const text = isPart
    ? words.progress(received, file.size)
    : state === 'paused'
      ? words.pausedOne(received, file.size)
      : bytes(file.size);
  return (
    <span className={classes.soft}>
      {place} · {text}
    </span>
  );
}

function Act({ sign: Sign, label, tip, act }: { sign: Icon; label: string; tip: string; act: () => void }) {
  return (
    <Tooltip label={tip}>
      <ActionIcon variant="subtle" color="gray" c="var(--ink-soft)" size={32} aria-label={label} onClick={act}>
        <Sign size={18} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
