import { Box, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRef } from 'react';
import { ActionButton } from '../../../../../../shared/feedback/action-button.tsx';
import { Callout } from '../../../../../../shared/components/callout.tsx';
import { runWithToast, showToast } from '../../../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../../../shared/messages/texts.ts';
import { chooseMapFile } from '../../../../../api/files/map-file.ts';
import { MapFileDialog } from './map-file-dialog.tsx';
import type { DetailProblem } from './problem.ts';
import type { StreetDetailState } from './use-street-detail.ts';

const texts = m.charts.map.detail;
const RETRIABLE_PROBLEMS: ReadonlySet<DetailProblem> = new Set(['unreachable', 'changed', 'damaged']);

export function DetailSection({ state }: { state: StreetDetailState }) {
  const { isLoaded, file, problem, retry } = state;
  const [isChoosing, dialog] = useDisclosure(false);
  const chooseButton = useRef<HTMLButtonElement>(null);
  if (!isLoaded) return null;

  const remove = async () => {
    if (!(await runWithToast(() => chooseMapFile(null)))) return;
    showToast(texts.removed);
    // The button that had the focus no longer exists.
    chooseButton.current?.focus();
  };
  return (
    <Box component="section" mt="md" aria-label={texts.title}>
      {file !== undefined && problem !== undefined && (
        <Callout
          tone="attention"
          urgent
          action={
            RETRIABLE_PROBLEMS.has(problem) && (
              <Button variant="default" size="xs" onClick={retry}>
                {m.shell.retry}
              </Button>
            )
          }
        >
          {texts.problems[problem](file.file.name)}
        </Callout>
      )}
      <Group gap="sm">
        <Text>{file === undefined ? texts.none : texts.chosen(file.file.name)}</Text>
        <Button ref={chooseButton} variant="default" size="xs" onClick={dialog.open}>
          {file === undefined ? texts.choose : texts.change}
        </Button>
        {file !== undefined && (
          <ActionButton action={remove} label={texts.removeLabel}>
            {m.shell.remove}
          </ActionButton>
        )}
      </Group>
      <MapFileDialog opened={isChoosing} close={dialog.close} chosenId={file?.file.fileId} />
    </Box>
  );
}
