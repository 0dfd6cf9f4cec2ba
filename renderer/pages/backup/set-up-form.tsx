import { Button, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { asProblem } from '../../api/problem.ts';
import { setUpBackup } from '../../api/backup.ts';
import { NewPassword } from '../../components/new-password.tsx';
import { tell } from '../../components/notices.tsx';
import { NotDone } from '../../components/states.tsx';
import { useAct } from '../../components/use-act.ts';
import { m } from '../../messages/texts.ts';
import classes from './backup.module.css';

const words = m.backup.setUp;

/** What is wrong with a field, as the PDA said it. */
export const faultAt = (problem: unknown, path: string): string | undefined =>
  problem === undefined ? undefined : asProblem(problem).details.find((detail) => detail.path === path)?.problem;

/** Folder and passphrase. The recovery key that comes of it is shown by the page, which stays when this goes. */
export function SetUpForm({ show }: { show: (recoveryKey: string) => void }) {
  const [folder, setFolder] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [missing, setMissing] = useState({ folder: false, passphrase: false });
  const { busy, problem, act } = useAct();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const lacks = { folder: folder.trim() === '', passphrase: passphrase === '' };
    setMissing(lacks);
    if (lacks.folder || lacks.passphrase) return;
    void act(async () => {
      show(await setUpBackup(folder, passphrase));
      tell(words.done);
    });
  };
  const folderFault = faultAt(problem, 'body.folder');
  const passphraseFault = faultAt(problem, 'body.passphrase');
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <Text size="sm" c="dimmed">
        {words.text}
      </Text>
      <TextInput
        label={words.folder}
        description={words.folderHint}
        value={folder}
        spellCheck={false}
        autoCapitalize="none"
        error={missing.folder ? words.folderMissing : folderFault}
        onChange={(event) => setFolder(event.currentTarget.value)}
      />
      <Text size="sm" c="dimmed">
        {words.passphraseText}
      </Text>
      <NewPassword
        label={words.passphrase}
        name=""
        value={passphrase}
        error={
          missing.passphrase
            ? words.passphraseMissing
            : passphraseFault === undefined
              ? undefined
              : m.entry.setup.password.tooWeak
        }
        onChange={setPassphrase}
      />
      <Button type="submit" loading={busy}>
        {words.submit}
      </Button>
      {folderFault === undefined && passphraseFault === undefined && <NotDone problem={problem} />}
    </form>
  );
}
