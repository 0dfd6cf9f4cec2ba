import { Modal, type ModalProps } from '@mantine/core';
import { useTopLayer } from './use-top-layer.ts';

/** Modal dialog. Escape closes it unless another layer lies above it. */
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
