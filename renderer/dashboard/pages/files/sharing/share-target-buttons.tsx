import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMailPlus, IconUserPlus } from '@tabler/icons-react';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import type { ShareTarget } from '../../../api/files/target-shares.ts';
import { InviteDialog } from '../../../invitations/invite-dialog.tsx';
import { TargetSharing } from '../../../share-targets/target-sharing.tsx';
import { ShareTargetWithLink } from './share-link-button.tsx';

const texts = m.targetShares;
const ICON_PROPS = { size: 16, stroke: 1.6 } as const;

export function ShareTargetButtons({ target }: { target: ShareTarget }) {
  const [isSharing, sharing] = useDisclosure(false);
  const [isInviting, invitation] = useDisclosure(false);
  return (
    <>
      <Button size="xs" variant="default" leftSection={<IconUserPlus {...ICON_PROPS} />} onClick={sharing.open}>
        {texts.button}
      </Button>
      <Button size="xs" variant="default" leftSection={<IconMailPlus {...ICON_PROPS} />} onClick={invitation.open}>
        {m.invitations.invite}
      </Button>
      <ShareTargetWithLink target={target} />
      <Dialog opened={isSharing} onClose={sharing.close} title={texts[target.kind].title(target.name)}>
        <TargetSharing target={target} />
      </Dialog>
      <InviteDialog opened={isInviting} close={invitation.close} target={target} />
    </>
  );
}
