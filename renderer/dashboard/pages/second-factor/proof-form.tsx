import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { toProblem } from '../../../shared/api/problem.ts';
import { useOwnerName } from '../../api/queries.ts';
import { type Proof, secondFactor, requestAssertion } from '../../api/account/second-factor.ts';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';

const words = m.secondFactor.proof;

interface ProofFormProps {
  /** Explanation and additional fields. */
  children?: ReactNode;
  submit: string;
  /** Something ends by it. */
  ends?: boolean;
  /** Left out: it stands on a page, where there is nothing to leave. */
  cancel?: () => void;
  /** Other words for the password. */
  label?: string;
  /** Said of a wrong password where no code is asked for. */
  wrongHere?: string;
  /** After the password, what comes in its place. */
  after?: ReactNode;
  /** Validates the additional fields and shows their errors. */
  ready?: () => boolean;
  /** Why it was not done although it was proven. */
  failed?: string | undefined;
  /** What is done once it is clear that it is the owner. */
  done: (proof: Proof) => Promise<unknown>;
}

const isReadyAnyway = (): boolean => true;

/** The password again, and where it is asked for the second factor, before anything of it changes. */
export function ProofForm({
  children,
  submit,
  ends = false,
  cancel,
  label = words.password,
  wrongHere = words.wrongHere,
  after,
  ready = isReadyAnyway,
  failed,
  done,
}: ProofFormProps) {
  const name = useOwnerName();
  const factor = useQuery(secondFactor).data;
  const asked = factor?.asked ?? false;
  const hasPasskey = factor?.passkeys.some(({ here }) => here) ?? false;
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [missing, setMissing] = useState(false);
  const [silent, setSilent] = useState(false);
  const { busy, problem, run } = useSubmit();
  const said = silent ? words.notAnswered : failed;
  const isWrong = problem !== undefined && toProblem(problem).code === 'forbidden';

  const go = (proof: () => Promise<Proof | undefined>) => {
    setSilent(false);
    void run(async () => {
      const given = await proof();
      if (given === undefined) {
        setSilent(true);
        throw new Error(words.notAnswered);
      }
      await done(given);
    });
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    const isReady = ready();
    const lacks = password === '' || (asked && code === '');
    setMissing(lacks);
    if (isReady && !lacks) go(() => Promise.resolve({ password, ...(asked ? { code } : {}) }));
  };
  const byPasskey = () => {
    setMissing(password === '');
    if (!ready() || password === '') return;
    go(async () => {
      const answer = await requestAssertion();
      return answer === undefined ? undefined : { password, passkey: answer };
    });
  };

  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        {typeof children === 'string' ? <Text size="sm">{children}</Text> : children}
        <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
        <PasswordInput
          label={label}
          autoComplete="current-password"
          value={password}
          data-autofocus={
            (cancel !== undefined && (children === undefined || typeof children === 'string')) || undefined
          }
          error={missing && password === '' ? words.missing : isWrong ? (asked ? words.wrong : wrongHere) : undefined}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {asked && (
          <div>
            <TextInput
              label={words.code}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              value={code}
              error={missing && code === '' ? words.codeMissing : undefined}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
            {hasPasskey && (
              <Anchor component="button" type="button" size="sm" mt="xs" onClick={byPasskey}>
                {words.passkey}
              </Anchor>
            )}
          </div>
        )}
        {after}
        {said !== undefined && (
          <Text size="sm" role="alert">
            {said}
          </Text>
        )}
        {!isWrong && said === undefined && <SubmitError problem={problem} />}
        <Group justify={cancel === undefined ? 'flex-start' : 'flex-end'} gap="sm">
          {cancel !== undefined && (
            <Button variant="default" onClick={cancel}>
              {m.shell.cancel}
            </Button>
          )}
          <Button type="submit" color={ends ? 'brick' : 'teal'} loading={busy}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
