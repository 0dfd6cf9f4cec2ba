import { Button, Checkbox, PasswordInput, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { isConfirmation } from '../../../../server/wire/erasure-steps.ts';
import { type ErasurePreview, erase, waitForSetUp } from '../../api/account/erasure.ts';
import { toProblem } from '../../../shared/api/problem.ts';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { useOwnerName } from '../../api/queries.ts';
import { removeOfflinePage } from '../../offline-page.ts';
import classes from './erasure.module.css';

const texts = m.erasure;

interface ConfirmErasureProps {
  preview: ErasurePreview;
  done: () => void;
  /** Called when the erasure of the whole account has started. After that, no page of the account works. */
  onAccountErasure: () => void;
}

export function ConfirmErasure({ preview, done, onAccountErasure }: ConfirmErasureProps) {
  const { kind, target } = preview;
  const owner = useOwnerName();
  const [typedName, setTypedName] = useState('');
  const [password, setPassword] = useState('');
  const [includesDerived, setIncludesDerived] = useState(true);
  const [includesCopies, setIncludesCopies] = useState(true);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const { busy, problem, run } = useSubmit();
  const apiProblem = problem === undefined ? undefined : toProblem(problem);
  const isWrongPassword = apiProblem?.code === 'forbidden';
  const isNameCorrect = isConfirmation(typedName, preview.typed);
  const startErasure = async () => {
    const startedErasure = await erase({
      kind,
      target,
      typed: typedName,
      password,
      derived: includesDerived,
      copies: includesCopies,
    });
    if (startedErasure.setUpCode === undefined) {
      showToast(texts.started);
      done();
      return;
    }
    onAccountErasure();
    void removeOfflinePage();
    void waitForSetUp(startedErasure.setUpCode);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (isNameCorrect && password !== '') void run(startErasure);
  };
  const passwordError =
    isSubmitted && password === '' ? texts.missing : isWrongPassword ? m.secondFactor.proof.wrongHere : undefined;
  return (
    <Section title={texts.confirm}>
      <form className={classes.confirmationForm} onSubmit={submit} noValidate>
        <Text>{kind === 'everything' ? texts.starts : texts.wait(preview.waitSeconds)}</Text>
        {preview.derived.length > 0 && (
          <Checkbox
            label={texts.derived}
            description={texts.derivedOf(preview.derived)}
            checked={includesDerived}
            onChange={(event) => setIncludesDerived(event.currentTarget.checked)}
          />
        )}
        {preview.copies.length > 0 && kind !== 'everything' && (
          <Checkbox
            label={texts.copies(
              preview.copies.length,
              preview.copies.reduce((sum, copy) => sum + copy.bytes, 0),
            )}
            description={texts.copiesWhy}
            checked={includesCopies}
            onChange={(event) => setIncludesCopies(event.currentTarget.checked)}
          />
        )}
        <input type="text" name="username" autoComplete="username" value={owner} readOnly hidden />
        <TextInput
          label={texts.typeToConfirm(preview.typed)}
          value={typedName}
          autoComplete="off"
          spellCheck={false}
          error={isSubmitted && !isNameCorrect ? texts.mismatch : undefined}
          onChange={(event) => setTypedName(event.currentTarget.value)}
        />
        <PasswordInput
          label={m.shell.yourPassword}
          value={password}
          autoComplete="current-password"
          error={passwordError}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {!isWrongPassword && <SubmitError problem={problem} />}
        <Button type="submit" color="brick" loading={busy} style={{ justifySelf: 'start' }}>
          {texts.submit[kind]}
        </Button>
      </form>
    </Section>
  );
}
