import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { MAX_PASSKEY_NAME_CHARS } from '../../../../server/wire/limits.ts';
import { addPasskey, fetchPasskeyOptions, type Proof } from '../../api/account/second-factor.ts';
import { Dialog } from '../../../shared/overlay/dialog.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { ProofForm } from './proof-form.tsx';

const words = m.secondFactor.passkeys;

interface AddPasskeyProps {
  opened: boolean;
  close: () => void;
  /** New recovery codes, if this made any. */
  added: (codes: string[] | null) => void;
}

/** A name and the password; then the device asks. */
export function AddPasskey({ opened, close, added }: AddPasskeyProps) {
  return (
    <Dialog opened={opened} onClose={close} closeOnClickOutside={false} title={words.dialog}>
      <Adding close={close} added={added} />
    </Dialog>
  );
}

function Adding({ close, added }: Omit<AddPasskeyProps, 'opened'>) {
  const [name, setName] = useState('');
  const [missing, setMissing] = useState(false);
  const [notMade, setNotMade] = useState(false);
  const make = async (proof: Proof) => {
    setNotMade(false);
    const made = await addPasskey(name.trim(), await fetchPasskeyOptions(proof));
    if (made === undefined) {
      setNotMade(true);
      throw new Error(words.notMade);
    }
    showToast(words.done(name.trim()));
    close();
    added(made.codes);
  };
  return (
    <ProofForm
      submit={words.submit}
      cancel={close}
      done={make}
      ready={() => {
        setMissing(name.trim() === '');
        return name.trim() !== '';
      }}
      failed={notMade ? words.notMade : undefined}
    >
      <Text size="sm">{words.none}</Text>
      <TextInput
        label={words.name}
        description={words.nameHint}
        value={name}
        maxLength={MAX_PASSKEY_NAME_CHARS}
        autoComplete="off"
        data-autofocus
        error={missing && name.trim() === '' ? words.nameMissing : undefined}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </ProofForm>
  );
}
