import {
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { tell } from '../../../components/notices.tsx';
import { NotDone } from '../../../components/states.tsx';
import { useAct } from '../../../components/use-act.ts';
import { type Account, call } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { x } from '../../messages/en.ts';

const words = x.plugs.form;

const EMPTY = { name: '', description: '', url: '', illustrationUrl: '', owner: '', passwordHash: '', namespace: '' };
const OPTIONAL: ReadonlySet<string> = new Set(['namespace']);
type Field = keyof typeof EMPTY;

interface RegisterPlugProps {
  close: () => void;
  owners: readonly Account[];
}

/** What an operator writes down for whoever runs a Data Plug. */
export function RegisterPlug({ close, owners }: RegisterPlugProps) {
  return (
    <Modal opened onClose={close} title={words.title} size="lg">
      <Form close={close} owners={owners.filter(({ roles }) => roles.includes('dataPlug'))} />
    </Modal>
  );
}

function Form({ close, owners }: RegisterPlugProps) {
  const [given, setGiven] = useState(EMPTY);
  const [approved, setApproved] = useState(false);
  const [tried, setTried] = useState(false);
  const { busy, problem, act } = useAct();
  const lacks = (field: Field): boolean => given[field].trim() === '' && !OPTIONAL.has(field);
  const field = (name: Field) => ({
    name,
    value: given[name],
    error: tried && lacks(name) ? words.lacks : undefined,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => {
      const { value } = currentTarget;
      setGiven((before) => ({ ...before, [name]: value }));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(EMPTY).some((name) => lacks(name as Field))) return;
    const { namespace, ...rest } = given;
    void act(async () => {
      await call('POST /api/dataplugs', {
        body: { ...rest, approved, ...(namespace.trim() === '' ? {} : { namespace: namespace.trim() }) },
      });
      tell(x.plugs.registered(given.name));
      await refresh('plugs', 'applications');
      close();
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput label={words.name} description={words.nameHint} data-autofocus {...field('name')} />
        <Textarea label={words.description} description={words.descriptionHint} rows={2} {...field('description')} />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
          <TextInput label={words.url} type="url" {...field('url')} />
          <TextInput label={words.illustrationUrl} type="url" {...field('illustrationUrl')} />
        </SimpleGrid>
        {owners.length === 0 ? (
          <Text size="sm" c="var(--decision)">
            {words.noOwner}
          </Text>
        ) : (
          <NativeSelect
            label={words.owner}
            description={words.ownerHint}
            data={[{ value: '', label: words.chooseOwner }, ...owners.map(({ name }) => name)]}
            {...field('owner')}
          />
        )}
        <TextInput
          label={words.passwordHash}
          description={words.passwordHashHint}
          autoComplete="off"
          spellCheck={false}
          {...field('passwordHash')}
        />
        <TextInput label={words.namespace} description={words.namespaceHint} {...field('namespace')} />
        <Checkbox
          label={words.approved}
          checked={approved}
          onChange={(event) => setApproved(event.currentTarget.checked)}
        />
        <NotDone problem={problem} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {x.cancel}
          </Button>
          <Button type="submit" loading={busy} disabled={owners.length === 0}>
            {words.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
