import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { FIELD_TYPES } from '../../../../../server/wire/field-choices.ts';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import { call } from '../../../../shared/api/client.ts';
import type { EndpointFields, Field, FieldCorrections } from '../../../../shared/api/contract.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { UnsavedChanges } from '../../../../shared/form/unsaved-changes.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog, type DialogState } from '../../../../shared/overlay/dialog.tsx';
import { endpointFields, refreshDisplays } from '../../../api/queries.ts';
import { ColourSelect, DisplayInputs, MAX_NAME_CHARS } from './display-inputs.tsx';
import { type DisplayInput, type FieldInput, findCorrections, findDisplayCorrections } from './field-corrections.ts';
import classes from './edit-names.module.css';

const texts = m.data.names;
const MAX_UNIT_CHARS = 20;

interface EditNamesProps extends DialogState {
  endpoint: string;
}

export function EditNames({ endpoint, opened, close }: EditNamesProps) {
  return (
    <Dialog opened={opened} onClose={close} title={texts.action} size="xl" isLocked>
      <EditNamesContent endpoint={endpoint} close={close} />
    </Dialog>
  );
}

function EditNamesContent({ endpoint, close }: Omit<EditNamesProps, 'opened'>) {
  const query = useQuery(endpointFields(endpoint));
  return (
    <>
      <QueryBoundary query={query} rows={8} height={32} />
      {query.data !== undefined && <NamesForm storedFields={query.data} close={close} />}
    </>
  );
}

function NamesForm({ storedFields, close }: { storedFields: EndpointFields; close: () => void }) {
  // In state, because new records can change inferred types while the form is open, and only changes by the owner are
  // saved.
  const [shownFields] = useState(storedFields);
  const shownDisplay: DisplayInput = { name: shownFields.name, icon: shownFields.icon, colour: shownFields.colour };
  const [display, setDisplay] = useState(shownDisplay);
  const [inputs, setInputs] = useState<readonly FieldInput[]>(shownFields.fields);
  const { busy, problem, run } = useSubmit();
  const { endpoint } = storedFields;
  const displayCorrections = findDisplayCorrections(shownDisplay, display);
  const fieldCorrections = findCorrections(shownFields.fields, inputs);
  const isCorrected =
    storedFields.corrected || storedFields.fields.some(({ corrected, colour }) => corrected || colour !== undefined);

  const save = async (body: FieldCorrections) => {
    const savedFields = await call('PUT /api/v2.6/owner/fields', { query: { endpoint }, body });
    queryClient.setQueryData(endpointFields(endpoint).queryKey, savedFields);
    await refreshDisplays();
    showToast(texts.saved);
    close();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(() => save({ ...displayCorrections, fields: fieldCorrections }));
  };
  const reset = () =>
    void run(() =>
      save({
        name: null,
        icon: null,
        colour: null,
        fields: storedFields.fields.map(({ path }) => ({ path, name: null, type: null, unit: null, colour: null })),
      }),
    );
  const changeField = (path: string, changes: Partial<FieldInput>) =>
    setInputs((current) => current.map((input) => (input.path === path ? { ...input, ...changes } : input)));

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <UnsavedChanges exist={fieldCorrections.length > 0 || Object.keys(displayCorrections).length > 0} />
        <Text>{texts.text(storedFields.sampled)}</Text>
        <DisplayInputs
          nameLabel={texts.endpointName}
          unsetLabel={texts.sameAsSource}
          input={display}
          change={(changes) => setDisplay((current) => ({ ...current, ...changes }))}
        />
        {inputs.map((input) => (
          <FieldRow key={input.path} input={input} change={(changes) => changeField(input.path, changes)} />
        ))}
        <SubmitError problem={problem} />
        <Group justify="flex-end" gap="sm">
          {isCorrected && (
            <Button variant="subtle" onClick={reset} disabled={busy} mr="auto">
              {texts.reset}
            </Button>
          )}
          <Button variant="default" onClick={close}>
            {m.shell.cancel}
          </Button>
          <Button type="submit" loading={busy}>
            {m.shell.save}
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

function FieldRow({ input, change }: FieldRowProps) {
  const { path, name, type, unit, colour } = input;
  const fieldName = path === '' ? texts.wholeRecord : isolateText(path);
  return (
    <fieldset className={classes.field}>
      <legend>{fieldName}</legend>
      <TextInput
        label={texts.name}
        aria-label={texts.nameOf(fieldName)}
        value={name}
        maxLength={MAX_NAME_CHARS}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={texts.type}
        aria-label={texts.typeOf(fieldName)}
        value={type}
        data={FIELD_TYPES.map((value) => ({ value, label: texts.types[value] }))}
        onChange={(event) => change({ type: parseFieldType(event.currentTarget.value, type) })}
      />
      <TextInput
        label={texts.unit}
        aria-label={texts.unitOf(fieldName)}
        value={unit}
        maxLength={MAX_UNIT_CHARS}
        onChange={(event) => change({ unit: event.currentTarget.value })}
      />
      <ColourSelect
        aria-label={texts.colourOf(fieldName)}
        unsetLabel={texts.noColour}
        colour={colour}
        change={(next) => change({ colour: next })}
      />
    </fieldset>
  );
}

function parseFieldType(value: string, current: Field['type']): Field['type'] {
  return FIELD_TYPES.find((type) => type === value) ?? current;
}
