import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import type { EndpointSummary } from '../../../../shared/api/contract.ts';
import { deleteEndpoint } from '../../../components/deletion.tsx';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';

const words = m.data.deletion;

interface DeleteEndpointProps {
  summary: EndpointSummary;
  opened: boolean;
  close: () => void;
}

/** The owner confirms by typing the endpoint's name. */
export function DeleteEndpoint({ summary, opened, close }: DeleteEndpointProps) {
  return (
    <Dialog opened={opened} onClose={close} title={words.confirmTitle(summary.endpoint)}>
      <ConfirmForm summary={summary} close={close} />
    </Dialog>
  );
}

function ConfirmForm({ summary, close }: { summary: EndpointSummary; close: () => void }) {
  const navigate = useNavigate();
  const [input, setInput] = useState('');
  const [isMismatch, setIsMismatch] = useState(false);
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (input.trim() !== summary.endpoint) {
      setIsMismatch(true);
      return;
    }
    void run(async () => {
      await deleteEndpoint(summary.endpoint);
      close();
      await navigate('/data');
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text>{words.confirmText(summary.records, bytes(summary.bytes))}</Text>
        <Text>{words.confirmUndo}</Text>
        <TextInput
          label={words.confirmLabel(summary.endpoint)}
          value={input}
          error={isMismatch ? words.confirmMismatch : undefined}
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          data-autofocus
          onChange={(event) => {
            setInput(event.currentTarget.value);
            setIsMismatch(false);
          }}
        />
        <SubmitError problem={problem} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {words.keep}
          </Button>
          <Button type="submit" color="brick" loading={busy}>
            {words.confirmSubmit(summary.records)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
