import { Button, Checkbox, PasswordInput, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type ErasurePreview, erase, waitForSetUp } from '../../api/account/erasure.ts';
import { toProblem } from '../../../shared/api/problem.ts';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { useOwnerName } from '../../api/queries.ts';
import classes from './erasure.module.css';

const words = m.erasure;

interface ConfirmProps {
  preview: ErasurePreview;
  done: () => void;
  /** Everything goes: from now on there is nothing to look at. */
  starts: () => void;
}

/** The last question: by name and password, since nothing brings it back. */
export function ConfirmErasure({ preview, done, starts }: ConfirmProps) {
  const { kind, target } = preview;
  const owner = useOwnerName();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const [derived, setDerived] = useState(true);
  const [copies, setCopies] = useState(true);
  const [asked, setAsked] = useState(false);
  const { busy, problem, run } = useSubmit();
  const refused = problem === undefined ? undefined : toProblem(problem);
  const isWrongPassword = refused?.code === 'forbidden';
  const isTyped = typed.trim() === preview.typed;
  const store = async () => {
    const begun = await erase({ kind, target, typed, password, derived, copies });
    if (begun.setUpCode === undefined) {
      showToast(words.begun);
      done();
      return;
    }
    starts();
    void waitForSetUp(begun.setUpCode);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (isTyped && password !== '') void run(store);
  };
  const passwordFault = asked && password === '' ? words.missing : isWrongPassword ? words.passwordWrong : undefined;
  return (
    <Section title={words.confirm}>
      <form className={classes.confirm} onSubmit={submit} noValidate>
        <Text size="sm">{kind === 'everything' ? words.starts : words.wait(preview.waitSeconds)}</Text>
        {preview.derived.length > 0 && (
          <Checkbox
            label={words.derived}
            description={words.derivedOf(preview.derived)}
            checked={derived}
            onChange={(event) => setDerived(event.currentTarget.checked)}
          />
        )}
        {preview.copies.length > 0 && kind !== 'everything' && (
          <Checkbox
            label={words.copies(
              preview.copies.length,
              preview.copies.reduce((sum, copy) => sum + copy.bytes, 0),
            )}
            description={words.copiesWhy}
            checked={copies}
            onChange={(event) => setCopies(event.currentTarget.checked)}
          />
        )}
        <input type="text" name="username" autoComplete="username" value={owner} readOnly hidden />
        <TextInput
          label={words.typed(preview.typed)}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          error={asked && !isTyped ? words.typedWrong : undefined}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <PasswordInput
          label={words.password}
          value={password}
          autoComplete="current-password"
          error={passwordFault}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {!isWrongPassword && <SubmitError problem={problem} />}
        <Button type="submit" color="brick" loading={busy} style={{ justifySelf: 'start' }}>
          {words.submit[kind]}
        </Button>
      </form>
    </Section>
  );
}
