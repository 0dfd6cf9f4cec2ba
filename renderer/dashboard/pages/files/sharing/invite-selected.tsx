import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { MAX_INVITATION_FILES } from '../../../../../server/wire/limits.ts';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { InviteDialog } from '../../../invitations/invite-dialog.tsx';

export function InviteSelected({ files }: { files: readonly OwnerFile[] }) {
  const [isOpen, dialog] = useDisclosure(false);
  const isTooMany = files.length > MAX_INVITATION_FILES;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconUserPlus size={16} stroke={1.6} />}
        disabled={isTooMany}
        title={isTooMany ? m.bulkFiles.tooMany(MAX_INVITATION_FILES) : undefined}
        onClick={dialog.open}
      >
        {m.invitations.inviteTo(files.length)}
      </Button>
      <InviteDialog opened={isOpen} close={dialog.close} fileIds={files.map(({ file }) => file.fileId)} />
    </>
  );
}
