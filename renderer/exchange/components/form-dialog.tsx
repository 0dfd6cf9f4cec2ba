import { Button, Group, type ModalProps, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { NotDone } from '../../components/states.tsx';
import { useAct } from '../../components/use-act.ts';
import { x } from '../messages/texts.ts';

interface FormDialogProps {
  title: string;
  size?: ModalProps['size'];
  submit: string;
  /** It cannot be sent as things are. */
  disabled?: boolean;
  close: () => void;
  /** Whether all is there that must be. What is missing is said from then on. */
  check?: () => boolean;
  send: () => Promise<unknown>;
  children: ReactNode;
}

/** Fields, and what is done with them. It closes when that is done; what keeps it from being done is said in it. */
export function FormDialog({
  title,
  size = 'md',
  submit,
  disabled = false,
  close,
  check,
  send,
  children,
}: FormDialogProps) {
  const { busy, problem, act } = useAct();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (check?.() === false) return;
    void act(async () => {
      await send();
      close();
    });
  };
  return (
    <Dialog opened onClose={close} title={title} size={size}>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          {children}
          <NotDone problem={problem} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              {x.cancel}
            </Button>
            <Button type="submit" loading={busy} disabled={disabled}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
