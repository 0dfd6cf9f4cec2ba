import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { MAX_INVITATION_FILES } from '../../../../../server/wire/limits.ts';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { InviteDialog } from '../../../invitations/invite-dialog.tsx';

export function InviteSelected({ files }: { files: readonly OwnerFile[] }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconUserPlus size={16} stroke={1.6} />}
        disabled={files.length > MAX_INVITATION_FILES}
        onClick={dialog.open}
      >
        {m.invitations.inviteTo(files.length)}
      </Button>
      <InviteDialog opened={isOpen} close={dialog.close} fileIds={files.map(({ file }) => file.fileId)} />
    </>
  );
}
