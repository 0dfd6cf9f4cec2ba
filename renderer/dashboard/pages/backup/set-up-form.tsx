import { Button, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FOLDER_DOES_NOT_EXIST } from '../../../../server/wire/backup-folder.ts';
import { toProblem } from '../../../shared/api/problem.ts';
import { setUpBackup } from '../../api/account/backup.ts';
import { NewPasswordField } from '../../components/new-password.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './backup.module.css';

const texts = m.backup.setUp;

export const fieldError = (problem: unknown, path: string): string | undefined =>
  problem === undefined ? undefined : toProblem(problem).details.find((detail) => detail.path === path)?.problem;

export function folderErrorOf(problem: unknown): string | undefined {
  const text = fieldError(problem, 'body.folder');
  return text === FOLDER_DOES_NOT_EXIST ? texts.folderDoesNotExist : text;
}

/** Passes the recovery key to the page, because this form unmounts on success. */
export function SetUpForm({ showRecoveryKey }: { showRecoveryKey: (recoveryKey: string) => void }) {
  const [folder, setFolder] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [missingFields, setMissingFields] = useState({ folder: false, passphrase: false });
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const missing = { folder: folder.trim() === '', passphrase: passphrase === '' };
    setMissingFields(missing);
    if (missing.folder || missing.passphrase) return;
    void run(async () => {
      showRecoveryKey(await setUpBackup(folder, passphrase));
      showToast(texts.done);
    });
  };
  const folderError = folderErrorOf(problem);
  const passphraseError = fieldError(problem, 'body.passphrase');
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <Text c="dimmed">{texts.text}</Text>
      <TextInput
        label={texts.folder}
        description={texts.folderHint}
        value={folder}
        spellCheck={false}
        autoCapitalize="none"
        error={missingFields.folder ? texts.folderMissing : folderError}
        onChange={(event) => setFolder(event.currentTarget.value)}
      />
      <Text c="dimmed">{texts.passphraseText}</Text>
      <NewPasswordField
        label={texts.passphrase}
        name=""
        value={passphrase}
        error={
          missingFields.passphrase
            ? texts.passphraseMissing
            : passphraseError === undefined
              ? undefined
              : m.entry.setup.password.tooWeak
        }
        onChange={setPassphrase}
      />
      <Button type="submit" loading={busy}>
        {texts.submit}
      </Button>
      {folderError === undefined && passphraseError === undefined && <SubmitError problem={problem} />}
    </form>
  );
}
