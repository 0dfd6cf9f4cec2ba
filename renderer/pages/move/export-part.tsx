import { Button, PasswordInput, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type MoveView, exportAll } from '../../api/move.ts';
import { asProblem } from '../../api/problem.ts';
import { useOwnerName } from '../../api/queries.ts';
import { tell } from '../../components/notices.tsx';
import { Section } from '../../components/page.tsx';
import { NotDone } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { bytes } from '../../format.ts';
import { m } from '../../messages/texts.ts';
import { Going } from './going.tsx';
import classes from './move.module.css';

const words = m.move.out;

/** Everything as one archive, by the browser's own download. */
export function ExportPart({ now }: { now: MoveView }) {
  const { exporting, exported } = now;
  return (
    <Section title={words.title}>
      <div className={classes.form}>
        <Text size="sm">{words.text}</Text>
        <Text size="sm" c="dimmed">
          {words.secrets}
        </Text>
        {exporting === null ? (
          <Ask />
        ) : (
          <Going
            label={words.progressLabel}
            title={words.running}
            progress={exporting}
            words={words.progress(exporting.done, exporting.total)}
          />
        )}
        {exporting === null && exported !== null && <Last exported={exported} />}
      </div>
    </Section>
  );
}

function Last({ exported }: { exported: NonNullable<MoveView['exported']> }) {
  const { at, counts } = exported;
  return (
    <Text size="sm" c="dimmed" component="div" role="status">
      {words.last}: <When at={at} />, {bytes(exported.bytes)}
      {counts.missing > 0 && <div>{words.missingFiles(counts.missing)}</div>}
      {counts.later > 0 && <div>{words.laterFiles(counts.later)}</div>}
    </Text>
  );
}

/** Whoever sits down at an open dashboard must not carry everything away. */
function Ask() {
  const owner = useOwnerName();
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const isWrong = problem !== undefined && asProblem(problem).code === 'forbidden';
  const begin = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await exportAll(password);
      setPassword('');
      setAsked(false);
      tell(words.started, words.startedText);
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (password !== '') void begin();
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <input type="text" name="username" autoComplete="username" value={owner} readOnly hidden />
      <PasswordInput
        className={classes.password ?? ''}
        label={words.password}
        value={password}
        autoComplete="current-password"
        error={asked && password === '' ? words.missing : isWrong ? words.wrong : undefined}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      {!isWrong && <NotDone problem={problem} />}
      <div className={classes.actions}>
        <Button type="submit" loading={busy}>
          {words.submit}
        </Button>
      </div>
    </form>
  );
}
