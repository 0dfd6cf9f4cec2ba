import { Button, Group, Modal, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { AccountRole } from '../../../../server/wire/exchange.ts';
import { tell } from '../../../components/notices.tsx';
import { NotDone } from '../../../components/states.tsx';
import { useAct } from '../../../components/use-act.ts';
import { call } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { x } from '../../messages/en.ts';
import { RolesField } from './roles-field.tsx';

const words = x.accounts;
export const MIN_PASSWORD_CHARS = 12;

export function NewAccount({ close }: { close: () => void }) {
  return (
    <Modal opened onClose={close} title={words.create}>
      <Form close={close} />
    </Modal>
  );
}

function Form({ close }: { close: () => void }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [roles, setRoles] = useState<AccountRole[]>([]);
  const [tried, setTried] = useState(false);
  const { busy, problem, act } = useAct();
  const isShort = password.length < MIN_PASSWORD_CHARS;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (name === '' || isShort || roles.length === 0) return;
    void act(async () => {
      await call('POST /api/accounts', { body: { name, password, roles } });
      tell(words.createdDone(name));
      await refresh('accounts');
      close();
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={words.name}
          description={words.nameHint}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          value={name}
          error={tried && name === '' ? words.lacksName : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          label={words.password}
          description={words.passwordHint}
          autoComplete="new-password"
          value={password}
          error={tried && isShort ? words.lacksPassword : undefined}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <RolesField
          value={roles}
          onChange={setRoles}
          error={tried && roles.length === 0 ? words.lacksRoles : undefined}
        />
        <NotDone problem={problem} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {x.cancel}
          </Button>
          <Button type="submit" loading={busy}>
            {words.submitNew}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
