import { Button, PasswordInput, Radio, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { type Restorable, type RestoreSource, findBackups, restoreBackup } from '../../api/account/backup.ts';
import { call } from '../../../shared/api/client.ts';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { EntryFrame } from '../../../shared/layout/entry-frame.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './backup.module.css';

const words = m.backup.restore;
const LOOK_EVERY_MS = 500;

/** Eight groups of five signs are no passphrase that anybody would choose. */
const isRecoveryKey = (text: string): boolean => /^(?:[0-9a-z]{5}[\s-]+){7}[0-9a-z]{5}$/iu.test(text.trim());

/** In the set-up: everything comes from a backup instead of from questions. */
export function RestoreStep({ code, back }: { code: string; back: () => void }) {
  const [from, setFrom] = useState<RestoreSource>();
  const [found, setFound] = useState<Restorable>();
  const [name, setName] = useState<string>();
  const title = name === undefined ? words.title : words.done(name);
  return (
    <EntryFrame
      title={title}
      windowTitle={m.entry.setup.pageTitle}
      text={name === undefined ? words.text : undefined}
      step={name ?? found?.archive ?? 'restore'}
    >
      {name !== undefined && <Starting />}
      {name === undefined && (from === undefined || found === undefined) && (
        <From
          code={code}
          back={back}
          use={(where, what) => {
            setFrom(where);
            setFound(what);
          }}
        />
      )}
      {name === undefined && from !== undefined && found !== undefined && (
        <Choose from={from} found={found} back={() => setFound(undefined)} done={setName} />
      )}
    </EntryFrame>
  );
}

function From({
  code,
  back,
  use,
}: {
  code: string;
  back: () => void;
  use: (from: RestoreSource, found: Restorable) => void;
}) {
  const [path, setPath] = useState('');
  const [secret, setSecret] = useState('');
  const [missing, setMissing] = useState(false);
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const lacks = path.trim() === '' || secret === '';
    setMissing(lacks);
    if (lacks) return;
    const from = {
      code,
      from: path,
      secret: isRecoveryKey(secret) ? { recoveryKey: secret.trim() } : { passphrase: secret },
    };
    void run(async () => use(from, await findBackups(from)));
  };
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <TextInput
        label={words.from}
        description={words.fromHint}
        value={path}
        spellCheck={false}
        autoCapitalize="none"
        error={missing && path.trim() === '' ? words.missing : undefined}
        onChange={(event) => setPath(event.currentTarget.value)}
      />
      <PasswordInput
        label={words.secret}
        description={words.secretText}
        value={secret}
        autoComplete="off"
        error={missing && secret === '' ? words.missing : undefined}
        onChange={(event) => setSecret(event.currentTarget.value)}
      />
      <SubmitError problem={problem} />
      <div className={classes.actions}>
        <Button type="submit" size="md" loading={busy}>
          {words.look}
        </Button>
        <Button variant="default" size="md" onClick={back}>
          {words.back}
        </Button>
      </div>
    </form>
  );
}

function Choose({
  from,
  found,
  back,
  done,
}: {
  from: RestoreSource;
  found: Restorable;
  back: () => void;
  done: (name: string) => void;
}) {
  const newest = found.backups.find(({ problem }) => problem === null);
  const [chosen, setChosen] = useState(String(newest?.number ?? ''));
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => done((await restoreBackup({ ...from, archive: found.archive, backup: chosen })).name));
  };
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <Radio.Group
        label={words.choose}
        description={words.chooseText(newest?.name ?? '')}
        value={chosen}
        onChange={setChosen}
      >
        <div className={classes.choices}>
          {found.backups.map((one) => (
            <Radio
              key={one.number}
              value={String(one.number)}
              disabled={one.problem !== null || busy}
              label={one.created === null ? words.damaged : <RelativeTime at={one.created} />}
              description={one.problem ?? m.backup.list.facts(one.files, one.bytes)}
            />
          ))}
        </div>
      </Radio.Group>
      <SubmitError problem={problem} />
      {busy && (
        <Text size="sm" c="dimmed" role="status">
          {words.running}
        </Text>
      )}
      <div className={classes.actions}>
        <Button type="submit" size="md" loading={busy} disabled={chosen === ''}>
          {words.submit}
        </Button>
        <Button variant="default" size="md" onClick={back} disabled={busy}>
          {words.back}
        </Button>
      </div>
    </form>
  );
}

/** Waits for the restart of the server, then offers the sign-in. */
function Starting() {
  const [isUp, setUp] = useState(false);
  useEffect(() => {
    // The one-time code is used up; it need not stay in the address.
    window.history.replaceState(window.history.state, '', '#/setup');
    const look = (): void => {
      call('GET /api/v2.6/owner/setup', {})
        .then(({ state }) => setUp(state === 'done'))
        // The server does not respond while it restarts.
        .catch(() => undefined);
    };
    const timer = setInterval(look, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  if (!isUp) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {words.starting}
      </Text>
    );
  }
  return (
    <div className={classes.form}>
      <Text>{words.doneText}</Text>
      {/* A full reload: nothing of the set-up stays in memory. */}
      <Button component="a" size="md" href="/" w="max-content">
        {words.signIn}
      </Button>
    </div>
  );
}
