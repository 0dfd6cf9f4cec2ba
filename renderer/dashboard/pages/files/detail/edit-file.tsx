import { Button, Group, Stack, TagsInput, TextInput, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { MAX_FILE_NAME_BYTES, MAX_FILE_TAGS } from '../../../../../server/wire/limits.ts';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { type FileMetadata, changeFile, fileSummary, metadataOf } from '../../../api/files/queries.ts';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { LoadError } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';

const words = m.files.edit;

/** What was typed or pasted with commas is several tags. Those that were there may have commas of their own. */
function tidied(tags: readonly string[], before: readonly string[]): string[] {
  const all = tags.flatMap((tag) => (before.includes(tag) ? [tag] : tag.split(',').map((part) => part.trim())));
  return [...new Set(all)].filter((tag) => tag !== '');
}

/** Title, description and tags of a file. Input is kept when saving fails. */
export function EditFile({ file, done }: { file: OwnerFile; done: () => void }) {
  const [before] = useState(file);
  const [original] = useState(() => metadataOf(file));
  const [text, setText] = useState<FileMetadata>(original);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const known = (useQuery(fileSummary).data?.tags ?? []).map(({ tag }) => tag);
  const name = text.name.trim();
  const isBad = name === '' || new TextEncoder().encode(name).length > MAX_FILE_NAME_BYTES;
  const isChanged = JSON.stringify(text) !== JSON.stringify(original);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (isBad || busy) return;
    if (!isChanged) {
      done();
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      await changeFile(before, { ...text, name });
      showToast(words.saved);
      done();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void save(event)} noValidate>
      <Stack gap="md">
        <TextInput
          label={words.heading}
          description={words.headingHint}
          data-autofocus
          value={text.title}
          maxLength={10_000}
          onChange={({ currentTarget: { value } }) => setText({ ...text, title: value })}
        />
        <TagsInput
          label={words.tags}
          description={words.tagsHint}
          size="sm"
          value={text.tags}
          data={known}
          limit={20}
          maxTags={MAX_FILE_TAGS}
          acceptValueOnBlur
          comboboxProps={{ transitionProps: { duration: 90 } }}
          onChange={(tags) => setText({ ...text, tags: tidied(tags, text.tags) })}
        />
        <Textarea
          label={words.description}
          size="sm"
          autosize
          minRows={3}
          maxRows={12}
          maxLength={10_000}
          value={text.description}
          onChange={({ currentTarget: { value } }) => setText({ ...text, description: value })}
        />
        <TextInput
          label={words.name}
          value={text.name}
          error={isBad ? words.nameBad : undefined}
          onChange={({ currentTarget: { value } }) => setText({ ...text, name: value })}
        />
        {problem !== undefined && <LoadError error={problem} title={words.notSaved} />}
        <Group gap="sm">
          <Button type="submit" loading={busy} disabled={isBad || !isChanged}>
            {words.save}
          </Button>
          <Button variant="default" onClick={done}>
            {isChanged ? words.discard : m.shell.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
