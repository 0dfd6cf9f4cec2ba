import { Button, FileButton, Text } from '@mantine/core';
import { useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { useApplicationName } from '../../../api/sharing/access.ts';
import { refreshFiles } from '../../../api/files/queries.ts';
import { isUploadOf } from '../../../api/files/upload-sender.ts';
import { discardUnfinished, startUploads } from '../../../api/files/uploads.ts';
import { showProblemToast } from '../../../../shared/feedback/toasts.tsx';
import { Section } from '../../../components/page.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './uploads-page.module.css';

const words = m.files.uploading.unfinished;

/** Uploads of an earlier visit. The page may not open their files again by itself. */
export function Unfinished({ files, more }: { files: readonly OwnerFile[]; more: number }) {
  return (
    <Section title={words.title}>
      <Text size="sm" c="dimmed" mb="sm" maw="44rem">
        {words.text}
      </Text>
      <ul className={classes.list}>
        {files.map((file) => (
          <Line key={file.ledgerId} begun={file} />
        ))}
      </ul>
      {more > 0 && <p className={classes.more}>{words.more(more)}</p>}
    </Section>
  );
}

function Line({ begun }: { begun: OwnerFile }) {
  const { fileId, name, source, tags = [] } = begun.file;
  const [isOther, setOther] = useState(false);
  const [busy, setBusy] = useState(false);
  const applicationName = useApplicationName();
  const choose = (file: File | null) => {
    if (file === null) return;
    const same = isUploadOf({ file, name: file.name, source, tags, fileId }, begun);
    setOther(!same);
    if (same) startUploads([{ file, name, source, tags }]);
  };
  const discard = async () => {
    setBusy(true);
    try {
      await discardUnfinished(fileId);
    } catch (error) {
      showProblemToast(m.shell.problem.notDone, error);
    }
    await refreshFiles();
    setBusy(false);
  };
  return (
    <li data-worded>
      <div className={classes.what}>
        <span className={classes.name}>{name}</span>
        <span className={classes.soft}>{[source, ...tags].join(' / ')}</span>
        <span className={classes.soft}>
          {words.arrived(begun.received ?? 0)}
          {begun.from === 'application' && `, ${words.from(applicationName(begun.application ?? ''))}`}
        </span>
        {isOther && (
          <span className={classes.problem} role="alert">
            {words.other(name)}
          </span>
        )}
      </div>
      <div className={classes.actions}>
        {begun.from === 'owner' && (
          <FileButton onChange={choose}>
            {(props) => (
              <Button {...props} variant="default" size="xs" aria-label={words.chooseLabel(name)}>
                {words.choose}
              </Button>
            )}
          </FileButton>
        )}
        <Button
          variant="default"
          size="xs"
          c="var(--stop)"
          loading={busy}
          aria-label={words.discardLabel(name)}
          onClick={() => void discard()}
        >
          {words.discard}
        </Button>
      </div>
    </li>
  );
}
