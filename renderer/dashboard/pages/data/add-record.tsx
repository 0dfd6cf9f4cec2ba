import { Autocomplete, Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { call, parseLosslessJson } from '../../../shared/api/client.ts';
import { endpoints, refreshData } from '../../api/queries.ts';
import { Dialog } from '../../../shared/overlay/dialog.tsx';
import { JsonEditor } from '../../../shared/form/json-editor.tsx';
import { findJsonProblem } from '../../../shared/form/json-problem.ts';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { withParameters, useUrlQuery } from '../../../shared/form/use-url-query.ts';
import { isEndpoint } from './endpoints/endpoint-name.ts';
import { m } from '../../../shared/messages/texts.ts';
import { endpointPath } from '../../navigation.ts';

const words = m.data.addRecord;

/** Splits an endpoint into its namespace and its name within the namespace. */
function splitEndpoint(path: string): { namespace: string; endpoint: string } {
  const slash = path.indexOf('/');
  return { namespace: path.slice(0, slash), endpoint: path.slice(slash + 1) };
}

/** Dialog to add a record. Open while the URL has the parameter `add`. */
export function AddRecord({ endpoint }: { endpoint?: string }) {
  const [query, setQuery] = useUrlQuery();
  const close = () => setQuery(withParameters({ add: '' }), { replace: true });
  return (
    <Dialog opened={query.has('add')} onClose={close} title={words.title} size="lg">
      <AddForm endpoint={endpoint} close={close} />
    </Dialog>
  );
}

function AddForm({ endpoint, close }: { endpoint: string | undefined; close: () => void }) {
  const navigate = useNavigate();
  const summaries = useQuery(endpoints).data ?? [];
  const [target, setTarget] = useState(endpoint ?? '');
  const [text, setText] = useState('{\n  \n}');
  const [hasInvalidTarget, setHasInvalidTarget] = useState(false);
  const { busy, problem, run } = useSubmit();

  const store = async () => {
    const storedRecords = await call('POST /api/v2.6/data/:namespace/*endpoint', {
      params: splitEndpoint(target),
      body: parseLosslessJson(text),
    });
    await refreshData(target);
    showToast(words.stored(Array.isArray(storedRecords) ? storedRecords.length : 1, target));
    if (endpoint === target) close();
    else await navigate(endpointPath(target), { replace: true });
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    const isInvalid = !isEndpoint(target);
    setHasInvalidTarget(isInvalid);
    if (!isInvalid && findJsonProblem(text) === undefined) void run(store);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Autocomplete
          label={words.endpoint}
          description={words.endpointHint}
          value={target}
          onChange={(value) => {
            setTarget(value);
            setHasInvalidTarget(false);
          }}
          data={summaries.map((summary) => summary.endpoint)}
          limit={8}
          openOnFocus={false}
          error={hasInvalidTarget ? words.endpointInvalid : undefined}
          data-autofocus={endpoint === undefined || undefined}
          spellCheck={false}
          autoCapitalize="none"
        />
        <JsonEditor
          label={words.json}
          hint={words.jsonHint}
          value={text}
          onChange={setText}
          onSubmit={submit}
          minRows={10}
        />
        <SubmitError problem={problem} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {m.shell.cancel}
          </Button>
          <Button type="submit" loading={busy} disabled={findJsonProblem(text) !== undefined}>
            {words.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
