import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Invitation } from '../../shared/api/contract.ts';
import { UntrustedText } from '../../shared/components/untrusted-text.tsx';
import { StatusBadge, type BadgeStatus } from '../../shared/components/status-badge.tsx';
import { ActionButton } from '../../shared/feedback/action-button.tsx';
import { runWithToast, showToast } from '../../shared/feedback/toasts.tsx';
import { timeInWords } from '../../shared/format/format.ts';
import { m } from '../../shared/messages/texts.ts';
import { revokeInvitation } from '../api/account/invitations.ts';
import { RenewDialog } from './invite-dialog.tsx';
import classes from './invitation-list.module.css';
import lists from '../../shared/components/lists.module.css';

const texts = m.invitations;
const MAX_LISTED_FILES = 3;

const BADGE_STATUS: Readonly<Record<Invitation['state'], BadgeStatus>> = {
  open: 'pending',
  expired: 'none',
  accepted: 'ok',
  revoked: 'stopped',
};

export function InvitationList({ invitations }: { invitations: readonly Invitation[] }) {
  return (
    <ul className={lists.rows} aria-label={texts.heading}>
      {invitations.map((invitation) => (
        <InvitationRow key={invitation.invitationId} invitation={invitation} />
      ))}
    </ul>
  );
}

function purposeText({ kind, files, folder, collection }: Invitation): string {
  if (kind === 'password') return texts.password.purpose;
  if (folder !== null) return texts.sharedFolder(folder);
  if (collection !== null) return texts.sharedCollection(collection.name);
  const names = files.slice(0, MAX_LISTED_FILES).map(({ name }) => name);
  return files.length === 0 ? texts.nothingShared : texts.shared(names, files.length - names.length);
}

function timeText({ kind, state, expires, accepted, created, user }: Invitation): string {
  const inWords = (time: number) => timeInWords(new Date(time));
  switch (state) {
    case 'open':
      return texts.until(inWords(expires));
    case 'expired':
      return texts.expiredAt(inWords(expires));
    case 'accepted':
      if (kind === 'password') return texts.password.usedAt(inWords(accepted ?? created));
      return user === null
        ? texts.acceptedAt(inWords(accepted ?? created))
        : texts.acceptedBy(user.name, inWords(accepted ?? created));
    case 'revoked':
      return texts.created(inWords(created));
  }
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const { kind, name, state } = invitation;
  const [isRenewing, dialog] = useDisclosure(false);
  const isRenewable = state === 'open' || state === 'expired';
  return (
    <li className={classes.row}>
      <div className={classes.content}>
        <Text span fw={600}>
          <UntrustedText>{name}</UntrustedText>
        </Text>
        <Text c="dimmed">
          <UntrustedText>{timeText(invitation)}</UntrustedText>
        </Text>
        <Text c="dimmed">
          <UntrustedText>{purposeText(invitation)}</UntrustedText>
        </Text>
      </div>
      <div className={lists.statusAndActions}>
        <StatusBadge status={BADGE_STATUS[state]} short>
          {kind === 'password' && state === 'accepted' ? texts.password.used : texts.states[state]}
        </StatusBadge>
        <Group gap="sm">
          {isRenewable && (
            <Button variant="default" size="xs" aria-label={texts.renewLabel(name)} onClick={dialog.open}>
              {texts.renew}
            </Button>
          )}
          <EndButton invitation={invitation} isRenewable={isRenewable} />
        </Group>
      </div>
      <RenewDialog invitation={invitation} opened={isRenewing} close={dialog.close} />
    </li>
  );
}

function EndButton({
  invitation: { invitationId, kind, name },
  isRenewable,
}: {
  invitation: Invitation;
  isRenewable: boolean;
}) {
  const actionTexts = kind === 'password' ? texts.password : texts;
  const end = async () => {
    if (await runWithToast(() => revokeInvitation(invitationId)))
      showToast(isRenewable ? actionTexts.revoked(name) : actionTexts.removed(name));
  };
  return (
    <ActionButton
      isDestructive={isRenewable}
      label={isRenewable ? actionTexts.revokeLabel(name) : actionTexts.removeLabel(name)}
      action={end}
    >
      {isRenewable ? texts.revoke : m.shell.remove}
    </ActionButton>
  );
}
