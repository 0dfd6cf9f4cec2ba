import { Checkbox, NativeSelect, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { type Account, call } from '../../api/client.ts';
import { invalidate } from '../../api/queries.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { messages } from '../../messages/texts.ts';

const texts = messages.plugs.form;

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
  const plugAccounts = accounts.filter(({ roles }) => roles.includes('dataPlug'));
  const [values, setValues] = useState(EMPTY_FORM);
  const [approved, setApproved] = useState(false);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const isMissing = (field: Field): boolean => values[field].trim() === '' && !OPTIONAL_FIELDS.has(field);
  const fieldProps = (name: Field) => ({
    name,
    value: values[name],
    error: isSubmitted && isMissing(name) ? texts.required : undefined,
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
    const name = values.name.trim();
    const namespace = values.namespace.trim();
    await call('POST /api/dataplugs', {
      body: {
        name,
        description: values.description.trim(),
        url: values.url.trim(),
        illustrationUrl: values.illustrationUrl.trim(),
        owner: values.owner,
        passwordHash: values.passwordHash.trim(),
        approved,
        ...(namespace === '' ? {} : { namespace }),
      },
    });
    await invalidate('plugs', 'applications');
    showToast(messages.plugs.registered(name));
  };
  return (
    <FormDialog
      title={texts.title}
      size="lg"
      submitLabel={texts.submit}
      disabled={plugAccounts.length === 0}
      close={close}
      check={check}
      send={send}
    >
      <TextInput label={texts.name} description={texts.nameHint} data-autofocus {...fieldProps('name')} />
      <Textarea label={texts.description} description={texts.descriptionHint} rows={2} {...fieldProps('description')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput label={texts.url} type="url" {...fieldProps('url')} />
        <TextInput label={texts.illustrationUrl} type="url" {...fieldProps('illustrationUrl')} />
      </SimpleGrid>
      {plugAccounts.length === 0 ? (
        <Text c="var(--decision)">{texts.noOwner}</Text>
      ) : (
        <NativeSelect
          label={texts.owner}
          description={texts.ownerHint}
          data={[{ value: '', label: texts.chooseOwner }, ...plugAccounts.map(({ name }) => name)]}
          {...fieldProps('owner')}
        />
      )}
      <TextInput
        label={texts.passwordHash}
        description={texts.passwordHashHint}
        autoComplete="off"
        spellCheck={false}
        {...fieldProps('passwordHash')}
      />
      <TextInput label={texts.namespace} description={texts.namespaceHint} {...fieldProps('namespace')} />
      <Checkbox
        label={texts.approved}
        checked={approved}
        onChange={(event) => setApproved(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}
