import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type MoveView, exportAccount } from '../../api/account/move.ts';
import { toProblem } from '../../../shared/api/problem.ts';
import { useOwnerName } from '../../api/queries.ts';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { bytes } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { ProgressSection } from './progress-section.tsx';
import { useRepeatableSubmit } from '../../../shared/feedback/use-submit.ts';

const texts = m.move.export;

export function ExportSection({ moveState }: { moveState: MoveView }) {
  const { exporting, exported } = moveState;
  return (
    <Section title={texts.title}>
      <Stack gap="md" maw="44rem">
        <Text>{texts.text}</Text>
        <Text c="dimmed">{texts.secrets}</Text>
        {exporting === null ? (
          <ExportForm />
        ) : (
          <ProgressSection
            label={texts.progressLabel}
            title={texts.running}
            progress={exporting}
            detail={texts.progress(exporting.done, exporting.total)}
          />
        )}
        {exporting === null && exported !== null && <LastExport exported={exported} />}
      </Stack>
    </Section>
  );
}

function LastExport({ exported }: { exported: NonNullable<MoveView['exported']> }) {
  const { at, counts } = exported;
  return (
    <Text c="dimmed" component="div" role="status">
      {texts.last}: <RelativeTime at={at} />, {bytes(exported.bytes)}
      {counts.missing > 0 && <div>{texts.missingFiles(counts.missing)}</div>}
      {counts.later > 0 && <div>{texts.changedFiles(counts.later)}</div>}
    </Text>
  );
}

/** Asks for the password, so that an unattended dashboard does not allow an export. */
function ExportForm() {
  const owner = useOwnerName();
  const [password, setPassword] = useState('');
  const [isSubmitted, setIsSubmitted] = useState(false);
  const { busy, problem, run } = useRepeatableSubmit();
  const isWrong = problem !== undefined && toProblem(problem).code === 'forbidden';
  const begin = async () => {
    await exportAccount(password);
    setPassword('');
    setIsSubmitted(false);
    showToast(texts.started, texts.startedText);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (password !== '') void run(begin);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" maw="44rem">
        <input type="text" name="username" autoComplete="username" value={owner} readOnly hidden />
        <PasswordInput
          maw="24rem"
          label={m.shell.yourPassword}
          value={password}
          autoComplete="current-password"
          error={isSubmitted && password === '' ? m.shell.passwordMissing : isWrong ? texts.wrong : undefined}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {!isWrong && <SubmitError problem={problem} />}
        <Group gap="0.75rem">
          <Button type="submit" loading={busy}>
            {texts.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
