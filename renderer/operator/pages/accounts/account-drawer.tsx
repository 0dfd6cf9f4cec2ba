import { Button, Group, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { AccountRole } from '../../../../server/wire/exchange.ts';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SideDrawer } from '../../../shared/overlay/side-drawer.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useRepeatableSubmit } from '../../../shared/feedback/use-submit.ts';
import { type Account, call } from '../../api/client.ts';
import { invalidate } from '../../api/queries.ts';
import { Timestamp } from '../../components/timestamp.tsx';
import { messages } from '../../messages/texts.ts';
import { PASSWORD_MIN_CHARS } from './account-form.tsx';
import { RolesField } from './roles-field.tsx';

const texts = messages.accounts;

interface AccountDrawerProps {
  /** Undefined while the drawer is closed. */
  account: Account | undefined;
  isOwn: boolean;
  close: () => void;
}

export function AccountDrawer({ account, isOwn, close }: AccountDrawerProps) {
  return (
    <SideDrawer opened={account !== undefined} close={close} title={account?.name ?? ''}>
      {account !== undefined && <Details key={account.userId} account={account} isOwn={isOwn} />}
    </SideDrawer>
  );
}

const updateAccount = async (
  { userId }: Account,
  body: { roles?: AccountRole[]; enabled?: boolean; password?: string },
  message: string,
): Promise<void> => {
  await call('PUT /api/accounts/:id', { params: { id: userId }, body });
  await invalidate('accounts', 'self');
  showToast(message);
};

function Details({ account, isOwn }: { account: Account; isOwn: boolean }) {
  return (
    <Stack gap="xl">
      <FactList
        facts={[
          { term: texts.created, value: <Timestamp at={account.created} /> },
          { term: texts.lastSeen, value: <Timestamp at={account.lastSeen} /> },
        ]}
      />
      <AccountRoles account={account} />
      <AccountPassword account={account} />
      {/* Administrators cannot disable their own account. */}
      {!isOwn && <AccountAccess account={account} />}
    </Stack>
  );
}

function AccountRoles({ account }: { account: Account }) {
  const [roles, setRoles] = useState<AccountRole[]>(account.roles);
  const { busy, problem, run } = useRepeatableSubmit();
  const isUnchanged = roles.length === account.roles.length && roles.every((role) => account.roles.includes(role));
  const save = () => run(() => updateAccount(account, { roles }, texts.rolesDone(account.name)));
  return (
    <Stack gap="md">
      <RolesField value={roles} onChange={setRoles} error={roles.length === 0 ? texts.missingRoles : undefined} />
      <SubmitError problem={problem} />
      <Group>
        <Button
          variant="default"
          loading={busy}
          disabled={isUnchanged || roles.length === 0}
          onClick={() => void save()}
        >
          {texts.save}
        </Button>
      </Group>
    </Stack>
  );
}

function AccountPassword({ account }: { account: Account }) {
  const [password, setPassword] = useState('');
  const [isSubmitted, setIsSubmitted] = useState(false);
  const { busy, problem, run } = useRepeatableSubmit();
  const isTooShort = password.length < PASSWORD_MIN_CHARS;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (isTooShort) return;
    void run(async () => {
      await updateAccount(account, { password }, texts.passwordDone(account.name));
      setPassword('');
      setIsSubmitted(false);
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <PasswordInput
          label={texts.newPassword}
          description={texts.passwordText}
          autoComplete="new-password"
          value={password}
          error={isSubmitted && isTooShort ? texts.passwordTooShort : undefined}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <SubmitError problem={problem} />
        <Group>
          <Button type="submit" variant="default" loading={busy} disabled={password === ''}>
            {texts.setPassword}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function AccountAccess({ account }: { account: Account }) {
  const { name, enabled } = account;
  const [isConfirmOpen, setIsConfirmOpen] = useState(false);
  const { busy, problem, run } = useRepeatableSubmit();
  const enable = () => run(() => updateAccount(account, { enabled: true }, texts.enableDone(name)));
  return (
    <Stack gap="sm">
      <Title order={3}>{texts.access}</Title>
      <Text c="dimmed">{enabled ? texts.enabled : texts.disabled}</Text>
      <SubmitError problem={problem} />
      <Group>
        {enabled ? (
          <Button variant="default" c="var(--stop)" onClick={() => setIsConfirmOpen(true)}>
            {texts.disable}
          </Button>
        ) : (
          <Button variant="default" loading={busy} onClick={() => void enable()}>
            {texts.enable}
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={isConfirmOpen}
        close={() => setIsConfirmOpen(false)}
        title={texts.disableTitle(name)}
        cancelLabel={texts.keep}
        confirmLabel={texts.disable}
        onConfirm={() => updateAccount(account, { enabled: false }, texts.disableDone(name))}
      >
        {texts.disableText}
      </ConfirmDialog>
    </Stack>
  );
}
