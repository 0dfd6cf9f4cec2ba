import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog, type DialogState } from './dialog.tsx';
import { showToast } from '../feedback/toasts.tsx';
import { SubmitError } from '../feedback/states.tsx';
import { useSubmit } from '../feedback/use-submit.ts';
import { m } from '../messages/texts.ts';

interface ConfirmFormProps {
  close: () => void;
  children: ReactNode;
  cancelLabel: string;
  confirmLabel: string;
  /** Shows a red button. Default: true. */
  isDestructive?: boolean;
  onConfirm: () => Promise<unknown>;
}

/** Closes on success and shows the error on failure. */
export function ConfirmDialog({ opened, title, ...form }: ConfirmFormProps & { opened: boolean; title: string }) {
  return (
    <Dialog opened={opened} onClose={form.close} title={title}>
      <ConfirmForm {...form} />
    </Dialog>
  );
}

interface ConfirmEndDialogProps extends DialogState {
  name: string;
  texts: {
    title: (name: string) => string;
    keep?: string;
    submit: string;
    done: (name: string) => string;
    doneText?: string;
  };
  end: () => Promise<unknown>;
  children: ReactNode;
}

/** Asks for confirmation before ending a named item, such as a contract, and shows a message on success. */
export function ConfirmEndDialog({ opened, close, name, texts, end, children }: ConfirmEndDialogProps) {
  const confirm = async () => {
    await end();
    showToast(texts.done(name), texts.doneText);
  };
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={texts.title(name)}
      cancelLabel={texts.keep ?? m.shell.keep}
      confirmLabel={texts.submit}
      onConfirm={confirm}
    >
      {children}
    </ConfirmDialog>
  );
}

function ConfirmForm({
  close,
  children,
  cancelLabel,
  confirmLabel,
  isDestructive = true,
  onConfirm,
}: ConfirmFormProps) {
  const { busy, problem, run } = useSubmit();
  const confirm = async () => {
    await onConfirm();
    close();
  };
  return (
    <Stack gap="md">
      {typeof children === 'string' ? <Text>{children}</Text> : children}
      <SubmitError problem={problem} />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={close} data-autofocus>
          {cancelLabel}
        </Button>
        <Button color={isDestructive ? 'brick' : 'teal'} loading={busy} onClick={() => void run(confirm)}>
          {confirmLabel}
        </Button>
      </Group>
    </Stack>
  );
}
