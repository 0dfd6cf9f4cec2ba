import { Text } from '@mantine/core';
import { useState } from 'react';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { call } from '../../../../shared/api/client.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog, type DialogState } from '../../../../shared/overlay/dialog.tsx';
import { DialogForm } from '../../../../shared/overlay/dialog-form.tsx';
import { refreshDisplays } from '../../../api/queries.ts';
import { DisplayInputs } from './display-inputs.tsx';
import { type DisplayInput, findDisplayCorrections } from './field-corrections.ts';
import type { Source } from './sources.ts';

const texts = m.data.source;

interface EditSourceProps extends DialogState {
  source: Pick<Source, 'namespace' | 'display'>;
}

export function EditSource({ source, opened, close }: EditSourceProps) {
  return (
    <Dialog opened={opened} onClose={close} title={texts.title} size="lg">
      <SourceForm source={source} close={close} />
    </Dialog>
  );
}

function SourceForm({ source: { namespace, display }, close }: Omit<EditSourceProps, 'opened'>) {
  // In state, because the stored display can change while the form is open.
  const [initialInput] = useState<DisplayInput>({
    name: display.name ?? '',
    icon: display.icon,
    colour: display.colour,
  });
  const [input, setInput] = useState(initialInput);

  const save = async () => {
    await call('PUT /api/v2.6/owner/namespaces/:namespace', {
      params: { namespace },
      body: findDisplayCorrections(initialInput, input),
    });
    await refreshDisplays();
    showToast(texts.saved);
    close();
  };
  return (
    <DialogForm submitLabel={m.shell.save} close={close} send={save}>
      <Text>{texts.text(isolateText(namespace))}</Text>
      <DisplayInputs
        nameLabel={texts.name}
        placeholder={namespace}
        unsetLabel={texts.unset}
        input={input}
        change={(changes) => setInput((current) => ({ ...current, ...changes }))}
      />
    </DialogForm>
  );
}
