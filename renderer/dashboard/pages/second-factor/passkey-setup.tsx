import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { MAX_PASSKEY_NAME_CHARS } from '../../../../server/wire/limits.ts';
import { addPasskey, fetchPasskeyOptions, type OwnerProof } from '../../api/account/second-factor.ts';
import { Dialog, type DialogState } from '../../../shared/overlay/dialog.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { ProofForm } from './proof-form.tsx';

const texts = m.secondFactor.passkeys;

interface PasskeySetupProps extends DialogState {
  onAdded: (codes: string[] | null) => void;
}

export function PasskeySetup({ opened, close, onAdded }: PasskeySetupProps) {
  return (
    <Dialog opened={opened} onClose={close} closeOnClickOutside={false} title={texts.add}>
      <PasskeyForm close={close} onAdded={onAdded} />
    </Dialog>
  );
}

function PasskeyForm({ close, onAdded }: Omit<PasskeySetupProps, 'opened'>) {
  const [name, setName] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const create = async (proof: OwnerProof) => {
    setHasFailed(false);
    const result = await addPasskey(name.trim(), await fetchPasskeyOptions(proof));
    if (result === undefined) {
      setHasFailed(true);
      throw new Error(texts.notMade);
    }
    showToast(texts.done(name.trim()));
    close();
    onAdded(result.codes);
  };
  return (
    <ProofForm
      submitLabel={texts.submit}
      cancel={close}
      onProof={create}
      validate={() => {
        setIsMissing(name.trim() === '');
        return name.trim() !== '';
      }}
      changeError={hasFailed ? texts.notMade : undefined}
    >
      <Text>{texts.text}</Text>
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        value={name}
        maxLength={MAX_PASSKEY_NAME_CHARS}
        autoComplete="off"
        data-autofocus
        error={isMissing && name.trim() === '' ? m.shell.nameMissing : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </ProofForm>
  );
}
