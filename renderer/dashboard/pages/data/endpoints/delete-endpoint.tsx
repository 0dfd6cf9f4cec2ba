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
  held: EndpointSummary;
  opened: boolean;
  close: () => void;
}

/** Everything at once is confirmed by typing its name. */
export function DeleteEndpoint({ held, opened, close }: DeleteEndpointProps) {
  return (
    <Dialog opened={opened} onClose={close} title={words.confirmTitle(held.endpoint)}>
      <Confirm held={held} close={close} />
    </Dialog>
  );
}

function Confirm({ held, close }: { held: EndpointSummary; close: () => void }) {
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [mismatch, setMismatch] = useState(false);
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() !== held.endpoint) {
      setMismatch(true);
      return;
    }
    void run(async () => {
      await deleteEndpoint(held.endpoint);
      close();
      await navigate('/data');
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">{words.confirmText(held.records, bytes(held.bytes))}</Text>
        <Text size="sm">{words.confirmUndo}</Text>
        <TextInput
          label={words.confirmLabel(held.endpoint)}
          value={typed}
          error={mismatch ? words.confirmMismatch : undefined}
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          data-autofocus
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setMismatch(false);
          }}
        />
        <SubmitError problem={problem} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {words.keep}
          </Button>
          <Button type="submit" color="brick" loading={busy}>
            {words.confirmSubmit(held.records)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
