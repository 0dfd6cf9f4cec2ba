import { Modal, type ModalProps } from '@mantine/core';
import { useTopLayer } from './use-top-layer.ts';

export interface DialogState {
  opened: boolean;
  close: () => void;
}

/** Modal dialog. Escape closes only the topmost dialog or drawer. */
export function Dialog({ onClose, ...props }: ModalProps) {
  const isOnTop = useTopLayer(props.opened);
  return (
    <Modal
      {...props}
      onClose={() => {
        if (isOnTop()) onClose();
      }}
    />
  );
}
