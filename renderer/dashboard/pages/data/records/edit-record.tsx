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

const words = m.data.editor;

/** Editor for the JSON of a record. The record keeps its id, endpoint and position. */
export function EditRecord({ record, done }: { record: BrowsedRecord; done: () => void }) {
  const [original] = useState(() => formatJson(record.data));
  const [text, setText] = useState(original);
  const { busy, problem, run } = useSubmit();
  const isBroken = findJsonProblem(text) !== undefined;
  const isChanged = text !== original;

  const store = async () => {
    const { endpoint, recordId } = record;
    await call('PUT /api/v2.6/data', { body: [{ endpoint, recordId, data: parseLosslessJson(text) }] });
    await queryClient.invalidateQueries({ queryKey: recordQuery(recordId).queryKey });
    await refreshData(endpoint);
    showToast(words.saved);
    done();
  };
  const save = () => {
    if (isBroken || busy) return;
    if (isChanged) void run(store);
    else done();
  };
  return (
    <>
      <JsonEditor label={words.label} hint={words.hint} value={text} onChange={setText} onSubmit={save} minRows={16} />
      <SubmitError problem={problem} />
      <Group gap="sm" mt="md">
        <Button onClick={save} loading={busy} disabled={isBroken || !isChanged}>
          {words.save}
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
