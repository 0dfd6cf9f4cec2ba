import { Checkbox, NativeSelect, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { type Account, call } from '../../api/client.ts';
import { invalidate } from '../../api/queries.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { messages } from '../../messages/texts.ts';

const words = messages.plugs.form;

const EMPTY_FORM = {
  name: '',
  description: '',
  url: '',
  illustrationUrl: '',
  owner: '',
  passwordHash: '',
  namespace: '',
};
const OPTIONAL_FIELDS: ReadonlySet<string> = new Set(['namespace']);
type Field = keyof typeof EMPTY_FORM;

interface RegisterPlugProps {
  close: () => void;
  accounts: readonly Account[];
}

export function RegisterPlug({ close, accounts }: RegisterPlugProps) {
  const owners = accounts.filter(({ roles }) => roles.includes('dataPlug'));
  const [values, setValues] = useState(EMPTY_FORM);
  const [approved, setApproved] = useState(false);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const isMissing = (field: Field): boolean => values[field].trim() === '' && !OPTIONAL_FIELDS.has(field);
  const fieldProps = (name: Field) => ({
    name,
    value: values[name],
    error: isSubmitted && isMissing(name) ? words.required : undefined,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => {
      const { value } = currentTarget;
      setValues((current) => ({ ...current, [name]: value }));
    },
  });
  const check = () => {
    setIsSubmitted(true);
    return !Object.keys(EMPTY_FORM).some((name) => isMissing(name as Field));
  };
  const send = async () => {
    const { namespace, ...rest } = values;
    await call('POST /api/dataplugs', {
      body: { ...rest, approved, ...(namespace.trim() === '' ? {} : { namespace: namespace.trim() }) },
    });
    await invalidate('plugs', 'applications');
    showToast(messages.plugs.registered(values.name));
  };
  return (
    <FormDialog
      title={words.title}
      size="lg"
      submitLabel={words.submit}
      disabled={owners.length === 0}
      close={close}
      check={check}
      send={send}
    >
      <TextInput label={words.name} description={words.nameHint} data-autofocus {...fieldProps('name')} />
      <Textarea label={words.description} description={words.descriptionHint} rows={2} {...fieldProps('description')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput label={words.url} type="url" {...fieldProps('url')} />
        <TextInput label={words.illustrationUrl} type="url" {...fieldProps('illustrationUrl')} />
      </SimpleGrid>
      {owners.length === 0 ? (
        <Text c="var(--decision)">{words.noOwner}</Text>
      ) : (
        <NativeSelect
          label={words.owner}
          description={words.ownerHint}
          data={[{ value: '', label: words.chooseOwner }, ...owners.map(({ name }) => name)]}
          {...fieldProps('owner')}
        />
      )}
      <TextInput
        label={words.passwordHash}
        description={words.passwordHashHint}
        autoComplete="off"
        spellCheck={false}
        {...fieldProps('passwordHash')}
      />
      <TextInput label={words.namespace} description={words.namespaceHint} {...fieldProps('namespace')} />
      <Checkbox
        label={words.approved}
        checked={approved}
        onChange={(event) => setApproved(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
