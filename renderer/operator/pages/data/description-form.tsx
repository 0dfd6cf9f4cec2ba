import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { queryClient } from '../../../shared/api/query-client.ts';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { type AvailableNamespace, call } from '../../api/client.ts';
import { availableData, invalidate } from '../../api/queries.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { messages } from '../../messages/texts.ts';

const texts = messages.availableData;
const DESCRIPTION_MAX_CHARS = 5000;

/** A namespace, endpoint or field with its description. `endpoint` and `field` are empty if they do not apply. */
export interface DescriptionTarget {
  namespace: string;
  endpoint: string;
  field: string;
  description: string;
}

const nameOf = ({ namespace, endpoint, field }: DescriptionTarget): string =>
  endpoint === '' ? namespace : `${namespace}/${endpoint}${field === '' ? '' : ` ${field}`}`;

/** Includes the descriptions of the target's namespace and endpoint, because the request replaces them too. */
function buildRequest(
  target: DescriptionTarget,
  description: string,
  available: readonly AvailableNamespace[],
): AvailableNamespace {
  const { namespace, endpoint, field } = target;
  const namespaceEntry = available.find((entry) => entry.namespace === namespace);
  if (endpoint === '') return { namespace, description, endpoints: [] };
  const endpointEntry = namespaceEntry?.endpoints.find((entry) => entry.endpoint === endpoint);
  const base = { namespace, description: namespaceEntry?.description ?? '' };
  if (field === '') return { ...base, endpoints: [{ endpoint, description, fields: [] }] };
  return {
    ...base,
    endpoints: [
      { endpoint, description: endpointEntry?.description ?? '', fields: [{ name: field, description, count: 0 }] },
    ],
  };
}

export function DescriptionForm({ target, close }: { target: DescriptionTarget; close: () => void }) {
  const [text, setText] = useState(target.description);
  const send = async () => {
    const available = await queryClient.fetchQuery({ ...availableData, staleTime: 0 });
    const updatedData = await call('POST /stats/available-data/descriptions', {
      body: [buildRequest(target, text.trim(), available)],
    });
    queryClient.setQueryData(availableData.queryKey, updatedData);
    await invalidate();
    showToast(texts.done(nameOf(target)));
  };
  return (
    <FormDialog title={texts.describe(nameOf(target))} submitLabel={texts.submit} close={close} send={send}>
      <Textarea
        label={texts.description}
        description={texts.hint}
        rows={4}
        maxLength={DESCRIPTION_MAX_CHARS}
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
