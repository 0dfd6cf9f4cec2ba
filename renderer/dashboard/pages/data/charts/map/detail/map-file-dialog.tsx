import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { OwnerFile } from '../../../../../../shared/api/contract.ts';
import { UntrustedText } from '../../../../../../shared/components/untrusted-text.tsx';
import { QueryBoundary } from '../../../../../../shared/feedback/query-boundary.tsx';
import { bytes } from '../../../../../../shared/format/format.ts';
import { MAP_FILE_CHAPTER } from '../../../../../../shared/help/chapters.ts';
import { ChapterLink } from '../../../../../../shared/help/help-link.tsx';
import { m } from '../../../../../../shared/messages/texts.ts';
import { Dialog, type DialogState } from '../../../../../../shared/overlay/dialog.tsx';
import { DialogForm } from '../../../../../../shared/overlay/dialog-form.tsx';
import { chooseMapFile, MAP_FILES_MAX, mapFiles } from '../../../../../api/files/map-file.ts';
import classes from './detail.module.css';

const texts = m.charts.map.detail.dialog;

interface MapFileDialogProps extends DialogState {
  chosenId: string | undefined;
}

export function MapFileDialog({ opened, close, chosenId }: MapFileDialogProps) {
  return (
    <Dialog opened={opened} onClose={close} title={texts.title}>
      <Stack gap="md">
        <Text>{texts.text}</Text>
        <ChapterLink chapter={MAP_FILE_CHAPTER}>{texts.help}</ChapterLink>
        <MapFileList close={close} chosenId={chosenId} />
      </Stack>
    </Dialog>
  );
}

function MapFileList({ close, chosenId }: Omit<MapFileDialogProps, 'opened'>) {
  const files = useQuery(mapFiles);
  if (files.data === undefined) return <QueryBoundary query={files} rows={3} />;
  if (files.data.length > 0) return <MapFileForm files={files.data} close={close} chosenId={chosenId} />;
  return (
    <>
      <Text>{texts.empty}</Text>
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={close}>
          {m.shell.cancel}
        </Button>
        <Button component={Link} to="/files">
          {texts.toFiles}
        </Button>
      </Group>
    </>
  );
}

function MapFileForm({ files, close, chosenId }: Omit<MapFileDialogProps, 'opened'> & { files: readonly OwnerFile[] }) {
  const ids = files.map(({ file }) => file.fileId);
  // The list may lack the chosen file, for example because the file was deleted.
  const [selectedId, setSelectedId] = useState(ids.find((id) => id === chosenId) ?? ids[0] ?? '');
  const choose = async () => {
    await chooseMapFile(selectedId);
    close();
  };
  return (
    <DialogForm submitLabel={texts.submit} close={close} send={choose}>
      <Radio.Group label={texts.files} value={selectedId} onChange={setSelectedId}>
        <div className={classes.files}>
          {files.map(({ file, path }) => (
            <Radio
              key={file.fileId}
              value={file.fileId}
              label={<UntrustedText>{file.name}</UntrustedText>}
              description={
                <>
                  {bytes(file.status.size ?? 0)} · <UntrustedText>{path ?? ''}</UntrustedText>
                </>
              }
            />
          ))}
        </div>
      </Radio.Group>
      {files.length >= MAP_FILES_MAX && <Text c="dimmed">{texts.cut(MAP_FILES_MAX)}</Text>}
    </DialogForm>
  );
}
