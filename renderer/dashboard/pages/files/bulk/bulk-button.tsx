import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { MAX_BULK_FILES } from '../../../../../server/wire/limits.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';

interface BulkButtonProps {
  /** Number of selected files. */
  count: number;
  icon: Icon;
  button: string;
  title: string;
  children: (close: () => void) => ReactNode;
}

/** Button that opens a dialog for all selected files. Disabled if there are too many for one request. */
export function BulkButton({ count, icon: ButtonIcon, button, title, children }: BulkButtonProps) {
  const [isOpen, dialog] = useDisclosure(false);
  const isTooMany = count > MAX_BULK_FILES;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<ButtonIcon size={16} stroke={1.6} />}
        disabled={isTooMany}
        title={isTooMany ? m.bulkFiles.tooMany(MAX_BULK_FILES) : undefined}
        onClick={dialog.open}
      >
        {button}
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={title}>
        {children(dialog.close)}
      </Dialog>
    </>
  );
}
