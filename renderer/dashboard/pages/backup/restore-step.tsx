import { Button, Group, PasswordInput, Radio, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { type Restorable, type RestoreSource, findBackups, restoreBackup } from '../../api/account/backup.ts';
import { call } from '../../../shared/api/client.ts';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { EntryFrame } from '../../../shared/layout/entry-frame.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { findWithSecret } from './restore-secret.ts';
import classes from './backup.module.css';

const texts = m.backup.restore;
const POLL_INTERVAL_MS = 500;

export function RestoreStep({ code, back }: { code: string; back: () => void }) {
  const [source, setSource] = useState<RestoreSource>();
  const [restorable, setRestorable] = useState<Restorable>();
  const [restoredName, setRestoredName] = useState<string>();
  const title = restoredName === undefined ? texts.title : texts.done(restoredName);
  return (
    <EntryFrame
      title={title}
      windowTitle={m.entry.setup.pageTitle}
      text={restoredName === undefined ? texts.text : undefined}
      step={restoredName ?? restorable?.archive ?? 'restore'}
    >
      {restoredName !== undefined && <RestartStatus />}
      {restoredName === undefined && (source === undefined || restorable === undefined) && (
        <SourceForm
          code={code}
          back={back}
          onFound={(newSource, newRestorable) => {
            setSource(newSource);
            setRestorable(newRestorable);
          }}
        />
      )}
      {restoredName === undefined && source !== undefined && restorable !== undefined && (
        <BackupChoice
          source={source}
          restorable={restorable}
          back={() => setRestorable(undefined)}
          done={setRestoredName}
        />
      )}
    </EntryFrame>
  );
}

function SourceForm({
  code,
  back,
  onFound,
}: {
  code: string;
  back: () => void;
  onFound: (source: RestoreSource, restorable: Restorable) => void;
}) {
  const [path, setPath] = useState('');
  const [secret, setSecret] = useState('');
  const [hasMissingInput, setHasMissingInput] = useState(false);
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isIncomplete = path.trim() === '' || secret === '';
    setHasMissingInput(isIncomplete);
    if (isIncomplete) return;
    void run(async () => {
      const { source, restorable } = await findWithSecret({ code, from: path }, secret, findBackups);
      onFound(source, restorable);
    });
  };
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <TextInput
        label={texts.from}
        description={texts.fromHint}
        value={path}
        spellCheck={false}
        autoCapitalize="none"
        error={hasMissingInput && path.trim() === '' ? m.backup.setUp.folderMissing : undefined}
        onChange={(event) => setPath(event.currentTarget.value)}
      />
      <PasswordInput
        label={texts.secret}
        description={texts.secretText}
        value={secret}
        autoComplete="off"
        error={hasMissingInput && secret === '' ? texts.secretMissing : undefined}
        onChange={(event) => setSecret(event.currentTarget.value)}
      />
      <SubmitError problem={problem} />
      <Group gap="0.75rem 1rem">
        <Button type="submit" size="md" loading={busy}>
          {texts.find}
        </Button>
        <Button variant="default" size="md" onClick={back}>
          {texts.back}
        </Button>
      </Group>
    </form>
  );
}

function BackupChoice({
  source,
  restorable,
  back,
  done,
}: {
  source: RestoreSource;
  restorable: Restorable;
  back: () => void;
  done: (name: string) => void;
}) {
  const newestBackup = restorable.backups.find(({ problem }) => problem === null);
  const [backupNumber, setBackupNumber] = useState(String(newestBackup?.number ?? ''));
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () =>
      done((await restoreBackup({ ...source, archive: restorable.archive, backup: backupNumber })).name),
    );
  };
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <Radio.Group
        label={texts.choose}
        description={newestBackup === undefined ? undefined : texts.chooseText(newestBackup.name)}
        value={backupNumber}
        onChange={setBackupNumber}
      >
        <div className={classes.choices}>
          {restorable.backups.map((entry) => (
            <Radio
              key={entry.number}
              value={String(entry.number)}
              disabled={entry.problem !== null || busy}
              label={entry.created === null ? texts.damaged : <RelativeTime at={entry.created} />}
              description={entry.problem ?? m.backup.list.facts(entry.files, entry.bytes)}
            />
          ))}
        </div>
      </Radio.Group>
      <SubmitError problem={problem} />
      {busy && (
        <Text c="dimmed" role="status">
          {texts.running}
        </Text>
      )}
      <Group gap="0.75rem 1rem">
        <Button type="submit" size="md" loading={busy} disabled={backupNumber === ''}>
          {texts.submit}
        </Button>
        <Button variant="default" size="md" onClick={back} disabled={busy}>
          {texts.back}
        </Button>
      </Group>
    </form>
  );
}

function RestartStatus() {
  const [isUp, setIsUp] = useState(false);
  useEffect(() => {
    // The one-time code is no longer valid, so it is removed from the URL.
    window.history.replaceState(window.history.state, '', '#/setup');
    const poll = (): void => {
      call('GET /api/v2.6/owner/setup', {})
        .then(({ state }) => setIsUp(state === 'done'))
        // The server does not respond while it restarts.
        .catch(() => undefined);
    };
    const timer = setInterval(poll, POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  if (!isUp) {
    return (
      <Text c="dimmed" role="status">
        {texts.starting}
      </Text>
    );
  }
  return (
    <div className={classes.form}>
      <Text size="md">{texts.doneText}</Text>
      {/* A plain link reloads the page, so that no state of the set-up stays in memory. */}
      <Button component="a" size="md" href="/" w="max-content">
        {m.entry.signIn.submit}
      </Button>
    </div>
  );
}
