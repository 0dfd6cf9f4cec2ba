import { Modal, type ModalProps } from '@mantine/core';
import { useTopLayer } from './use-top-layer.ts';

export interface DialogState {
  opened: boolean;
  close: () => void;
}

interface DialogProps extends ModalProps {
  /** Keeps the dialog open on Escape and clicks outside, to protect unsaved changes. */
  isLocked?: boolean;
}

/** Modal dialog. Escape closes only the topmost dialog or drawer. */
export function Dialog({ onClose, isLocked = false, ...props }: DialogProps) {
  const isOnTop = useTopLayer(props.opened);
  return (
    <Modal
      closeOnEscape={!isLocked}
      closeOnClickOutside={!isLocked}
      // The header would be a landmark, and two open dialogs would have the same landmark twice.
      attributes={{ header: { role: 'none' } }}
      {...props}
      onClose={() => {
        if (isOnTop()) onClose();
      }}
    />
  );
}
