import { Button, Group, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { SubmitError } from '../feedback/states.tsx';
import { useSubmit } from '../feedback/use-submit.ts';
import { m } from '../messages/texts.ts';

interface DialogButtonsProps {
  submitLabel: string;
  cancelLabel?: string;
  busy: boolean;
  disabled?: boolean;
  isDestructive?: boolean;
  close: () => void;
}

export function DialogButtons({
  submitLabel,
  cancelLabel = m.shell.cancel,
  busy,
  disabled = false,
  isDestructive = false,
  close,
}: DialogButtonsProps) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={close}>
        {cancelLabel}
      </Button>
      <Button type="submit" color={isDestructive ? 'brick' : 'teal'} loading={busy} disabled={disabled}>
        {submitLabel}
      </Button>
    </Group>
  );
}

interface DialogFormProps extends Omit<DialogButtonsProps, 'busy'> {
  /** Marks invalid fields. Returns true if there are none. */
  check?: (() => boolean) | undefined;
  /** Must itself close the dialog or replace the form. */
  send: () => Promise<unknown>;
  children: ReactNode;
}

export function DialogForm({ check, send, children, ...buttons }: DialogFormProps) {
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (check?.() !== false) void run(send);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {children}
        <SubmitError problem={problem} />
        <DialogButtons {...buttons} busy={busy} />
      </Stack>
    </form>
  );
}
