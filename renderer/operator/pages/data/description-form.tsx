import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { queryClient } from '../../../shared/api/query-client.ts';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { type AvailableNamespace, call } from '../../api/client.ts';
import { availableData, invalidate } from '../../api/queries.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { x } from '../../messages/texts.ts';

const words = x.available;

/** A namespace, an endpoint, or a field; unused members are empty. */
export interface DescriptionTarget {
  namespace: string;
  endpoint: string;
  field: string;
  description: string;
}

const nameOf = ({ namespace, endpoint, field }: DescriptionTarget): string =>
  endpoint === '' ? namespace : `${namespace}/${endpoint}${field === '' ? '' : ` ${field}`}`;

/** Builds the request. It contains all existing descriptions, because the request replaces them. */
function sent(of: DescriptionTarget, description: string, now: readonly AvailableNamespace[]): AvailableNamespace {
  const { namespace, endpoint, field } = of;
  const known = now.find((one) => one.namespace === namespace);
  if (endpoint === '') return { namespace, description, endpoints: [] };
  const place = known?.endpoints.find((one) => one.endpoint === endpoint);
  const ofNamespace = { namespace, description: known?.description ?? '' };
  if (field === '') return { ...ofNamespace, endpoints: [{ endpoint, description, fields: [] }] };
  return {
    ...ofNamespace,
    endpoints: [{ endpoint, description: place?.description ?? '', fields: [{ name: field, description, count: 0 }] }],
  };
}

export function DescriptionForm({ of, close }: { of: DescriptionTarget; close: () => void }) {
  const [text, setText] = useState(of.description);
  const send = async () => {
    const now = await queryClient.fetchQuery({ ...availableData, staleTime: 0 });
    const data = await call('POST /stats/available-data/descriptions', { body: [sent(of, text.trim(), now)] });
    queryClient.setQueryData(availableData.queryKey, data);
    await invalidate();
    showToast(words.done(nameOf(of)));
  };
  return (
    <FormDialog title={words.describe(nameOf(of))} submit={words.submit} close={close} send={send}>
      <Textarea
        label={words.description}
        description={words.hint}
        rows={4}
        maxLength={5000}
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
