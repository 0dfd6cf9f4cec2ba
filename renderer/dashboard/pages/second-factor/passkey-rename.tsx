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

/** Requires no proof, because the name grants no access. */
export function RenamePasskey({ passkey, close }: RenamePasskeyProps) {
  if (passkey === undefined) return null;
  return (
    <Dialog opened onClose={close} title={words.rename.title}>
      <RenameForm key={passkey.passkeyId} passkey={passkey} close={close} />
    </Dialog>
  );
}

function RenameForm({ passkey, close }: { passkey: { passkeyId: string; name: string }; close: () => void }) {
  const [name, setName] = useState(passkey.name);
  const [isMissing, setIsMissing] = useState(false);
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const trimmedName = name.trim();
    setIsMissing(trimmedName === '');
    if (trimmedName === '') return;
    void run(async () => {
      await renamePasskey(passkey.passkeyId, trimmedName);
      showToast(words.rename.done(trimmedName));
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
          error={isMissing ? words.nameMissing : undefined}
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
