import { PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { AccountRole } from '../../../../server/wire/exchange.ts';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { call } from '../../api/client.ts';
import { invalidate } from '../../api/queries.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { messages } from '../../messages/texts.ts';
import { RolesField } from './roles-field.tsx';

const texts = messages.accounts;
export const PASSWORD_MIN_CHARS = 12;

export function AccountForm({ close }: { close: () => void }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [roles, setRoles] = useState<AccountRole[]>([]);
  const [hasTriedToSubmit, setHasTriedToSubmit] = useState(false);
  const isTooShort = password.length < PASSWORD_MIN_CHARS;
  const check = () => {
    setHasTriedToSubmit(true);
    return name !== '' && !isTooShort && roles.length > 0;
  };
  const send = async () => {
    await call('POST /api/accounts', { body: { name, password, roles } });
    await invalidate('accounts');
    showToast(texts.createdDone(name));
  };
  return (
    <FormDialog title={texts.create} submitLabel={texts.submitNew} close={close} check={check} send={send}>
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        value={name}
        error={hasTriedToSubmit && name === '' ? texts.missingName : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordInput
        label={texts.password}
        description={texts.passwordHint}
        autoComplete="new-password"
        value={password}
        error={hasTriedToSubmit && isTooShort ? texts.passwordTooShort : undefined}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <RolesField
        value={roles}
        onChange={setRoles}
        error={hasTriedToSubmit && roles.length === 0 ? texts.missingRoles : undefined}
      />
    </FormDialog>
  );
}
