import { Button, Group, Stack, TagsInput, Text, Textarea } from '@mantine/core';
import { type FormEvent, type KeyboardEvent, useMemo, useState } from 'react';
import { isObject } from '../../../../server/wire/values.ts';
import { call } from '../../../shared/api/client.ts';
import type { BrowsedRecord } from '../../../shared/api/contract.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { formatJson } from '../../../shared/components/json-text.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { UnsavedChanges } from '../../../shared/form/unsaved-changes.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { record as recordQuery, refreshData } from '../../api/queries.ts';
import { OutdatedNotice } from '../data/records/outdated-notice.tsx';
import { useEditedRecord } from '../data/records/use-edited-record.ts';
import { NOTES_ENDPOINT, isSameNote, noteOf, type Note } from './note.ts';

const texts = m.notes.form;
const MAX_TEXT_CHARS = 100_000;
const MAX_TAG_CHARS = 100;
const MAX_TAGS = 50;
const EMPTY_NOTE: Note = { text: '', tags: [] };

const jsonOf = (record: BrowsedRecord | undefined): string => (record === undefined ? '' : formatJson(record.data));
const freshRecordQuery = (recordId: string) => ({ ...recordQuery(recordId), staleTime: 0 });

/**
 * Edits a new or an existing note. Ctrl+Enter saves it. Keeps the input if saving fails. If another program changes the
 * note, shows the new content unless the owner has begun to edit.
 */
export function NoteForm({
  record,
  tags: knownTags,
  close,
}: {
  record: BrowsedRecord | undefined;
  tags: readonly string[];
  close: () => void;
}) {
  const { busy, problem, run } = useSubmit();
  const storedJson = useMemo(() => jsonOf(record), [record]);
  const fetchJson = async () => jsonOf(record && (await queryClient.fetchQuery(freshRecordQuery(record.recordId))));
  const { isOutdated, accept, isCurrent, isChecking } = useEditedRecord(storedJson, fetchJson, busy);
  const storedNote = noteOf(record?.data) ?? EMPTY_NOTE;
  const [originalNote, setOriginalNote] = useState(storedNote);
  const [text, setText] = useState(originalNote.text);
  const [tags, setTags] = useState(originalNote.tags);
  const isEmpty = text.trim() === '';
  const isChanged = !isSameNote({ text, tags }, originalNote);
  const load = () => {
    accept();
    setOriginalNote(storedNote);
    setText(storedNote.text);
    setTags(storedNote.tags);
  };
  if (isOutdated && !isChanged) load();

  const store = async () => {
    const note = { text, tags };
    if (record === undefined) {
      await call('POST /api/v2.6/data/:namespace/*endpoint', {
        params: { namespace: 'notes', endpoint: 'notes' },
        body: note,
      });
    } else {
      const { recordId, data } = record;
      const body = [{ endpoint: NOTES_ENDPOINT, recordId, data: { ...(isObject(data) ? data : {}), ...note } }];
      await call('PUT /api/v2.6/data', { body });
      await queryClient.invalidateQueries({ queryKey: recordQuery(recordId).queryKey });
    }
    await refreshData(NOTES_ENDPOINT);
    showToast(texts.saved);
    close();
  };
  const save = async () => {
    if (await isCurrent()) await run(store);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isEmpty && !busy && !isChecking) void save();
  };
  const submitOnCtrlEnter = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    const form = event.currentTarget;
    // Deferred until the same key press has added the tag being typed.
    setTimeout(() => form.requestSubmit());
  };
  return (
    <form onSubmit={submit} onKeyDown={submitOnCtrlEnter} noValidate>
      <Stack gap="md">
        <UnsavedChanges exist={isChanged} />
        {isOutdated && <OutdatedNotice load={load} />}
        <Textarea
          label={texts.text}
          description={texts.textHint}
          data-autofocus
          autosize
          minRows={5}
          maxRows={16}
          maxLength={MAX_TEXT_CHARS}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <TagsInput
          label={texts.tags}
          description={texts.tagsHint}
          data={knownTags.filter((tag) => !tags.includes(tag))}
          value={tags}
          maxTags={MAX_TAGS}
          maxLength={MAX_TAG_CHARS}
          onChange={setTags}
        />
        <SubmitError problem={problem} />
        <Group gap="sm" justify="space-between">
          <Group gap="sm">
            <Button type="submit" loading={busy || isChecking} disabled={isEmpty}>
              {isOutdated ? m.data.editor.saveAnyway : m.shell.save}
            </Button>
            <Button variant="default" onClick={close}>
              {m.shell.cancel}
            </Button>
          </Group>
          <Text c="dimmed" visibleFrom="sm">
            {texts.keys}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
