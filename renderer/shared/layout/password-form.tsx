import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { type Problem, toProblem } from '../api/problem.ts';
import { EntryProblem } from './entry-problem.tsx';
import classes from './password-form.module.css';

interface PasswordFormProps {
  words: Record<'name' | 'password' | 'submit' | 'missingName' | 'missingPassword' | 'wrong', string>;
  /** Initial name. */
  known?: string;
  /** True once the initial name is known, or is known to be missing. */
  ready?: boolean;
  /** Signs in. Returns the reason if it fails although the password was right; the password is then cleared. */
  enter: (name: string, password: string) => Promise<ReactNode>;
  /** Content between the password and the button. */
  children?: ReactNode;
}

/** Form with name and password. The router shows the next page after signing in. */
export function PasswordForm({ words, known = '', ready = true, enter, children }: PasswordFormProps) {
  const [name, setName] = useState<string>();
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState({ name: false, password: false });
  const [problem, setProblem] = useState<Problem>();
  const [refused, setRefused] = useState<ReactNode>();
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);
  const shownName = name ?? known;

  useEffect(() => {
    if (!ready) return;
    (first.current?.value === '' ? first : second).current?.focus();
  }, [ready]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    setRefused(undefined);
    const lacks = { name: shownName === '', password: password === '' };
    setMissing(lacks);
    if (lacks.name || lacks.password) {
      (lacks.name ? first : second).current?.focus();
      return;
    }
    setBusy(true);
    try {
      const why = await enter(shownName, password);
      if (why === undefined) return;
      setRefused(why);
      setBusy(false);
      setPassword('');
    } catch (error) {
      setProblem(toProblem(error));
      setBusy(false);
      second.current?.select();
      second.current?.focus();
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack gap="md">
        <TextInput
          ref={first}
          label={words.name}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          value={shownName}
          error={missing.name ? words.missingName : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          ref={second}
          label={words.password}
          name="password"
          autoComplete="current-password"
          value={password}
          error={missing.password ? words.missingPassword : undefined}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {children}
        <EntryProblem problem={problem} wrong={words.wrong}>
          {refused}
        </EntryProblem>
        <Button type="submit" size="md" loading={busy} className={classes.submit ?? ''}>
          {words.submit}
        </Button>
      </Stack>
    </form>
  );
}
