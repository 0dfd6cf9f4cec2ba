import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { type Problem, toProblem } from '../../../shared/api/problem.ts';
import { type SignInMethods, formatPasskeyHeader, requestAssertion } from '../../api/account/second-factor.ts';
import { EntryProblem } from '../../../shared/layout/entry-problem.tsx';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.secondFactor.step;

interface FactorStepProps {
  methods: SignInMethods;
  signInWith: (factor: string) => Promise<unknown>;
  back: () => void;
}

/**
 * Asks for the second factor. Also shown after a wrong password, so that it does not reveal whether the password is
 * correct.
 */
export function FactorStep({ methods, signInWith, back }: FactorStepProps) {
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState<'code' | 'passkey'>();
  const [isCodeMissing, setIsCodeMissing] = useState(false);
  const [problem, setProblem] = useState<Problem | 'no-assertion'>();
  const field = useRef<HTMLInputElement>(null);
  const hasPasskey = methods.passkey !== null;

  useEffect(() => field.current?.focus(), []);

  const attempt = async (method: 'code' | 'passkey', getFactor: () => Promise<string | undefined>) => {
    setBusy(method);
    setProblem(undefined);
    setIsCodeMissing(false);
    try {
      const factor = await getFactor();
      if (factor !== undefined) return void (await signInWith(factor));
      setProblem('no-assertion');
    } catch (error) {
      setProblem(toProblem(error));
      field.current?.select();
    } finally {
      setBusy(undefined);
    }
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    setIsCodeMissing(code === '');
    if (code === '') field.current?.focus();
    else void attempt('code', () => Promise.resolve(code));
  };
  const signInWithPasskey = () =>
    void attempt('passkey', async () => {
      const assertion = await requestAssertion();
      return assertion === undefined ? undefined : formatPasskeyHeader(assertion);
    });

  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Text>{texts.text}</Text>
        {hasPasskey && (
          <>
            <Button size="md" w="fit-content" loading={busy === 'passkey'} onClick={signInWithPasskey}>
              {texts.passkey}
            </Button>
            <Text c="dimmed">{texts.or}</Text>
          </>
        )}
        <TextInput
          ref={field}
          label={methods.app ? texts.code : texts.codeOnly}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          value={code}
          error={isCodeMissing && code === '' ? texts.missing : undefined}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <EntryProblem problem={problem === 'no-assertion' ? undefined : problem} invalidCredentialsText={texts.wrong}>
          {problem === 'no-assertion' ? <Text>{texts.notAnswered}</Text> : undefined}
        </EntryProblem>
        <Button
          type="submit"
          size="md"
          variant={hasPasskey ? 'default' : 'filled'}
          w="fit-content"
          loading={busy === 'code'}
        >
          {m.entry.signIn.submit}
        </Button>
        <Text c="dimmed">{texts.lost}</Text>
        <Anchor component="button" type="button" onClick={back} w="fit-content">
          {texts.back}
        </Anchor>
      </Stack>
    </form>
  );
}
