import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLink } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { MAX_SHARE_LINK_FILES } from '../../../../../server/wire/limits.ts';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import type { SharedContent } from '../../../api/files/queries.ts';
import { createShareLink, type LinkSettings } from '../../../api/files/share-links.ts';
import { contentOfTarget, type ShareTarget } from '../../../api/files/target-shares.ts';
import { LINKS_PATH } from '../../../navigation.ts';
import { LinkForm } from '../../../share-links/link-form.tsx';
import { PlaceNotice } from '../../../share-targets/place-notice.tsx';
import { titleOf } from '../file-kinds.ts';

const texts = m.shareLinks.create;

interface ShareLinkButtonProps {
  text: string;
  dialogTitle: string;
  defaultName: string;
  content: SharedContent;
  disabledReason?: string | undefined;
}

function ShareLinkButton(props: ShareLinkButtonProps) {
  const { text, dialogTitle, defaultName, content, disabledReason } = props;
  const [isOpen, dialog] = useDisclosure(false);
  const navigate = useNavigate();
  const create = async (settings: LinkSettings) => {
    await createShareLink(content, settings);
    showToast(texts.done);
    void navigate(LINKS_PATH);
  };
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconLink size={16} stroke={1.6} />}
        disabled={disabledReason !== undefined}
        title={disabledReason}
        onClick={dialog.open}
      >
        {text}
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={dialogTitle}>
        <PlaceNotice content={content} />
        <LinkForm defaultName={defaultName} submitLabel={texts.submit} onSubmit={create} close={dialog.close} />
      </Dialog>
    </>
  );
}

export function ShareSelected({ files }: { files: readonly OwnerFile[] }) {
  const [firstFile] = files;
  return (
    <ShareLinkButton
      text={texts.selected(files.length)}
      dialogTitle={texts.selectedTitle(files.length)}
      defaultName={firstFile === undefined || files.length > 1 ? '' : titleOf(firstFile)}
      content={{ fileIds: files.map(({ file }) => file.fileId) }}
      disabledReason={files.length > MAX_SHARE_LINK_FILES ? texts.tooMany(MAX_SHARE_LINK_FILES) : undefined}
    />
  );
}

export function ShareTargetWithLink({ target }: { target: ShareTarget }) {
  return (
    <ShareLinkButton
      text={texts.target}
      dialogTitle={texts.targetTitles[target.kind](target.name)}
      defaultName={target.name}
      content={contentOfTarget(target)}
    />
  );
}
