import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ENDPOINT_COLOURS, ENDPOINT_ICONS, FIELD_TYPES } from '../../../../../server/wire/field-choices.ts';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { call } from '../../../../shared/api/client.ts';
import type { EndpointFields, Field, FieldCorrections } from '../../../../shared/api/contract.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { LoadError, LoadingSkeleton, SubmitError } from '../../../../shared/feedback/states.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import { endpointFields, endpoints } from '../../../api/queries.ts';
import { findCorrections, type FieldInput } from './field-corrections.ts';
import classes from './edit-names.module.css';

const words = m.data.names;
const MAX_NAME_CHARS = 80;
const MAX_UNIT_CHARS = 20;

interface EditNamesProps {
  endpoint: string;
  opened: boolean;
  close: () => void;
}

/** Dialog to correct the names, types and units that the PDA inferred from the records of an endpoint. */
export function EditNames({ endpoint, opened, close }: EditNamesProps) {
  return (
    <Dialog opened={opened} onClose={close} title={words.title} size="xl">
      <EditNamesContent endpoint={endpoint} close={close} />
    </Dialog>
  );
}

function EditNamesContent({ endpoint, close }: Omit<EditNamesProps, 'opened'>) {
  const query = useQuery(endpointFields(endpoint));
  if (query.isPending) return <LoadingSkeleton rows={8} height={32} />;
  if (query.isError) return <LoadError error={query.error} retry={() => void query.refetch()} />;
  return <NamesForm stored={query.data} close={close} />;
}

function NamesForm({ stored, close }: { stored: EndpointFields; close: () => void }) {
  const [name, setName] = useState(stored.name);
  const [icon, setIcon] = useState(stored.icon ?? 'table');
  const [colour, setColour] = useState(stored.colour ?? 'grey');
  const [inputs, setInputs] = useState<readonly FieldInput[]>(stored.fields);
  const { busy, problem, run } = useSubmit();
  const { endpoint } = stored;
  const isCorrected = stored.corrected || stored.fields.some(({ corrected }) => corrected);

  const save = async (body: FieldCorrections) => {
    const savedFields = await call('PUT /api/v2.6/owner/fields', { query: { endpoint }, body });
    queryClient.setQueryData(endpointFields(endpoint).queryKey, savedFields);
    await queryClient.invalidateQueries({ queryKey: endpoints.queryKey });
    showToast(words.saved);
    close();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const display = {
      ...(name.trim() === stored.name ? {} : { name: name.trim() === '' ? null : name.trim() }),
      ...(icon === (stored.icon ?? 'table') ? {} : { icon: icon === 'table' ? null : icon }),
      ...(colour === (stored.colour ?? 'grey') ? {} : { colour: colour === 'grey' ? null : colour }),
    };
    void run(() => save({ ...display, fields: findCorrections(stored.fields, inputs) }));
  };
  const reset = () =>
    void run(() =>
      save({
        name: null,
        icon: null,
        colour: null,
        fields: stored.fields.map(({ path }) => ({ path, name: null, type: null, unit: null })),
      }),
    );
  const changeField = (path: string, changes: Partial<FieldInput>) =>
    setInputs((current) => current.map((input) => (input.path === path ? { ...input, ...changes } : input)));

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">{words.text(stored.sampled)}</Text>
        <div className={classes.endpoint}>
          <TextInput
            label={words.endpointName}
            value={name}
            maxLength={MAX_NAME_CHARS}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <NativeSelect
            label={words.icon}
            value={icon}
            data={ENDPOINT_ICONS.map((value) => ({ value, label: words.icons[value] }))}
            onChange={(event) =>
              setIcon(ENDPOINT_ICONS.find((value) => value === event.currentTarget.value) ?? 'table')
            }
          />
          <NativeSelect
            label={words.colour}
            value={colour}
            data={ENDPOINT_COLOURS.map((value) => ({ value, label: words.colours[value] }))}
            onChange={(event) =>
              setColour(ENDPOINT_COLOURS.find((value) => value === event.currentTarget.value) ?? 'grey')
            }
          />
        </div>
        {inputs.map((input) => (
          <FieldRow key={input.path} input={input} change={(changes) => changeField(input.path, changes)} />
        ))}
        <SubmitError problem={problem} />
        <Group justify="flex-end" gap="sm">
          {isCorrected && (
            <Button variant="subtle" onClick={reset} disabled={busy} mr="auto">
              {words.reset}
            </Button>
          )}
          <Button variant="default" onClick={close}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={busy}>
            {words.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface FieldRowProps {
  input: FieldInput;
  change: (changes: Partial<FieldInput>) => void;
}

/** Name, type and unit of one field. */
function FieldRow({ input, change }: FieldRowProps) {
  const { path, name, type, unit } = input;
  const fieldName = path === '' ? words.wholeRecord : isolateText(path);
  return (
    <fieldset className={classes.field}>
      <legend>{fieldName}</legend>
      <TextInput
        label={words.name}
        aria-label={words.nameOf(fieldName)}
        value={name}
        maxLength={MAX_NAME_CHARS}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={words.type}
        aria-label={words.typeOf(fieldName)}
        value={type}
        data={FIELD_TYPES.map((value) => ({ value, label: words.types[value] }))}
        onChange={(event) => change({ type: parseFieldType(event.currentTarget.value, type) })}
      />
      <TextInput
        label={words.unit}
        aria-label={words.unitOf(fieldName)}
        value={unit}
        maxLength={MAX_UNIT_CHARS}
        onChange={(event) => change({ unit: event.currentTarget.value })}
      />
    </fieldset>
  );
}

/** Returns the field type with this name; the current type if there is none. */
function parseFieldType(value: string, current: Field['type']): Field['type'] {
  return FIELD_TYPES.find((type) => type === value) ?? current;
}
