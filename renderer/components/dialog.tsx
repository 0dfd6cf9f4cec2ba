import { Modal, type ModalProps } from '@mantine/core';
import { useOnTop } from './use-on-top.ts';

/** Something over the page that is answered before one goes on. Closes by Escape while nothing lies above it. */
export function Dialog({ onClose, ...props }: ModalProps) {
  const isOnTop = useOnTop(props.opened);
  return (
    <Modal
      {...props}
      onClose={() => {
        if (isOnTop()) onClose();
      }}
    />
  );
}
