import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { renamePasskey } from '../../api/account/second-factor.ts';
import { Dialog } from '../../../shared/overlay/dialog.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { MAX_PASSKEY_NAME_CHARS } from '../../../../server/wire/limits.ts';

const words = m.secondFactor.passkeys;

interface RenamePasskeyProps {
  passkey: { passkeyId: string; name: string } | undefined;
  close: () => void;
}

/** What the owner knows a passkey by. It opens nothing, so nothing has to be proven. */
export function RenamePasskey({ passkey, close }: RenamePasskeyProps) {
  if (passkey === undefined) return null;
  return (
    <Dialog opened onClose={close} title={words.rename.title}>
      <Form key={passkey.passkeyId} passkey={passkey} close={close} />
    </Dialog>
  );
}

function Form({ passkey, close }: { passkey: { passkeyId: string; name: string }; close: () => void }) {
  const [name, setName] = useState(passkey.name);
  const [missing, setMissing] = useState(false);
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = name.trim();
    setMissing(wanted === '');
    if (wanted === '') return;
    void run(async () => {
      await renamePasskey(passkey.passkeyId, wanted);
      showToast(words.rename.done(wanted));
      close();
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={words.name}
          description={words.nameHint}
          value={name}
          maxLength={MAX_PASSKEY_NAME_CHARS}
          data-autofocus
          error={missing ? words.nameMissing : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <SubmitError problem={problem} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {m.shell.cancel}
          </Button>
          <Button type="submit" loading={busy}>
            {words.rename.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
