import { Autocomplete, Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { endpointFields, endpoints } from '../../api/queries.ts';
import { addRecordText } from '../../api/record-text.ts';
import { Dialog } from '../../../shared/overlay/dialog.tsx';
import { JsonEditor } from '../../../shared/form/json-editor.tsx';
import { findJsonProblem } from '../../../shared/form/json-problem.ts';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { LoadingSkeleton, SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { UnsavedChanges } from '../../../shared/form/unsaved-changes.tsx';
import { withParameters, useUrlQuery } from '../../../shared/form/use-url-query.ts';
import { isEndpoint } from './endpoints/endpoint-name.ts';
import { m } from '../../../shared/messages/texts.ts';
import { endpointPath } from '../../navigation.ts';
import { type EditorContent, RecordEditor } from './record-editor/record-editor.tsx';

const texts = m.data.addRecord;
const MIN_JSON_ROWS = 10;
const EMPTY_RECORD = '{\n  \n}';

export function AddRecord({ endpoint }: { endpoint?: string }) {
  const [query, setQuery] = useUrlQuery();
  const close = () => setQuery(withParameters({ add: '' }), { replace: true });
  return (
    <Dialog opened={query.has('add')} onClose={close} title={m.data.add} size="lg" isLocked>
      <AddForm endpoint={endpoint} close={close} />
    </Dialog>
  );
}

function AddForm({ endpoint, close }: { endpoint: string | undefined; close: () => void }) {
  const navigate = useNavigate();
  const summaries = useQuery(endpoints).data ?? [];
  const [target, setTarget] = useState(endpoint ?? '');
  const [content, setContent] = useState<EditorContent>({ text: EMPTY_RECORD, isComplete: true });
  const [hasInvalidTarget, setHasInvalidTarget] = useState(false);
  const { busy, problem, run } = useSubmit();
  const endpointExists = summaries.some((summary) => summary.endpoint === target);
  const query = useQuery({ ...endpointFields(target), enabled: endpointExists });
  const fields = endpointExists ? (query.data?.fields ?? []) : [];
  const isContentInvalid = !content.isComplete || findJsonProblem(content.text) !== undefined;

  const store = async () => {
    const count = await addRecordText(target, content.text);
    showToast(texts.stored(count, target));
    if (endpoint === target) close();
    else await navigate(endpointPath(target), { replace: true });
  };
  const submit = () => {
    const isInvalid = !isEndpoint(target);
    setHasInvalidTarget(isInvalid);
    if (!isInvalid && !isContentInvalid && !busy) void run(store);
  };
  // Not a form element, because Enter in an input would store an unfinished record.
  return (
    <Stack gap="md">
      <UnsavedChanges exist={!content.isComplete || content.text !== EMPTY_RECORD} />
      <Autocomplete
        label={m.data.list.endpoint}
        description={texts.endpointHint}
        value={target}
        onChange={(value) => {
          setTarget(value);
          // The form for a different endpoint starts without invalid inputs.
          setContent({ ...content, isComplete: true });
          setHasInvalidTarget(false);
        }}
        data={summaries.map((summary) => summary.endpoint)}
        limit={8}
        openOnFocus={false}
        error={hasInvalidTarget ? texts.endpointInvalid : undefined}
        data-autofocus={endpoint === undefined || undefined}
        spellCheck={false}
        autoCapitalize="none"
      />
      {endpointExists && query.isPending ? (
        <LoadingSkeleton rows={MIN_JSON_ROWS} />
      ) : fields.length > 0 ? (
        <RecordEditor
          key={target}
          initialText={content.text}
          fields={fields}
          isNew
          jsonLabel={texts.json}
          jsonHint={texts.jsonHint}
          minRows={MIN_JSON_ROWS}
          onChange={setContent}
          onSubmit={submit}
        />
      ) : (
        <JsonEditor
          label={texts.json}
          hint={texts.jsonHint}
          value={content.text}
          onChange={(text) => setContent({ text, isComplete: true })}
          onSubmit={submit}
          minRows={MIN_JSON_ROWS}
        />
      )}
      <SubmitError problem={problem} />
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={close}>
          {m.shell.cancel}
        </Button>
        <Button loading={busy} disabled={isContentInvalid} onClick={submit}>
          {m.shell.save}
        </Button>
      </Group>
    </Stack>
  );
}
