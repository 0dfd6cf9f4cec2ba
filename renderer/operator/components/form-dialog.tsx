import { Button, Group, type ModalProps, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Dialog } from '../../shared/overlay/dialog.tsx';
import { SubmitError } from '../../shared/feedback/states.tsx';
import { useSubmit } from '../../shared/feedback/use-submit.ts';
import { messages } from '../messages/texts.ts';

interface FormDialogProps {
  title: string;
  size?: ModalProps['size'];
  submitLabel: string;
  disabled?: boolean;
  close: () => void;
  /** Marks missing required fields. Returns true if there are none. */
  check?: () => boolean;
  send: () => Promise<unknown>;
  children: ReactNode;
}

/** Closes on success and shows the reason on failure. */
export function FormDialog({
  title,
  size = 'md',
  submitLabel,
  disabled = false,
  close,
  check,
  send,
  children,
}: FormDialogProps) {
  const { busy, problem, run } = useSubmit();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (check?.() === false) return;
    void run(async () => {
      await send();
      close();
    });
  };
  return (
    <Dialog opened onClose={close} title={title} size={size}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          {children}
          <SubmitError problem={problem} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              {messages.cancel}
            </Button>
            <Button type="submit" loading={busy} disabled={disabled}>
              {submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
