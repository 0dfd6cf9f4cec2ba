import { Button, Group, NativeSelect, Stack, TagsInput, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { withoutBidiControls } from '../../../../../server/wire/isolation.ts';
import { MAX_FILTER_TEXT_CHARS, MAX_TABLE_VALUES } from '../../../../../server/wire/limits.ts';
import type { TableFilter } from '../../../../../server/wire/table.ts';
import type { Field } from '../../../../shared/api/contract.ts';
import { DayField } from '../../../../shared/form/day-field.tsx';
import { currentLanguage } from '../../../../shared/format/languages.ts';
import { m } from '../../../../shared/messages/texts.ts';
import {
  type FilterInput,
  filterKindsOf,
  isNumberType,
  newInput,
  parseValues,
  toFilter,
  toInput,
} from './filter-choices.ts';
import classes from './record-filters.module.css';

const texts = m.recordTable.filters;
/** Value of the "creation time" option. Field paths are prefixed with a dot, so they cannot collide with it. */
const CREATED = 'created';

interface FilterFormProps {
  fields: readonly Field[];
  /** Undefined for a new filter. */
  filter: TableFilter | undefined;
  onSubmit: (filter: TableFilter) => void;
  close: () => void;
}

export function FilterForm({ fields, filter, onSubmit, close }: FilterFormProps) {
  const language = currentLanguage();
  const filterableFields = fields.filter(({ path }) => path !== '');
  const [input, setInput] = useState<FilterInput>(() =>
    filter === undefined ? newInput(filterableFields[0]) : toInput(filter, language),
  );
  const field = filterableFields.find(({ path }) => path === input.field);
  const type = input.field === undefined ? undefined : (field?.type ?? 'text');
  const fittingKinds = filterKindsOf(type);
  // An edited filter keeps its condition even if the type of the field has changed.
  const kinds = fittingKinds.includes(input.kind) ? fittingKinds : [input.kind, ...fittingKinds];
  const change = (changes: Partial<FilterInput>) => setInput({ ...input, ...changes });
  const newFilter = toFilter(input, type, language);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (newFilter !== undefined) onSubmit(newFilter);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <NativeSelect
          label={texts.field}
          value={input.field === undefined ? CREATED : `.${input.field}`}
          data={[
            ...filterableFields.map(({ path, name }) => ({ value: `.${path}`, label: withoutBidiControls(name) })),
            { value: CREATED, label: m.data.endpoint.created },
          ]}
          onChange={(event) =>
            setInput(newInput(filterableFields.find(({ path }) => `.${path}` === event.currentTarget.value)))
          }
        />
        <NativeSelect
          label={texts.condition}
          value={input.kind}
          data={kinds.map((kind) => ({ value: kind, label: texts.kinds[kind] }))}
          onChange={(event) => {
            const kind = kinds.find((candidate) => candidate === event.currentTarget.value);
            if (kind !== undefined) change({ kind });
          }}
        />
        <FilterValues
          input={input}
          unit={field?.unit ?? ''}
          isNumber={isNumberType(type)}
          hasInvalidNumber={parseValues(input.values, type, language) === undefined}
          change={change}
        />
        <Group gap="sm">
          <Button type="submit" disabled={newFilter === undefined}>
            {texts.submit}
          </Button>
          <Button variant="default" onClick={close}>
            {m.shell.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface FilterValuesProps {
  input: FilterInput;
  unit: string;
  isNumber: boolean;
  /** True if the field needs numbers and a value is not a number. */
  hasInvalidNumber: boolean;
  change: (changes: Partial<FilterInput>) => void;
}

function FilterValues({ input, unit, isNumber, hasInvalidNumber, change }: FilterValuesProps) {
  const label = (text: string): string => (unit === '' ? text : m.data.endpoint.withUnit(text, unit));
  switch (input.kind) {
    case 'range':
      return (
        <div className={classes.inputPair}>
          <TextInput
            type="number"
            step="any"
            label={label(texts.min)}
            value={input.min}
            onChange={(event) => change({ min: event.currentTarget.value })}
          />
          <TextInput
            type="number"
            step="any"
            label={label(texts.max)}
            value={input.max}
            onChange={(event) => change({ max: event.currentTarget.value })}
          />
        </div>
      );
    case 'days':
      return (
        <div className={classes.inputPair}>
          <DayField label={texts.firstDay} value={input.from} onChange={(from) => change({ from })} />
          <DayField label={texts.lastDay} value={input.to} onChange={(to) => change({ to })} />
        </div>
      );
    case 'lastDays':
      return (
        <TextInput
          type="number"
          min={1}
          label={texts.days}
          value={input.days}
          onChange={(event) => change({ days: event.currentTarget.value })}
        />
      );
    case 'contains':
    case 'containsElement':
      return (
        <TextInput
          label={input.kind === 'contains' ? texts.text : texts.element}
          maxLength={MAX_FILTER_TEXT_CHARS}
          value={input.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
        />
      );
    case 'oneOf':
      return (
        <TagsInput
          label={label(texts.values)}
          description={texts.valuesHint}
          error={hasInvalidNumber ? texts.numbersOnly : undefined}
          maxTags={MAX_TABLE_VALUES}
          // Numbers can contain commas.
          splitChars={isNumber ? [';'] : [',']}
          acceptValueOnBlur
          value={input.values}
          onChange={(values) => change({ values })}
        />
      );
    default:
      return null;
  }
}
