import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { call, parseLosslessJson } from '../../../../shared/api/client.ts';
import type { BrowsedRecord } from '../../../../shared/api/contract.ts';
import { record as recordQuery, refreshData } from '../../../api/queries.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { JsonEditor } from '../../../../shared/form/json-editor.tsx';
import { findJsonProblem } from '../../../../shared/form/json-problem.ts';
import { formatJson } from '../../../../shared/components/json-text.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { OutdatedNotice } from './outdated-notice.tsx';
import { useEditedRecord } from './use-edited-record.ts';

const words = m.data.editor;

/**
 * Editor for the JSON of a record. The record keeps its id, endpoint and position. If another program changes the
 * record, the editor shows the new content, unless the owner has begun to edit.
 */
export function EditRecord({ record, done }: { record: BrowsedRecord; done: () => void }) {
  const { endpoint, recordId } = record;
  const { busy, problem, run } = useSubmit();
  const { stored, original, isOutdated, accept, isCurrent, isChecking } = useEditedRecord(record, busy);
  const [text, setText] = useState(original);
  const isBroken = findJsonProblem(text) !== undefined;
  const isChanged = text !== original;
  const load = () => {
    accept();
    setText(stored);
  };
  if (isOutdated && !isChanged) load();

  const store = async () => {
    await call('PUT /api/v2.6/data', { body: [{ endpoint, recordId, data: parseLosslessJson(text) }] });
    await queryClient.invalidateQueries({ queryKey: recordQuery(recordId).queryKey });
    await refreshData(endpoint);
    showToast(words.saved);
    done();
  };
  const save = async () => {
    if (isBroken || busy || isChecking) return;
    if (!isChanged) done();
    else if (await isCurrent()) await run(store);
  };
  return (
    <>
      {isOutdated && <OutdatedNotice load={load} />}
      <JsonEditor
        label={words.label}
        hint={words.hint}
        value={text}
        onChange={setText}
        onSubmit={() => void save()}
        minRows={16}
      />
      <SubmitError problem={problem} />
      <Group gap="sm" mt="md">
        <Button onClick={() => void save()} loading={busy || isChecking} disabled={isBroken || !isChanged}>
          {isOutdated ? words.saveAnyway : words.save}
        </Button>
        <Button variant="default" onClick={done}>
          {isChanged ? words.discard : m.shell.cancel}
        </Button>
        <Button
          variant="subtle"
          color="gray"
          c="var(--ink-soft)"
          ml="auto"
          disabled={isBroken}
          onClick={() => setText(formatJson(parseLosslessJson(text)))}
        >
          {words.format}
        </Button>
      </Group>
    </>
  );
}
