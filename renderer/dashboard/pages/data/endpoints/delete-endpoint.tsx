import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { EndpointSummary } from '../../../../shared/api/contract.ts';
import { deleteEndpoint } from '../../../components/deletion.tsx';
import { Dialog, type DialogState } from '../../../../shared/overlay/dialog.tsx';
import { DialogForm } from '../../../../shared/overlay/dialog-form.tsx';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';

const texts = m.data.deletion;

interface DeleteEndpointProps extends DialogState {
  summary: EndpointSummary;
}

/** The owner confirms by typing the endpoint's path. */
export function DeleteEndpoint({ summary, opened, close }: DeleteEndpointProps) {
  return (
    <Dialog opened={opened} onClose={close} title={texts.confirmTitle(summary.endpoint)}>
      <ConfirmForm summary={summary} close={close} />
    </Dialog>
  );
}

function ConfirmForm({ summary, close }: { summary: EndpointSummary; close: () => void }) {
  const navigate = useNavigate();
  const [input, setInput] = useState('');
  const [isMismatch, setIsMismatch] = useState(false);
  const check = () => {
    const isMatch = input.trim() === summary.endpoint;
    setIsMismatch(!isMatch);
    return isMatch;
  };
  const send = async () => {
    await deleteEndpoint(summary.endpoint);
    close();
    await navigate('/data');
  };
  return (
    <DialogForm
      submitLabel={texts.confirmSubmit(summary.records)}
      cancelLabel={m.shell.keep}
      isDestructive
      close={close}
      check={check}
      send={send}
    >
      <Text>{texts.confirmText(summary.records, bytes(summary.bytes))}</Text>
      <Text>{texts.confirmUndo}</Text>
      <TextInput
        label={texts.confirmLabel(summary.endpoint)}
        value={input}
        error={isMismatch ? texts.confirmMismatch : undefined}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
        data-autofocus
        onChange={(event) => {
          setInput(event.currentTarget.value);
          setIsMismatch(false);
        }}
      />
    </DialogForm>
  );
}
