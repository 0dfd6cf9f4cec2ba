import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { renamePasskey } from '../../api/account/second-factor.ts';
import { Dialog } from '../../../shared/overlay/dialog.tsx';
import { DialogForm } from '../../../shared/overlay/dialog-form.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { MAX_PASSKEY_NAME_CHARS } from '../../../../server/wire/limits.ts';

const texts = m.secondFactor.passkeys;

interface RenamePasskeyProps {
  passkey: { passkeyId: string; name: string } | undefined;
  close: () => void;
}

/** Dialog that renames a passkey. Requires no proof, because the name grants no access. */
export function RenamePasskey({ passkey, close }: RenamePasskeyProps) {
  if (passkey === undefined) return null;
  return (
    <Dialog opened onClose={close} title={texts.rename.title}>
      <RenameForm key={passkey.passkeyId} passkey={passkey} close={close} />
    </Dialog>
  );
}

function RenameForm({ passkey, close }: { passkey: { passkeyId: string; name: string }; close: () => void }) {
  const [name, setName] = useState(passkey.name);
  const [isMissing, setIsMissing] = useState(false);
  const trimmedName = name.trim();
  const check = () => {
    setIsMissing(trimmedName === '');
    return trimmedName !== '';
  };
  const send = async () => {
    await renamePasskey(passkey.passkeyId, trimmedName);
    showToast(texts.rename.done(trimmedName));
    close();
  };
  return (
    <DialogForm submitLabel={texts.rename.submit} close={close} check={check} send={send}>
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        value={name}
        maxLength={MAX_PASSKEY_NAME_CHARS}
        data-autofocus
        error={isMissing && trimmedName === '' ? m.shell.nameMissing : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
