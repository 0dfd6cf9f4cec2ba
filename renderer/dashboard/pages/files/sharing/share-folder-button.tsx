import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import { folderNameOf } from '../../../shared-folders/actions.ts';
import { FolderPeople } from '../../../shared-folders/folder-people.tsx';

const words = m.sharedFolders;

/** Button that shows with whom a folder is shared, and shares it with another person. */
export function ShareFolderWithPerson({ folder }: { folder: string }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button size="xs" variant="default" leftSection={<IconUserPlus size={16} stroke={1.6} />} onClick={dialog.open}>
        {words.button}
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={words.title(folderNameOf(folder))}>
        <FolderPeople folder={folder} />
      </Dialog>
    </>
  );
}
