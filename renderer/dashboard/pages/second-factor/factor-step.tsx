import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { type Problem, toProblem } from '../../../shared/api/problem.ts';
import { type SignInWays, formatPasskeyHeader, requestAssertion } from '../../api/account/second-factor.ts';
import { EntryProblem } from '../../../shared/layout/entry-problem.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './factor-step.module.css';

const words = m.secondFactor.step;

interface FactorStepProps {
  ways: SignInWays;
  /** Signs in with the entered factor. */
  enter: (factor: string) => Promise<unknown>;
  back: () => void;
}

/** After name and password, whether they are right or not: nothing is said of them before all of it is there. */
export function FactorStep({ ways, enter, back }: FactorStepProps) {
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState<'code' | 'passkey'>();
  const [missing, setMissing] = useState(false);
  const [problem, setProblem] = useState<Problem | 'silent'>();
  const field = useRef<HTMLInputElement>(null);
  const hasPasskey = ways.passkey !== null;

  useEffect(() => field.current?.focus(), []);

  const attempt = async (way: 'code' | 'passkey', factor: () => Promise<string | undefined>) => {
    setBusy(way);
    setProblem(undefined);
    setMissing(false);
    try {
      const given = await factor();
      if (given !== undefined) return void (await enter(given));
      setProblem('silent');
    } catch (error) {
      setProblem(toProblem(error));
      field.current?.select();
    } finally {
      setBusy(undefined);
    }
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    setMissing(code === '');
    if (code === '') field.current?.focus();
    else void attempt('code', () => Promise.resolve(code));
  };
  const byPasskey = () =>
    void attempt('passkey', async () => {
      const answer = await requestAssertion();
      return answer === undefined ? undefined : formatPasskeyHeader(answer);
    });

  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Text size="sm">{words.text}</Text>
        {hasPasskey && (
          <>
            <Button size="md" className={classes.button ?? ''} loading={busy === 'passkey'} onClick={byPasskey}>
              {words.passkey}
            </Button>
            <Text size="sm" c="dimmed">
              {words.or}
            </Text>
          </>
        )}
        <TextInput
          ref={field}
          label={ways.app ? words.code : words.codeOnly}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          value={code}
          error={missing && code === '' ? words.missing : undefined}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <EntryProblem problem={problem === 'silent' ? undefined : problem} wrong={words.wrong}>
          {problem === 'silent' ? <Text size="sm">{words.notAnswered}</Text> : undefined}
        </EntryProblem>
        <Button
          type="submit"
          size="md"
          variant={hasPasskey ? 'default' : 'filled'}
          className={classes.button ?? ''}
          loading={busy === 'code'}
        >
          {words.submit}
        </Button>
        <Text size="sm" c="dimmed">
          {words.lost}
        </Text>
        <Anchor component="button" type="button" size="sm" onClick={back} className={classes.button ?? ''}>
          {words.back}
        </Anchor>
      </Stack>
    </form>
  );
}
