import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { call, parseExact } from '../../api/client.ts';
import type { BrowsedRecord } from '../../api/contract.ts';
import { queryClient, record as recordQuery, refreshData } from '../../api/queries.ts';
import { JsonEditor } from '../../components/json-editor.tsx';
import { jsonProblem } from '../../components/json-problem.ts';
import { prettyJson } from '../../components/json-text.tsx';
import { tell } from '../../components/notices.tsx';
import { NotDone } from '../../components/states.tsx';
import { useAct } from '../../components/use-act.ts';
import { m } from '../../messages/texts.ts';

const words = m.data.editor;

/** The record's JSON to change. It keeps its id, its endpoint and its place. */
export function EditRecord({ record, done }: { record: BrowsedRecord; done: () => void }) {
  const [original] = useState(() => prettyJson(record.data));
  const [text, setText] = useState(original);
  const { busy, problem, act } = useAct();
  const isBroken = jsonProblem(text) !== undefined;
  const isChanged = text !== original;

  const store = async () => {
    const { endpoint, recordId } = record;
    await call('PUT /api/v2.6/data', { body: [{ endpoint, recordId, data: parseExact(text) }] });
    await queryClient.invalidateQueries({ queryKey: recordQuery(recordId).queryKey });
    await refreshData(endpoint);
    tell(words.saved);
    done();
  };
  const save = () => {
    if (isBroken || busy) return;
    if (isChanged) void act(store);
    else done();
  };
  return (
    <>
      <JsonEditor label={words.label} hint={words.hint} value={text} onChange={setText} onSubmit={save} minRows={16} />
      <NotDone problem={problem} />
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
          onClick={() => setText(prettyJson(parseExact(text)))}
        >
          {words.format}
        </Button>
      </Group>
    </>
  );
}
