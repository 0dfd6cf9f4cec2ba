import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { BrowsedRecord, Field } from '../../../../shared/api/contract.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { endpointFields } from '../../../api/queries.ts';
import { fetchRecordText, recordText, saveRecordText } from '../../../api/record-text.ts';
import { offerUndo } from '../../../components/deletion.tsx';
import { findJsonProblem } from '../../../../shared/form/json-problem.ts';
import { showToast, runWithToast } from '../../../../shared/feedback/toasts.tsx';
import { ItemLoadError, LoadingSkeleton, SubmitError } from '../../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { UnsavedChanges } from '../../../../shared/form/unsaved-changes.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { indentJson } from '../record-editor/json-edits.ts';
import { type EditorContent, RecordEditor } from '../record-editor/record-editor.tsx';
import { OutdatedNotice } from './outdated-notice.tsx';
import { useEditedRecord } from './use-edited-record.ts';

const texts = m.data.editor;

type EditedRecord = Pick<BrowsedRecord, 'endpoint' | 'recordId'>;

async function fetchIndentedText(recordId: string): Promise<string> {
  return indentJson(await fetchRecordText(recordId));
}

/** Restores the previous data, unless the record was changed after the save. */
async function undoSave(record: EditedRecord, savedText: string, previousText: string): Promise<void> {
  await runWithToast(async () => {
    if ((await fetchIndentedText(record.recordId)) !== indentJson(savedText)) {
      showToast(m.recordEditor.notUndone, m.recordEditor.changedSince);
      return;
    }
    await saveRecordText(record, previousText);
    showToast(m.recordEditor.undone);
  });
}

interface EditRecordProps {
  record: EditedRecord;
  done: () => void;
}

export function EditRecord({ record, done }: EditRecordProps) {
  const text = useQuery(recordText(record.recordId));
  const fields = useQuery(endpointFields(record.endpoint));
  if (text.data === undefined && text.isError)
    return <ItemLoadError error={text.error} retry={() => void text.refetch()} texts={m.data.record} />;
  if (text.data === undefined || fields.isPending) return <LoadingSkeleton rows={8} />;
  return <LoadedEditor record={record} storedText={text.data} fields={fields.data?.fields ?? []} done={done} />;
}

interface LoadedEditorProps extends EditRecordProps {
  storedText: string;
  fields: readonly Field[];
}

/** If the record is changed elsewhere, shows the new content unless the owner has begun to edit. */
function LoadedEditor({ record, storedText, fields, done }: LoadedEditorProps) {
  const { recordId } = record;
  const indentedText = useMemo(() => indentJson(storedText), [storedText]);
  const fetchText = async () => indentJson(await queryClient.fetchQuery({ ...recordText(recordId), staleTime: 0 }));
  const { busy, problem, run } = useSubmit();
  const { original, isOutdated, accept, isCurrent, isChecking } = useEditedRecord(indentedText, fetchText, busy);
  const [content, setContent] = useState<EditorContent>({ text: original, isComplete: true });
  const [loadCount, setLoadCount] = useState(0);
  const isInvalid = !content.isComplete || findJsonProblem(content.text) !== undefined;
  const isChanged = !content.isComplete || content.text !== original;
  const load = () => {
    accept();
    setContent({ text: indentedText, isComplete: true });
    setLoadCount(loadCount + 1);
  };
  if (isOutdated && !isChanged) load();

  const store = async () => {
    const { text } = content;
    await saveRecordText(record, text);
    offerUndo({
      title: texts.saved,
      text: m.recordEditor.savedText,
      color: 'teal',
      undo: () => void undoSave(record, text, indentedText),
    });
    done();
  };
  const save = async () => {
    if (isInvalid || busy || isChecking) return;
    if (!isChanged) done();
    else if (await isCurrent()) await run(store);
  };
  return (
    <>
      <UnsavedChanges exist={isChanged} />
      {isOutdated && <OutdatedNotice load={load} />}
      <RecordEditor
        key={loadCount}
        initialText={original}
        fields={fields}
        jsonLabel={texts.label}
        jsonHint={texts.hint}
        minRows={16}
        onChange={setContent}
        onSubmit={() => void save()}
      />
      <SubmitError problem={problem} />
      {!content.isComplete && (
        <Text c="var(--stop)" mt="md" role="status">
          {m.recordEditor.correctFields}
        </Text>
      )}
      <Group gap="sm" mt="md">
        <Button onClick={() => void save()} loading={busy || isChecking} disabled={isInvalid || !isChanged}>
          {isOutdated ? texts.saveAnyway : texts.save}
        </Button>
        <Button variant="default" onClick={done}>
          {isChanged ? texts.discard : m.shell.cancel}
        </Button>
      </Group>
    </>
  );
}
