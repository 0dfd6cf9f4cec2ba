import { Button, FileButton, Group, Text, Title } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { ImportJob } from '../../../shared/api/contract.ts';
import {
  resumeWithChosenFiles,
  pauseImportUpload,
  resumeImportUpload,
  useImportUpload,
} from '../../api/import-uploads.ts';
import { LoadError } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { ProgressMeter } from '../../components/progress-meter.tsx';

const texts = m.imports.upload;
const ICON_PROPS = { size: 16, stroke: 1.6 } as const;

/** Asks for the files again if the upload was started before the page was loaded. */
export function UploadProgress({ job, discard }: { job: ImportJob; discard: () => void }) {
  const upload = useImportUpload(job.importId);
  const [isSelectionIncomplete, setIsSelectionIncomplete] = useState(false);
  const discardButton = (
    <Button variant="default" leftSection={<IconTrash {...ICON_PROPS} />} onClick={discard}>
      {m.shell.discard}
    </Button>
  );

  if (upload === undefined) {
    // Browsers do not let a page reopen a file without the user.
    const choose = (selectedFiles: File[]) => {
      if (selectedFiles.length === 0) return;
      // The files are sent in the order of `job.files`.
      const files = job.files.map(({ name, size }) =>
        selectedFiles.find((file) => file.name === name && file.size === size),
      );
      const hasAllFiles = files.every((file) => file !== undefined);
      setIsSelectionIncomplete(!hasAllFiles);
      if (hasAllFiles) resumeWithChosenFiles(job, files);
    };
    return (
      <section>
        <Title order={2}>{texts.chooseAgain(job.files.length)}</Title>
        <Text c="dimmed" maw="42rem" mt="xs">
          {texts.chooseAgainText(job.fileName, job.received, job.size)}
        </Text>
        <ProgressMeter
          label={texts.label}
          share={job.received / Math.max(1, job.size)}
          detail={m.files.uploading.progress(job.received, job.size)}
          remaining={undefined}
          paused
        />
        {isSelectionIncomplete && (
          <Text c="var(--stop)" mb="md" role="alert">
            {texts.otherFile(job.fileName, job.files.length)}
          </Text>
        )}
        <Group gap="sm">
          <FileButton multiple onChange={choose}>
            {(props) => <Button {...props}>{m.imports.choose.button}</Button>}
          </FileButton>
          {discardButton}
        </Group>
      </section>
    );
  }

  const { received, speed, state, problem } = upload;
  const remainingText =
    speed > 0 && state === 'sending' ? m.shell.timeLeft(((job.size - received) / speed) * 1000) : undefined;
  return (
    <section>
      <Title order={2}>{state === 'paused' ? texts.paused : state === 'stopped' ? texts.stopped : texts.title}</Title>
      <ProgressMeter
        label={texts.label}
        share={received / Math.max(1, job.size)}
        detail={m.files.uploading.progress(received, job.size)}
        remaining={remainingText}
        paused={state !== 'sending' && state !== 'sent'}
      />
      {problem !== undefined && <LoadError error={problem} title={texts.stoppedText(received)} />}
      <Group gap="sm" mt="md">
        {state === 'sending' ? (
          <Button
            variant="default"
            leftSection={<IconPlayerPause {...ICON_PROPS} />}
            onClick={() => pauseImportUpload(job.importId)}
          >
            {m.files.uploading.pause}
          </Button>
        ) : (
          <Button leftSection={<IconPlayerPlay {...ICON_PROPS} />} onClick={() => resumeImportUpload(job.importId)}>
            {m.files.uploading.resume}
          </Button>
        )}
        {discardButton}
      </Group>
      {state === 'sending' && (
        <Text c="dimmed" mt="md">
          {texts.canLeave}
        </Text>
      )}
    </section>
  );
}
