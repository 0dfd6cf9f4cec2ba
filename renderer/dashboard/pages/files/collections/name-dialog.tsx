import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { MAX_COLLECTION_NAME_CHARS } from '../../../../../server/wire/limits.ts';
import type { Collection } from '../../../../shared/api/contract.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog, type DialogState } from '../../../../shared/overlay/dialog.tsx';
import { DialogForm } from '../../../../shared/overlay/dialog-form.tsx';
import { renameCollection } from '../../../api/files/collections.ts';

const texts = m.collections;

interface NameDialogProps extends DialogState {
  title: string;
  submitLabel: string;
  initialName: string;
  onSubmit: (name: string) => Promise<void>;
}

/** Dialog that asks for the name of a collection. Closes if `onSubmit` succeeds, and shows the error otherwise. */
export function NameDialog({ opened, close, title, ...form }: NameDialogProps) {
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <NameForm close={close} {...form} />
    </Dialog>
  );
}

function NameForm({ close, submitLabel, initialName, onSubmit }: Omit<NameDialogProps, 'opened' | 'title'>) {
  const [name, setName] = useState(initialName);
  const [isMissing, setIsMissing] = useState(false);
  const check = () => {
    setIsMissing(name.trim() === '');
    return name.trim() !== '';
  };
  const send = async () => {
    await onSubmit(name.trim());
    close();
  };
  return (
    <DialogForm submitLabel={submitLabel} close={close} check={check} send={send}>
      <TextInput
        label={texts.name}
        value={name}
        maxLength={MAX_COLLECTION_NAME_CHARS}
        error={isMissing ? m.shell.nameMissing : undefined}
        autoComplete="off"
        data-autofocus
        onChange={(event) => {
          setName(event.currentTarget.value);
          setIsMissing(false);
        }}
      />
    </DialogForm>
  );
}

export function RenameCollection({
  collection: { collectionId, name },
  opened,
  close,
}: Pick<NameDialogProps, 'opened' | 'close'> & { collection: Collection }) {
  const rename = async (newName: string) => {
    await renameCollection(collectionId, newName);
    showToast(texts.rename.done(newName));
  };
  return (
    <NameDialog
      opened={opened}
      close={close}
      title={texts.rename.title(name)}
      submitLabel={m.shell.rename}
      initialName={name}
      onSubmit={rename}
    />
  );
}
