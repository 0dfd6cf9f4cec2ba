import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { toProblem } from '../../../shared/api/problem.ts';
import { useOwnerName } from '../../api/queries.ts';
import { type OwnerProof, secondFactor, requestAssertion } from '../../api/account/second-factor.ts';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.secondFactor.proof;

interface ProofFormProps {
  children?: ReactNode;
  submitLabel: string;
  destructive?: boolean;
  /** Omitted outside dialogs, because a page cannot be closed. */
  cancel?: () => void;
  passwordLabel?: string;
  /** Error for a wrong password if no code is required. */
  wrongPasswordText?: string;
  /** Fields below the password and the code. */
  extraFields?: ReactNode;
  validate?: () => boolean;
  /** Shown if the proof is valid but the change fails. */
  changeError?: string | undefined;
  onProof: (proof: OwnerProof) => Promise<unknown>;
}

const acceptAny = (): boolean => true;

export function ProofForm({
  children,
  submitLabel,
  destructive = false,
  cancel,
  passwordLabel = m.shell.yourPassword,
  wrongPasswordText = texts.wrongHere,
  extraFields,
  validate = acceptAny,
  changeError,
  onProof,
}: ProofFormProps) {
  const name = useOwnerName();
  const factor = useQuery(secondFactor).data;
  const requiresFactor = factor?.required ?? false;
  const hasPasskey = factor?.passkeys.some(({ usableHere }) => usableHere) ?? false;
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const [isAssertionMissing, setIsAssertionMissing] = useState(false);
  const { busy, problem, run } = useSubmit();
  const codeMissingText = hasPasskey ? texts.codeMissing : m.secondFactor.step.missing;
  const message = isAssertionMissing ? texts.notAnswered : changeError;
  const isWrong = problem !== undefined && toProblem(problem).code === 'forbidden';

  const submitProof = (getProof: () => Promise<OwnerProof | undefined>) => {
    setIsAssertionMissing(false);
    void run(async () => {
      const proof = await getProof();
      if (proof === undefined) {
        setIsAssertionMissing(true);
        throw new Error(texts.notAnswered);
      }
      await onProof(proof);
    });
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    const isValid = validate();
    const isIncomplete = password === '' || (requiresFactor && code === '');
    setIsMissing(isIncomplete);
    if (isValid && !isIncomplete) submitProof(() => Promise.resolve({ password, ...(requiresFactor ? { code } : {}) }));
  };
  const submitPasskey = () => {
    setIsMissing(password === '');
    if (!validate() || password === '') return;
    submitProof(async () => {
      const assertion = await requestAssertion();
      return assertion === undefined ? undefined : { password, passkey: assertion };
    });
  };

  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        {typeof children === 'string' ? <Text>{children}</Text> : children}
        <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
        <PasswordInput
          label={passwordLabel}
          autoComplete="current-password"
          value={password}
          data-autofocus={
            (cancel !== undefined && (children === undefined || typeof children === 'string')) || undefined
          }
          error={
            isMissing && password === ''
              ? m.shell.passwordMissing
              : isWrong
                ? requiresFactor
                  ? texts.wrong
                  : wrongPasswordText
                : undefined
          }
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {requiresFactor && (
          <div>
            <TextInput
              label={factor?.app == null ? m.secondFactor.step.codeOnly : texts.code}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              value={code}
              error={isMissing && code === '' ? codeMissingText : undefined}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
            {hasPasskey && (
              <Anchor component="button" type="button" mt="xs" onClick={submitPasskey}>
                {texts.passkey}
              </Anchor>
            )}
          </div>
        )}
        {extraFields}
        {message !== undefined && <Text role="alert">{message}</Text>}
        {!isWrong && message === undefined && <SubmitError problem={problem} />}
        <Group justify={cancel === undefined ? 'flex-start' : 'flex-end'} gap="sm">
          {cancel !== undefined && (
            <Button variant="default" onClick={cancel}>
              {m.shell.cancel}
            </Button>
          )}
          <Button type="submit" color={destructive ? 'brick' : 'teal'} loading={busy}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
