import { Button, Group, Stack, TextInput, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { MAX_FILE_NAME_BYTES } from '../../../../../server/wire/limits.ts';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { type FileMetadata, changeFile, metadataOf } from '../../../api/files/queries.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { LoadError } from '../../../../shared/feedback/states.tsx';
import { UnsavedChanges } from '../../../../shared/form/unsaved-changes.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { TagsField } from './tags-field.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';

const texts = m.files.edit;
const MAX_TEXT_CHARS = 10_000;

export function EditFile({ file, onDone }: { file: OwnerFile; onDone: () => void }) {
  const [originalFile] = useState(file);
  const [originalMetadata] = useState(() => metadataOf(file));
  const [metadata, setMetadata] = useState<FileMetadata>(originalMetadata);
  const { busy, problem, run } = useSubmit();
  const name = metadata.name.trim();
  const isNameInvalid = name === '' || new TextEncoder().encode(name).length > MAX_FILE_NAME_BYTES;
  const isChanged = JSON.stringify(metadata) !== JSON.stringify(originalMetadata);

  const save = async () => {
    await changeFile(originalFile, { ...metadata, name });
    showToast(texts.saved);
    onDone();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isNameInvalid || busy) return;
    if (isChanged) void run(save);
    else onDone();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <UnsavedChanges exist={isChanged} />
        <TextInput
          label={texts.heading}
          description={texts.headingHint}
          data-autofocus
          value={metadata.title}
          maxLength={MAX_TEXT_CHARS}
          onChange={({ currentTarget: { value } }) => setMetadata({ ...metadata, title: value })}
        />
        <TagsField
          label={m.files.file.tags}
          tags={metadata.tags}
          onChange={(tags) => setMetadata({ ...metadata, tags })}
        />
        <Textarea
          label={texts.description}
          size="sm"
          autosize
          minRows={3}
          maxRows={12}
          maxLength={MAX_TEXT_CHARS}
          value={metadata.description}
          onChange={({ currentTarget: { value } }) => setMetadata({ ...metadata, description: value })}
        />
        <TextInput
          label={m.files.list.name}
          value={metadata.name}
          error={isNameInvalid ? texts.nameInvalid : undefined}
          onChange={({ currentTarget: { value } }) => setMetadata({ ...metadata, name: value })}
        />
        {problem !== undefined && <LoadError error={problem} title={texts.notSaved} />}
        <Group gap="sm">
          <Button type="submit" loading={busy} disabled={isNameInvalid || !isChanged}>
            {m.data.editor.save}
          </Button>
          <Button variant="default" onClick={onDone}>
            {isChanged ? m.data.editor.discard : m.shell.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
