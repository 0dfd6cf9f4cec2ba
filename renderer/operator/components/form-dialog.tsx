import { type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../shared/overlay/dialog.tsx';
import { DialogForm } from '../../shared/overlay/dialog-form.tsx';

interface FormDialogProps {
  title: string;
  size?: ModalProps['size'];
  submitLabel: string;
  disabled?: boolean;
  close: () => void;
  /** Marks missing and invalid fields. Returns true if there are none. */
  check?: () => boolean;
  send: () => Promise<unknown>;
  children: ReactNode;
}

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
  const sendAndClose = async () => {
    await send();
    close();
  };
  return (
    <Dialog opened onClose={close} title={title} size={size}>
      <DialogForm submitLabel={submitLabel} disabled={disabled} close={close} check={check} send={sendAndClose}>
        {children}
      </DialogForm>
    </Dialog>
  );
}
