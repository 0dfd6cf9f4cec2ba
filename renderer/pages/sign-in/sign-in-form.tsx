import { Button, Checkbox, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { type Problem, asProblem } from '../../api/problem.ts';
import { signIn } from '../../api/session.ts';
import { isOwnerToken } from '../../api/token-scope.ts';
import { RequestId, problemText } from '../../components/states.tsx';
import { m } from '../../messages/en.ts';
import classes from './sign-in-form.module.css';

const words = m.entry.signIn;

interface SignInFormProps {
  /** Name of this PDA, once it is known. */
  known: string;
  /** Whether it is known by now, or will not be. */
  ready: boolean;
  submit?: string;
}

/** Name and password. What comes after it shows by itself once one is signed in. */
export function SignInForm({ known, ready, submit: submitWord = words.submit }: SignInFormProps) {
  const [name, setName] = useState<string>();
  const [password, setPassword] = useState('');
  const [keep, setKeep] = useState(false);
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState<{ name?: boolean; password?: boolean }>({});
  const [problem, setProblem] = useState<Problem>();
  /** Somebody who has a right password, but not the owner's. */
  const [person, setPerson] = useState<string>();
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
    setPerson(undefined);
    const lacks = { name: shownName === '', password: password === '' };
    setMissing(lacks);
    if (lacks.name || lacks.password) {
      (lacks.name ? first : second).current?.focus();
      return;
    }
    setBusy(true);
    try {
      const { accessToken } = await call('GET /users/access_token', {
        headers: { username: encodeURIComponent(shownName), password: encodeURIComponent(password) },
      });
      if (!isOwnerToken(accessToken)) {
        setPerson(shownName);
        setBusy(false);
        setPassword('');
        await call('DELETE /users/access_token', { headers: { 'x-auth-token': accessToken } }).catch(() => {
          // Nobody has the token of this session: at the latest it ends by itself.
        });
        return;
      }
      signIn(accessToken, keep);
    } catch (error) {
      setProblem(asProblem(error));
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
          error={missing.name === true ? words.missingName : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          ref={second}
          label={words.password}
          name="password"
          autoComplete="current-password"
          value={password}
          error={missing.password === true ? words.missingPassword : undefined}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Checkbox
          label={words.keep}
          description={words.keepHint}
          checked={keep}
          onChange={(event) => setKeep(event.currentTarget.checked)}
        />
        <div role="alert">
          {person !== undefined && (
            <div className={classes.problem}>
              <Text size="sm">{words.person(person)}</Text>
              <Text size="sm">{words.personText}</Text>
            </div>
          )}
          {problem !== undefined && (
            <div className={classes.problem}>
              <Text size="sm">{problem.code === 'invalid_credentials' ? words.wrong : problemText(problem)}</Text>
              {problem.code !== 'invalid_credentials' && <RequestId problem={problem} />}
            </div>
          )}
        </div>
        <Button type="submit" size="md" loading={busy} className={classes.submit}>
          {submitWord}
        </Button>
      </Stack>
    </form>
  );
}
