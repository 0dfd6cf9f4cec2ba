import { ForeignText } from '../../../../shared/components/foreign-text.tsx';
import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconDots, IconUserOff, IconUserPlus, IconUser, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { call } from '../../../../shared/api/client.ts';
import type { User } from '../../../../shared/api/contract.ts';
import { users, refreshUsers } from '../../../api/account/users.ts';
import { showToast, showProblemToast } from '../../../../shared/feedback/toasts.tsx';
import { Page } from '../../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { historyPath } from '../../../navigation.ts';
import { AddPerson, ChangePerson, DeletePerson, PasswordOfPerson } from './dialogs.tsx';
import classes from './users-page.module.css';

const words = m.people;

/** Who could be given files? */
export function PeoplePage() {
  const all = useQuery(users);
  const [query, setQuery] = useSearchParams();
  const open = (adding: boolean) => setQuery(adding ? { add: '1' } : {}, { replace: true });
  const add = (
    <Button leftSection={<IconUserPlus size={16} stroke={1.6} />} onClick={() => open(true)}>
      {words.add}
    </Button>
  );
  return (
    <Page
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={words.lead}
      {...(all.data !== undefined && all.data.length > 0 ? { actions: add } : {})}
    >
      {all.isPending && <LoadingSkeleton rows={4} height={40} />}
      {all.isError && <LoadError error={all.error} retry={() => void all.refetch()} />}
      {all.data !== undefined && all.data.length === 0 && (
        <EmptyState icon={IconUsers} title={words.empty.title} actions={add}>
          {words.empty.text}
        </EmptyState>
      )}
      {all.data !== undefined && all.data.length > 0 && (
        <ul className={classes.people} aria-label={words.list}>
          {all.data.map((person) => (
            <Line key={person.userId} person={person} />
          ))}
        </ul>
      )}
      <AddPerson opened={query.has('add')} close={() => open(false)} />
    </Page>
  );
}

type Asking = 'change' | 'password' | 'delete';

function Line({ person }: { person: User }) {
  const { name, email, enabled, created, lastSeen } = person;
  const [asking, setAsking] = useState<Asking>();
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setAsking(undefined);
    // What the dialog was opened from is gone with its menu.
    button.current?.focus();
  };
  const Picture = enabled ? IconUser : IconUserOff;
  return (
    <li data-out={!enabled || undefined}>
      <Picture size={20} stroke={1.5} aria-hidden="true" />
      <div className={classes.who}>
        <span className={classes.name}>
          <ForeignText>{name}</ForeignText>
          {!enabled && <span className={classes.out}>{words.shutOut}</span>}
        </span>
        <span className={classes.facts}>
          {email !== undefined && <span>{email}</span>}
          {lastSeen === undefined ? (
            <span>{words.notSeen}</span>
          ) : (
            <span>
              {words.seen} <RelativeTime at={lastSeen} />
            </span>
          )}
          <span>
            {words.added} <RelativeTime at={created} />
          </span>
        </span>
      </div>
      <Actions person={person} ask={setAsking} button={button} />
      <ChangePerson person={person} opened={asking === 'change'} close={close} />
      <PasswordOfPerson person={person} opened={asking === 'password'} close={close} />
      <DeletePerson person={person} opened={asking === 'delete'} close={close} />
    </li>
  );
}

interface ActionsProps {
  person: User;
  ask: (what: Asking) => void;
  button: RefObject<HTMLButtonElement | null>;
}

function Actions({ person: { userId, name, enabled }, ask, button }: ActionsProps) {
  const [busy, setBusy] = useState(false);
  const turn = async () => {
    setBusy(true);
    try {
      if (enabled) {
        await call('PUT /users/user/:userId/disable', { params: { userId } });
        showToast(words.isShutOut(name), words.isShutOutText);
      } else {
        await call('PUT /users/user/:userId/enable', { params: { userId } });
        showToast(words.isLetIn(name));
      }
    } catch (error) {
      showProblemToast(m.shell.problem.notDone, error);
    }
    setBusy(false);
    await refreshUsers();
  };
  return (
    <Menu width={200}>
      <Menu.Target>
        <ActionIcon ref={button} variant="default" size={32} loading={busy} aria-label={words.menu(name)}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => ask('change')}>{words.menuChange}</Menu.Item>
        <Menu.Item onClick={() => ask('password')}>{words.menuPassword}</Menu.Item>
        <Menu.Item component={Link} to={historyPath({ user: userId })}>
          {words.menuHistory}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void turn()}>{enabled ? words.menuShutOut : words.menuLetIn}</Menu.Item>
        <Menu.Item c="var(--stop)" onClick={() => ask('delete')}>
          {words.menuDelete}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
