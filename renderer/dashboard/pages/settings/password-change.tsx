import { Box, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import { sessions, useOwnerName } from '../../api/queries.ts';
import { replaceToken } from '../../../shared/api/session.ts';
import type { OwnerProof } from '../../api/account/second-factor.ts';
import { NewPasswordField } from '../../components/new-password.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { ProofForm } from '../second-factor/proof-form.tsx';

const texts = m.settings.security;

export function ChangePassword() {
  const name = useOwnerName();
  const client = useQueryClient();
  const [newPassword, setNewPassword] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const [formKey, setFormKey] = useState(0);
  const validate = (): boolean => {
    setIsMissing(newPassword === '');
    return newPassword !== '';
  };
  const change = async (proof: OwnerProof) => {
    const { accessToken } = await call('POST /api/v2.6/owner/password', { body: { ...proof, newPassword } });
    replaceToken(accessToken);
    setNewPassword('');
    setFormKey((key) => key + 1);
    showToast(texts.changed);
    await client.invalidateQueries({ queryKey: sessions.queryKey });
  };
  return (
    <>
      <Text c="dimmed" mb="md">
        {texts.passwordText}
      </Text>
      <Box maw="26rem">
        <ProofForm
          key={formKey}
          passwordLabel={texts.currentPassword}
          wrongPasswordText={texts.wrong}
          submitLabel={texts.change}
          validate={validate}
          onProof={change}
          extraFields={
            <NewPasswordField
              label={texts.newPassword}
              name={name}
              value={newPassword}
              error={isMissing && newPassword === '' ? texts.missing : undefined}
              onChange={setNewPassword}
            />
          }
        />
      </Box>
    </>
  );
}
