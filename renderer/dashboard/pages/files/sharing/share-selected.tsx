import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLink } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { MAX_SHARE_LINK_FILES } from '../../../../../server/wire/limits.ts';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import { createShareLink, type LinkSettings } from '../../../api/files/share-links.ts';
import { LINKS_PATH } from '../../../navigation.ts';
import { LinkForm } from '../../../share-links/link-form.tsx';
import { titleOf } from '../file-kinds.ts';

const words = m.shareLinks.create;

/** Button that creates one share link for all selected files. */
export function ShareSelected({ files }: { files: readonly OwnerFile[] }) {
  const [isOpen, dialog] = useDisclosure(false);
  const navigate = useNavigate();
  const [first] = files;
  const create = async (settings: LinkSettings) => {
    await createShareLink({ fileIds: files.map(({ file }) => file.fileId) }, settings);
    showToast(words.done);
    void navigate(LINKS_PATH);
  };
  const isTooMany = files.length > MAX_SHARE_LINK_FILES;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconLink size={16} stroke={1.6} />}
        disabled={isTooMany}
        title={isTooMany ? words.tooMany(MAX_SHARE_LINK_FILES) : undefined}
        onClick={dialog.open}
      >
        {words.selected(files.length)}
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={words.selectedTitle(files.length)}>
        <LinkForm
          defaultName={first === undefined || files.length > 1 ? '' : titleOf(first)}
          submit={words.submit}
          onSubmit={create}
          close={dialog.close}
        />
      </Dialog>
    </>
  );
}
