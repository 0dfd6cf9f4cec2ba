import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { call } from '../../../../shared/api/client.ts';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import { refreshDisplays } from '../../../api/queries.ts';
import { DisplayInputs } from './display-inputs.tsx';
import { type DisplayInput, findDisplayCorrections } from './field-corrections.ts';
import type { Source } from './sources.ts';

const words = m.data.source;

interface EditSourceProps {
  source: Pick<Source, 'name' | 'display'>;
  opened: boolean;
  close: () => void;
}

export function EditSource({ source, opened, close }: EditSourceProps) {
  return (
    <Dialog opened={opened} onClose={close} title={words.title} size="lg">
      <SourceForm source={source} close={close} />
    </Dialog>
  );
}

function SourceForm({ source: { name: namespace, display }, close }: Omit<EditSourceProps, 'opened'>) {
  const initialInput: DisplayInput = { name: display.name ?? '', icon: display.icon, colour: display.colour };
  const [input, setInput] = useState(initialInput);
  const { busy, problem, run } = useSubmit();

  const save = async () => {
    await call('PUT /api/v2.6/owner/namespaces/:namespace', {
      params: { namespace },
      body: findDisplayCorrections(initialInput, input),
    });
    await refreshDisplays();
    showToast(words.saved);
    close();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(save);
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text>{words.text(isolateText(namespace))}</Text>
        <DisplayInputs
          nameLabel={words.name}
          placeholder={namespace}
          unset={words.unset}
          input={input}
          change={(changes) => setInput((current) => ({ ...current, ...changes }))}
        />
        <SubmitError problem={problem} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {m.data.names.cancel}
          </Button>
          <Button type="submit" loading={busy}>
            {m.data.names.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
