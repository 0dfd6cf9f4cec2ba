import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call } from '../../api/client.ts';
import { type Problem, asProblem } from '../../api/problem.ts';
import { sessions, useOwnerName } from '../../api/queries.ts';
import { replaceToken } from '../../api/session.ts';
import { NewPassword } from '../../components/new-password.tsx';
import { tell } from '../../components/notices.tsx';
import { NotDone } from '../../components/states.tsx';
import { m } from '../../messages/en.ts';

const words = m.settings.security;

export function ChangePassword() {
  const name = useOwnerName();
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  const [next, setNext] = useState('');
  const [missing, setMissing] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState(false);
  const wrong = problem?.code === 'forbidden' || problem?.code === 'invalid_credentials';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    const lacks = password === '' || next === '';
    setMissing(lacks);
    if (lacks) return;
    setBusy(true);
    try {
      const { accessToken } = await call('POST /api/v2.6/owner/password', { body: { password, newPassword: next } });
      replaceToken(accessToken);
      setPassword('');
      setNext('');
      tell(words.changed);
      await client.invalidateQueries({ queryKey: sessions.queryKey });
    } catch (error) {
      setProblem(asProblem(error));
    }
    setBusy(false);
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Text size="sm" c="dimmed" mb="md">
        {words.passwordText}
      </Text>
      <Stack gap="md" maw="26rem">
        <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
        <PasswordInput
          label={words.now}
          autoComplete="current-password"
          value={password}
          error={wrong ? words.wrong : missing && password === '' ? words.missing : undefined}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <NewPassword
          label={words.next}
          name={name}
          value={next}
          error={missing && next === '' ? words.missing : undefined}
          onChange={setNext}
        />
        {!wrong && <NotDone problem={problem} />}
        <Button type="submit" loading={busy} style={{ alignSelf: 'flex-start' }}>
          {words.change}
        </Button>
      </Stack>
    </form>
  );
}
