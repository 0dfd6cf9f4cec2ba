import { Anchor, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRef } from 'react';
import type { ShareLink } from '../../shared/api/contract.ts';
import { CopyableValue } from '../../shared/components/copyable-value.tsx';
import { UntrustedText } from '../../shared/components/untrusted-text.tsx';
import { StatusBadge, type BadgeStatus } from '../../shared/components/status-badge.tsx';
import { ActionButton } from '../../shared/feedback/action-button.tsx';
import { runWithToast, showToast } from '../../shared/feedback/toasts.tsx';
import { useItemEdit } from '../../shared/keyboard/list-items.ts';
import { m } from '../../shared/messages/texts.ts';
import { Dialog } from '../../shared/overlay/dialog.tsx';
import { useBaseUrl } from '../api/queries.ts';
import { changeShareLink, revokeShareLink, type LinkSettings } from '../api/files/share-links.ts';
import { historyPath, linkPreviewPath } from '../navigation.ts';
import { LinkForm } from './link-form.tsx';
import { linkContentText, linkEndText } from './link-text.ts';
import classes from './share-link-list.module.css';
import lists from '../../shared/components/lists.module.css';
import { TextLink } from '../../shared/components/text-link.tsx';

const texts = m.shareLinks;

const BADGE_STATUS: Readonly<Record<ShareLink['state'], BadgeStatus>> = {
  active: 'ok',
  expired: 'none',
  'used-up': 'none',
};

export function ShareLinkList({ links }: { links: readonly ShareLink[] }) {
  return (
    <ul className={lists.rows}>
      {links.map((link) => (
        <ShareLinkRow key={link.linkId} link={link} />
      ))}
    </ul>
  );
}

function factsOf(link: ShareLink): string[] {
  const { password, viewOnly, opens, opensMax } = link;
  return [
    linkEndText(link),
    ...(password ? [texts.password] : []),
    ...(viewOnly ? [texts.viewOnly] : []),
    opensMax === null ? texts.opens(opens) : texts.opensOf(opens, opensMax),
  ];
}

function ShareLinkRow({ link }: { link: ShareLink }) {
  const { linkId, name, path, state } = link;
  const { baseUrl } = useBaseUrl();
  const [isChanging, dialog] = useDisclosure(false);
  const viewLink = useRef<HTMLAnchorElement>(null);
  useItemEdit(viewLink, dialog.open);
  return (
    <li className={classes.row}>
      <div className={classes.content}>
        <Text span fw={600}>
          <UntrustedText>{name}</UntrustedText>
        </Text>
        <Text>
          <UntrustedText>{linkContentText(link)}</UntrustedText>
        </Text>
        <Text c="dimmed" className={lists.inlineFacts ?? ''}>
          {factsOf(link).map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </Text>
        {state === 'active' && <CopyableValue value={`${baseUrl}${path}`} label={texts.copy(name)} />}
        <div className={classes.actions}>
          {/* With `opener`, the new tab gets a copy of this tab's session storage, which can contain the session. */}
          <TextLink
            to={linkPreviewPath(linkId)}
            target="_blank"
            rel="opener"
            aria-label={m.sharing.linkPreview.viewLabel(name)}
            ref={viewLink}
            data-list-item
          >
            {m.sharing.linkPreview.view}
          </TextLink>
          <TextLink to={historyPath({ link: linkId })} aria-label={texts.historyLabel(name)}>
            {m.history.pageTitle}
          </TextLink>
          <Anchor component="button" type="button" aria-label={texts.change.label(name)} onClick={dialog.open}>
            {m.shell.change}
          </Anchor>
        </div>
      </div>
      <div className={lists.statusAndActions}>
        <StatusBadge status={BADGE_STATUS[state]} short>
          {texts.states[state]}
        </StatusBadge>
        <RevokeButton link={link} />
      </div>
      <ChangeDialog link={link} opened={isChanging} close={dialog.close} />
    </li>
  );
}

function RevokeButton({ link: { linkId, name } }: { link: ShareLink }) {
  const revoke = async () => {
    if (await runWithToast(() => revokeShareLink(linkId))) showToast(texts.revoke.done(name), texts.revoke.doneText);
  };
  return (
    <ActionButton isDestructive label={texts.revoke.label(name)} action={revoke}>
      {texts.revoke.action}
    </ActionButton>
  );
}

function ChangeDialog({ link, opened, close }: { link: ShareLink; opened: boolean; close: () => void }) {
  const change = async (settings: LinkSettings) => {
    await changeShareLink(link.linkId, settings);
    showToast(texts.change.done);
    close();
  };
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={texts.change.title}
      // The dialog can cover a drawer, and only one of them may contribute a banner landmark.
      attributes={{ header: { role: 'presentation' } }}
    >
      <LinkForm link={link} defaultName={link.name} submitLabel={m.shell.save} onSubmit={change} close={close} />
    </Dialog>
  );
}
