import { Button, Flex, Menu, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import type { Field } from '../../../../shared/api/contract.ts';
import type { Language } from '../../../../shared/format/languages.ts';
import { OverflowMenu } from '../../../../shared/components/overflow-menu.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import {
  type Draft,
  type FormState,
  missingFields,
  openMissingField,
  openNullField,
  removeField,
  setNull,
  typeInput,
} from './draft.ts';
import classes from './edit-form.module.css';
import { ValueInput } from './value-input.tsx';
import { inputSelector, neighbourFinder, useFormFocus } from './form-focus.ts';
import { type FieldRow, type FormRow, type GroupRow, fieldLabel, formRows } from './form-rows.ts';
import { ListInput } from './list-input.tsx';

const texts = m.recordEditor;
/** Larger groups are initially collapsed. */
const MAX_EXPANDED_ROWS = 12;

interface EditFormProps {
  draft: Draft;
  change: (draft: Draft) => void;
  language: Language;
  fields: readonly Field[];
  onSubmit: () => void;
}

export function EditForm({ draft, change, language, fields, onSubmit }: EditFormProps) {
  const { form, focusNext } = useFormFocus();
  const state: FormState = { draft, change, language, focusNext };
  const submitOnCtrlEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSubmit();
  };
  return (
    <Stack ref={form} data-form gap="md" onKeyDown={submitOnCtrlEnter}>
      <Rows rows={formRows(draft, fields, language)} state={state} />
      <AddField state={state} fields={missingFields(draft, fields)} />
    </Stack>
  );
}

function Rows({ rows, state }: { rows: readonly FormRow[]; state: FormState }) {
  return rows.map((row) =>
    row.kind === 'group' ? (
      <FieldGroup key={row.key} row={row} state={state} />
    ) : (
      <FieldRowControl key={row.key} row={row} state={state} />
    ),
  );
}

function FieldGroup({ row: { path, label, rows }, state }: { row: GroupRow; state: FormState }) {
  const [isOpen, setIsOpen] = useState(rows.length <= MAX_EXPANDED_ROWS);
  const group = useRef<HTMLDivElement>(null);
  return (
    <div ref={group} data-field className={classes.field}>
      <details className={classes.group} open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          <bdi>{label}</bdi>
        </summary>
        <Stack role="group" aria-label={label} gap="md">
          <Rows rows={rows} state={state} />
        </Stack>
      </details>
      <OverflowMenu label={texts.actions(label)}>
        <Menu.Item
          onClick={() => {
            state.focusNext(neighbourFinder(group.current));
            state.change(removeField(state.draft, path));
          }}
        >
          {texts.remove}
        </Menu.Item>
      </OverflowMenu>
    </div>
  );
}

function FieldRowControl({ row, state }: { row: FieldRow; state: FormState }) {
  const { path, label, control } = row;
  const { draft, change, focusNext } = state;
  const field = useRef<HTMLDivElement>(null);
  return (
    <div ref={field} data-field data-row={row.key} className={classes.field} data-kind={control.kind}>
      <Control row={row} state={state} />
      <OverflowMenu label={texts.actions(label)}>
        {control.kind !== 'null' && <Menu.Item onClick={() => change(setNull(draft, path))}>{texts.setNull}</Menu.Item>}
        <Menu.Item
          onClick={() => {
            focusNext(neighbourFinder(field.current));
            change(removeField(draft, path));
          }}
        >
          {texts.remove}
        </Menu.Item>
      </OverflowMenu>
    </div>
  );
}

function Control({ row, state }: { row: FieldRow; state: FormState }) {
  const { path, label, hint, control, isInvalid, isOptional } = row;
  const { draft, change, language, focusNext } = state;
  if (control.kind === 'list') return <ListInput row={row} control={control} state={state} />;
  if (control.kind === 'null')
    return (
      <div>
        <Text fw={500}>
          <bdi>{label}</bdi>
        </Text>
        <Flex align="center" gap="0.75rem">
          <Text c="dimmed">{texts.noValue}</Text>
          <Button
            variant="default"
            size="xs"
            aria-label={texts.enterValueOf(label)}
            onClick={() => {
              focusNext(inputSelector(path));
              change(openNullField(draft, path));
            }}
          >
            {texts.enterValue}
          </Button>
        </Flex>
      </div>
    );
  return (
    <ValueInput
      label={label}
      hint={hint}
      control={control}
      isInvalid={isInvalid}
      isOptional={isOptional}
      onChange={(text) => change(typeInput(draft, path, control, text, language))}
    />
  );
}

function AddField({ state: { draft, change, focusNext }, fields }: { state: FormState; fields: readonly Field[] }) {
  if (fields.length === 0) return null;
  return (
    <div>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button data-add-field variant="default" size="xs" leftSection={<IconPlus size={15} stroke={1.6} />}>
            {texts.addField}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="20rem" style={{ overflowY: 'auto' }}>
          {fields.map((field) => (
            <Menu.Item
              key={field.path}
              onClick={() => {
                focusNext(inputSelector(field.path.split('.')));
                change(openMissingField(draft, field.path));
              }}
            >
              <bdi>{fieldLabel(field.path.split('.'), field)}</bdi>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
