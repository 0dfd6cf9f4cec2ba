import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Dialog } from '../../shared/overlay/dialog.tsx';

interface BulkButtonProps {
  icon: Icon;
  label: string;
  title: string;
  disabledReason: string | undefined;
  children: (close: () => void) => ReactNode;
}

export function BulkButton({ icon: ButtonIcon, label, title, disabledReason, children }: BulkButtonProps) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<ButtonIcon size={16} stroke={1.6} />}
        disabled={disabledReason !== undefined}
        title={disabledReason}
        onClick={dialog.open}
      >
        {label}
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={title}>
        {children(dialog.close)}
      </Dialog>
    </>
  );
}
