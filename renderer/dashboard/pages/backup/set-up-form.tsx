import { Button, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { toProblem } from '../../../shared/api/problem.ts';
import { setUpBackup } from '../../api/account/backup.ts';
import { NewPasswordField } from '../../components/new-password.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './backup.module.css';

const words = m.backup.setUp;

/** What is wrong with a field, as the PDA said it. */
export const faultAt = (problem: unknown, path: string): string | undefined =>
  problem === undefined ? undefined : toProblem(problem).details.find((detail) => detail.path === path)?.problem;

/** Folder and passphrase. The recovery key that comes of it is shown by the page, which stays when this goes. */
export function SetUpForm({ show }: { show: (recoveryKey: string) => void }) {
  const [folder, setFolder] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [missing, setMissing] = useState({ folder: false, passphrase: false });
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const lacks = { folder: folder.trim() === '', passphrase: passphrase === '' };
    setMissing(lacks);
    if (lacks.folder || lacks.passphrase) return;
    void run(async () => {
      show(await setUpBackup(folder, passphrase));
      showToast(words.done);
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
      <NewPasswordField
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
      {folderFault === undefined && passphraseFault === undefined && <SubmitError problem={problem} />}
    </form>
  );
}
