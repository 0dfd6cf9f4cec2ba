import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Navigate, useSearchParams } from 'react-router';
import { type Problem, asProblem } from '../../api/problem.ts';
import { signIn, useSignedIn } from '../../api/session.ts';
import { RequestId, problemText } from '../../components/states.tsx';
import { EntryFrame } from '../../layout/entry-frame.tsx';
import formClasses from '../../pages/sign-in/sign-in-form.module.css';
import { call } from '../api/client.ts';
import { x } from '../messages/en.ts';

const words = x.signIn;

/** Only places of these pages: an address from elsewhere must not lead anywhere else. */
const placeToGo = (then: string | null): string => (then !== null && /^\/(?![/\\])/.test(then) ? then : '/');

export function SignInPage() {
  const [query] = useSearchParams();
  const then = query.get('then');
  if (useSignedIn()) return <Navigate to={placeToGo(then)} replace />;
  return (
    <EntryFrame
      product={x.product}
      title={words.title}
      windowTitle={words.pageTitle}
      text={then === null ? undefined : words.ended}
    >
      <SignInForm />
    </EntryFrame>
  );
}

function SignInForm() {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState<{ name?: boolean; password?: boolean }>({});
  const [problem, setProblem] = useState<Problem>();
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    const lacks = { name: name === '', password: password === '' };
    setMissing(lacks);
    if (lacks.name || lacks.password) {
      (lacks.name ? first : second).current?.focus();
      return;
    }
    setBusy(true);
    try {
      const { accessToken } = await call('GET /api/users/access_token', {
        headers: { username: encodeURIComponent(name), password: encodeURIComponent(password) },
      });
      signIn(accessToken, false);
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
          value={name}
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
        <div role="alert">
          {problem !== undefined && (
            <div className={formClasses.problem}>
              <Text size="sm">{problem.code === 'invalid_credentials' ? words.wrong : problemText(problem)}</Text>
              {problem.code !== 'invalid_credentials' && <RequestId problem={problem} />}
            </div>
          )}
        </div>
        <Button type="submit" size="md" loading={busy} className={formClasses.submit ?? ''}>
          {words.submit}
        </Button>
      </Stack>
    </form>
  );
}
