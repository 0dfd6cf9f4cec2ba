import { PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { AccountRole } from '../../../../server/wire/exchange.ts';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { call } from '../../api/client.ts';
import { invalidate } from '../../api/queries.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { messages } from '../../messages/texts.ts';
import { RolesField } from './roles-field.tsx';

const words = messages.accounts;
export const PASSWORD_MIN_CHARS = 12;

export function AccountForm({ close }: { close: () => void }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [roles, setRoles] = useState<AccountRole[]>([]);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const isTooShort = password.length < PASSWORD_MIN_CHARS;
  const check = () => {
    setIsSubmitted(true);
    return name !== '' && !isTooShort && roles.length > 0;
  };
  const send = async () => {
    await call('POST /api/accounts', { body: { name, password, roles } });
    await invalidate('accounts');
    showToast(words.createdDone(name));
  };
  return (
    <FormDialog title={words.create} submitLabel={words.submitNew} close={close} check={check} send={send}>
      <TextInput
        label={words.name}
        description={words.nameHint}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        value={name}
        error={isSubmitted && name === '' ? words.missingName : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordInput
        label={words.password}
        description={words.passwordHint}
        autoComplete="new-password"
        value={password}
        error={isSubmitted && isTooShort ? words.passwordTooShort : undefined}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <RolesField
        value={roles}
        onChange={setRoles}
        error={isSubmitted && roles.length === 0 ? words.missingRoles : undefined}
      />
    </FormDialog>
  );
}
