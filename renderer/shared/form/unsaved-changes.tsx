import { Button, Group, Stack, Text } from '@mantine/core';
import { NavigationType, useBeforeUnload, useBlocker } from 'react-router';
import { m } from '../messages/texts.ts';
import { Dialog } from '../overlay/dialog.tsx';

/**
 * Asks before Back, Forward, a reload or a closed tab discards the changes in a form. Links and buttons of the page do
 * not ask.
 */
export function UnsavedChanges({ exist }: { exist: boolean }) {
  useBeforeUnload((event) => {
    if (exist) event.preventDefault();
  });
  const blocker = useBlocker(({ historyAction }) => exist && historyAction === NavigationType.Pop);
  const keepEditing = () => blocker.reset?.();
  return (
    <Dialog opened={blocker.state === 'blocked'} onClose={keepEditing} title={m.shell.unsaved.title}>
      <Stack gap="md">
        <Text>{m.shell.unsaved.text}</Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={keepEditing} data-autofocus>
            {m.shell.unsaved.keepEditing}
          </Button>
          <Button color="brick" onClick={() => blocker.proceed?.()}>
            {m.shell.discard}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
