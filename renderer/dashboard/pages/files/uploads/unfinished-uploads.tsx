import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { useApplicationName } from '../../../api/sharing/access.ts';
import { refreshFiles } from '../../../api/files/queries.ts';
import { isUploadOf } from '../../../api/files/upload-identity.ts';
import { discardUnfinished, startUploads } from '../../../api/files/uploads.ts';
import { RepeatableFileButton } from '../../../../shared/form/repeatable-file-button.tsx';
import { runWithToast } from '../../../../shared/feedback/toasts.tsx';
import { Section } from '../../../components/page.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './uploads-page.module.css';
import { ActionButton } from '../../../../shared/feedback/action-button.tsx';

const texts = m.files.uploading.unfinished;

/** Lists interrupted uploads. To resume one, the owner selects its file again, because the page cannot reopen it. */
export function UnfinishedUploads({ files, hiddenCount }: { files: readonly OwnerFile[]; hiddenCount: number }) {
  return (
    <Section title={texts.title}>
      <Text c="dimmed" mb="sm" maw="44rem">
        {texts.text}
      </Text>
      <ul className={classes.list}>
        {files.map((file) => (
          <UnfinishedUpload key={file.ledgerId} upload={file} />
        ))}
      </ul>
      {hiddenCount > 0 && <p className={classes.hiddenCount}>{m.shell.andMore(hiddenCount)}</p>}
    </Section>
  );
}

function UnfinishedUpload({ upload }: { upload: OwnerFile }) {
  const { fileId, name, source, tags = [] } = upload.file;
  const [isDifferentFile, setIsDifferentFile] = useState(false);
  const applicationName = useApplicationName();
  const choose = (file: File) => {
    const isSameFile = isUploadOf({ file, name: file.name, source, tags, fileId }, upload);
    setIsDifferentFile(!isSameFile);
    if (isSameFile) startUploads([{ file, name, source, tags }]);
  };
  const discard = async () => {
    await runWithToast(() => discardUnfinished(fileId));
    await refreshFiles();
  };
  return (
    <li data-stack-on-phone>
      <Stack gap={2} miw={0}>
        <span className={classes.name}>{name}</span>
        <span className={classes.secondaryText}>{[source, ...tags].join(' / ')}</span>
        <span className={classes.secondaryText}>
          {texts.uploaded(upload.received ?? 0)}
          {upload.from === 'application' && `, ${texts.from(applicationName(upload.application ?? ''))}`}
        </span>
        {isDifferentFile && (
          <span className={classes.problem} role="alert">
            {texts.other(name)}
          </span>
        )}
      </Stack>
      <div className={classes.actions}>
        {upload.from === 'owner' && (
          <RepeatableFileButton onChoose={choose}>
            {(props) => (
              <Button {...props} variant="default" size="xs" aria-label={texts.chooseLabel(name)}>
                {texts.choose}
              </Button>
            )}
          </RepeatableFileButton>
        )}
        <ActionButton isDestructive label={texts.discardLabel(name)} action={discard}>
          {m.shell.discard}
        </ActionButton>
      </div>
    </li>
  );
}
