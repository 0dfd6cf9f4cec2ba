import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { ActionIcon, Button, Group, Menu, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconMailPlus, IconUserOff, IconUserPlus, IconUser, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { call } from '../../../../shared/api/client.ts';
import type { SharedView, User } from '../../../../shared/api/contract.ts';
import { invitations } from '../../../api/account/invitations.ts';
import { users, refreshUsers } from '../../../api/account/users.ts';
import { targetShares, type TargetShare } from '../../../api/files/target-shares.ts';
import { sharedViews } from '../../../api/shared-views.ts';
import { InvitationList } from '../../../invitations/invitation-list.tsx';
import { InviteDialog, PasswordLinkDialog } from '../../../invitations/invite-dialog.tsx';
import { showToast, runWithToast } from '../../../../shared/feedback/toasts.tsx';
import { Page } from '../../../components/page.tsx';
import { combineQueries } from '../../../../shared/feedback/query-boundary.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { useItemEdit } from '../../../../shared/keyboard/list-items.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { filesPath, historyPath } from '../../../navigation.ts';
import { StopSharingTargetButton } from '../../../share-targets/stop-button.tsx';
import { TargetIcon } from '../../../share-targets/target-icon.tsx';
import { SharedViewList } from '../../../shared-views/shared-view-list.tsx';
import { AddUserDialog, EditUserDialog, DeleteUserDialog } from './dialogs.tsx';
import classes from './users-page.module.css';
import { TextLink } from '../../../../shared/components/text-link.tsx';

const texts = m.people;

export function UsersPage() {
  const result = useQuery(users);
  const invitationsResult = useQuery(invitations);
  const shares = useQuery(targetShares).data ?? [];
  const views = useQuery(sharedViews).data ?? [];
  const [query, setQuery] = useSearchParams();
  const [isInviting, inviteDialog] = useDisclosure(false);
  const setIsAdding = (isAdding: boolean) => setQuery(isAdding ? { add: '1' } : {}, { replace: true });
  const hasUsers = result.data !== undefined && result.data.length > 0;
  const hasInvitations = invitationsResult.data !== undefined && invitationsResult.data.length > 0;
  const isEmpty = result.data?.length === 0 && invitationsResult.data?.length === 0;
  const actions = (
    <Group gap="sm">
      <Button leftSection={<IconMailPlus size={16} stroke={1.6} />} onClick={inviteDialog.open}>
        {m.invitations.invite}
      </Button>
      <Button variant="default" leftSection={<IconUserPlus size={16} stroke={1.6} />} onClick={() => setIsAdding(true)}>
        {texts.add}
      </Button>
    </Group>
  );
  const problem = result.error ?? invitationsResult.error;
  return (
    <Page title={m.settings.sections.people} lead={texts.lead} {...(hasUsers || hasInvitations ? { actions } : {})}>
      {(result.isPending || invitationsResult.isPending) && <LoadingSkeleton rows={4} height={40} />}
      {problem !== null && (
        <LoadError error={problem} retry={() => void combineQueries(result, invitationsResult).refetch()} />
      )}
      {isEmpty && (
        <EmptyState icon={IconUsers} title={texts.empty.title} actions={actions}>
          {texts.empty.text}
        </EmptyState>
      )}
      {hasUsers && (
        <ul className={classes.people} aria-label={texts.list}>
          {result.data.map((user) => (
            <UserRow
              key={user.userId}
              user={user}
              shares={shares.filter(({ userId }) => userId === user.userId)}
              views={views.filter(({ userId }) => userId === user.userId)}
            />
          ))}
        </ul>
      )}
      {hasInvitations && (
        <section>
          <Title order={2} size="h4" mt="xl" mb="xs">
            {m.invitations.heading}
          </Title>
          <InvitationList invitations={invitationsResult.data} />
        </section>
      )}
      <InviteDialog opened={isInviting} close={inviteDialog.close} />
      <AddUserDialog opened={query.has('add')} close={() => setIsAdding(false)} />
    </Page>
  );
}

function ShareRow({ share }: { share: TargetShare }) {
  const { target } = share;
  const isFolder = target.kind === 'folder';
  return (
    <li>
      <TargetIcon target={target} size={16} />
      <TextLink to={filesPath(isFolder ? { folder: target.id } : { collection: target.id })}>
        <UntrustedText>{isFolder ? target.id : target.name}</UntrustedText>
      </TextLink>
      <StopSharingTargetButton share={share} />
    </li>
  );
}

type UserDialog = 'change' | 'password' | 'delete';

interface UserRowProps {
  user: User;
  shares: readonly TargetShare[];
  views: readonly SharedView[];
}

function UserRow({ user, shares, views }: UserRowProps) {
  const { name, email, enabled, created, lastSeen } = user;
  const [openDialog, setOpenDialog] = useState<UserDialog>();
  const button = useRef<HTMLButtonElement>(null);
  useItemEdit(button, () => setOpenDialog('change'));
  const close = () => {
    setOpenDialog(undefined);
    // The menu item that opened the dialog no longer exists.
    button.current?.focus();
  };
  const Icon = enabled ? IconUser : IconUserOff;
  return (
    <li data-blocked={!enabled || undefined}>
      <Icon size={20} stroke={1.5} aria-hidden="true" />
      <div className={classes.person}>
        <span className={classes.name}>
          <UntrustedText>{name}</UntrustedText>
          {!enabled && <span className={classes.blockedTag}>{texts.blocked}</span>}
        </span>
        <span className={classes.facts}>
          {email !== undefined && <span>{email}</span>}
          {lastSeen === undefined ? (
            <span>{texts.neverSignedIn}</span>
          ) : (
            <span>
              {texts.lastSeen} <RelativeTime at={lastSeen} />
            </span>
          )}
          <span>
            {texts.added} <RelativeTime at={created} />
          </span>
        </span>
        {shares.length > 0 && (
          <ul className={classes.shares} aria-label={m.targetShares.ofPerson(name)}>
            {shares.map((share) => (
              <ShareRow key={share.shareId} share={share} />
            ))}
          </ul>
        )}
        {views.length > 0 && <SharedViewList name={name} views={views} />}
      </div>
      <Actions user={user} open={setOpenDialog} button={button} />
      <EditUserDialog user={user} opened={openDialog === 'change'} close={close} />
      <PasswordLinkDialog user={user} opened={openDialog === 'password'} close={close} />
      <DeleteUserDialog user={user} opened={openDialog === 'delete'} close={close} />
    </li>
  );
}

interface ActionsProps {
  user: User;
  open: (dialog: UserDialog) => void;
  button: RefObject<HTMLButtonElement | null>;
}

function Actions({ user: { userId, name, enabled }, open, button }: ActionsProps) {
  const [busy, setBusy] = useState(false);
  const toggleEnabled = async () => {
    setBusy(true);
    await runWithToast(async () => {
      if (enabled) {
        await call('PUT /users/user/:userId/disable', { params: { userId } });
        showToast(texts.isBlocked(name), texts.isBlockedText);
      } else {
        await call('PUT /users/user/:userId/enable', { params: { userId } });
        showToast(texts.isUnblocked(name));
      }
    });
    setBusy(false);
    await refreshUsers();
  };
  return (
    <Menu width={200}>
      <Menu.Target>
        <ActionIcon
          ref={button}
          variant="default"
          size={32}
          loading={busy}
          aria-label={texts.menu(name)}
          data-list-item
        >
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => open('change')}>{texts.menuChange}</Menu.Item>
        <Menu.Item onClick={() => open('password')}>{texts.menuPassword}</Menu.Item>
        <Menu.Item component={Link} to={historyPath({ user: userId })}>
          {m.history.pageTitle}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void toggleEnabled()}>{enabled ? texts.menuBlock : texts.menuUnblock}</Menu.Item>
        <Menu.Item c="var(--stop)" onClick={() => open('delete')}>
          {texts.menuDelete}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
