import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { type Problem, toProblem } from '../api/problem.ts';
import { EntryProblem } from './entry-problem.tsx';

interface PasswordFormProps {
  texts: Record<'name' | 'password' | 'submit' | 'missingName' | 'missingPassword' | 'wrong', string>;
  initialName?: string;
  /** False while the initial name is loading. The form then cannot be submitted without a name. */
  ready?: boolean;
  /** Resolves to an explanation if the sign-in failed despite a correct password. The form then clears the password. */
  signIn: (name: string, password: string) => Promise<ReactNode>;
  children?: ReactNode;
}

export function PasswordForm({ texts, initialName = '', ready = true, signIn, children }: PasswordFormProps) {
  const [name, setName] = useState<string>();
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState({ name: false, password: false });
  const [problem, setProblem] = useState<Problem>();
  const [refusal, setRefusal] = useState<ReactNode>();
  const nameField = useRef<HTMLInputElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const currentName = name ?? initialName;

  useEffect(() => {
    if (!ready) return;
    (nameField.current?.value === '' ? nameField : passwordField).current?.focus();
  }, [ready]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    setRefusal(undefined);
    const missingFields = { name: currentName === '', password: password === '' };
    setMissing(missingFields);
    if (missingFields.name || missingFields.password) {
      (missingFields.name ? nameField : passwordField).current?.focus();
      return;
    }
    setBusy(true);
    try {
      const reason = await signIn(currentName, password);
      if (reason === undefined) return;
      setRefusal(reason);
      setBusy(false);
      setPassword('');
    } catch (error) {
      setProblem(toProblem(error));
      setBusy(false);
      passwordField.current?.select();
      passwordField.current?.focus();
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <TextInput
          ref={nameField}
          label={texts.name}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          value={currentName}
          error={missing.name ? texts.missingName : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          ref={passwordField}
          label={texts.password}
          name="password"
          autoComplete="current-password"
          value={password}
          error={missing.password ? texts.missingPassword : undefined}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {children}
        <EntryProblem problem={problem} invalidCredentialsText={texts.wrong}>
          {refusal}
        </EntryProblem>
        <Button type="submit" size="md" loading={busy} disabled={!ready && currentName === ''} w="fit-content">
          {texts.submit}
        </Button>
      </Stack>
    </form>
  );
}
