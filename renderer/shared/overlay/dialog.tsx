import { Modal, type ModalProps } from '@mantine/core';
import { useTopLayer } from './use-top-layer.ts';

/** Something over the page that is answered before one goes on. Closes by Escape while nothing lies above it. */
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
