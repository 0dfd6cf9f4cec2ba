import type { TableFilter, TableValue } from '../../../../../server/wire/table.ts';
import type { Field } from '../../../../shared/api/contract.ts';
import type { Language } from '../../../../shared/format/languages.ts';
import { numberInputText, parseNumberInput } from '../record-editor/number-input.ts';

/** `yes` and `no` are separate kinds in the form, but stored as `oneOf`. */
type FilterKind = TableFilter['is'] | 'yes' | 'no';

/** Input of the filter form. Numbers are strings, as the owner typed them. */
export interface FilterInput {
  /** Undefined for a record's creation time. */
  field: string | undefined;
  kind: FilterKind;
  min: string;
  max: string;
  from: string;
  to: string;
  days: string;
  text: string;
  /** In the owner's number format if the field has numbers. */
  values: string[];
}

/** @param type undefined for a record's creation time */
export function filterKindsOf(type: Field['type'] | undefined): readonly FilterKind[] {
  switch (type) {
    case undefined:
      return ['lastDays', 'days'];
    case 'number':
    case 'money':
    case 'duration':
    case 'latitude':
    case 'longitude':
      return ['range', 'oneOf', 'empty', 'filled'];
    case 'date':
    case 'dateTime':
      return ['lastDays', 'days', 'empty', 'filled'];
    case 'boolean':
      return ['yes', 'no', 'empty', 'filled'];
    case 'text':
    case 'link':
    case 'email':
    case 'colour':
    case 'image':
      return ['contains', 'oneOf', 'empty', 'filled'];
    case 'list':
      return ['containsElement', 'empty', 'filled'];
    case 'object':
    case 'geoJson':
      return ['empty', 'filled'];
  }
}

const NUMBER_TYPES: ReadonlySet<Field['type'] | undefined> = new Set([
  'number',
  'money',
  'duration',
  'latitude',
  'longitude',
]);

export const isNumberType = (type: Field['type'] | undefined): boolean => NUMBER_TYPES.has(type);

/** Returns undefined if the field needs a number and the input is not a number. */
function parseValue(input: string, type: Field['type'] | undefined, language: Language): TableValue | undefined {
  if (isNumberType(type)) {
    const json = parseNumberInput(input, language);
    return json === undefined ? undefined : Number(json);
  }
  return type === 'boolean' && (input === 'true' || input === 'false') ? input === 'true' : input;
}

/** Returns undefined if the field needs numbers and an input is not a number. */
export function parseValues(
  inputs: readonly string[],
  type: Field['type'] | undefined,
  language: Language,
): TableValue[] | undefined {
  const values = inputs.map((input) => parseValue(input, type, language)).filter((value) => value !== undefined);
  return values.length === inputs.length ? values : undefined;
}

export function newInput(field: Pick<Field, 'path' | 'type'> | undefined): FilterInput {
  const [kind = 'filled'] = filterKindsOf(field?.type);
  return { field: field?.path, kind, min: '', max: '', from: '', to: '', days: '30', text: '', values: [] };
}

const numberText = (value: number | undefined): string => (value === undefined ? '' : String(value));

export function toInput(filter: TableFilter, language: Language): FilterInput {
  const input: FilterInput = { ...newInput(undefined), field: filter.field, kind: filter.is };
  switch (filter.is) {
    case 'range':
      return { ...input, min: numberText(filter.min), max: numberText(filter.max) };
    case 'days':
      return { ...input, from: filter.from ?? '', to: filter.to ?? '' };
    case 'lastDays':
      return { ...input, days: String(filter.days) };
    case 'contains':
    case 'containsElement':
      return { ...input, text: filter.text };
    case 'oneOf': {
      const [value] = filter.values;
      if (filter.values.length === 1 && typeof value === 'boolean') return { ...input, kind: value ? 'yes' : 'no' };
      const toText = (tableValue: TableValue): string =>
        typeof tableValue === 'number' ? numberInputText(String(tableValue), language) : String(tableValue);
      return { ...input, values: filter.values.map(toText) };
    }
    case 'empty':
    case 'filled':
      return input;
  }
}

/** Returns undefined if the input is incomplete or invalid. */
export function toFilter(
  { field, kind, ...input }: FilterInput,
  type: Field['type'] | undefined,
  language: Language,
): TableFilter | undefined {
  if (kind === 'days') {
    const { from, to } = input;
    if (from === '' && to === '') return undefined;
    return {
      is: kind,
      ...(field === undefined ? {} : { field }),
      ...(from === '' ? {} : { from }),
      ...(to === '' ? {} : { to }),
    };
  }
  if (kind === 'lastDays') {
    const days = Number(input.days);
    return Number.isInteger(days) && days > 0
      ? { is: kind, ...(field === undefined ? {} : { field }), days }
      : undefined;
  }
  if (field === undefined) return undefined;
  switch (kind) {
    case 'range': {
      const [min, max] = [input.min, input.max].map((text) => (text.trim() === '' ? undefined : Number(text)));
      if (min === undefined && max === undefined) return undefined;
      if (Number.isNaN(min ?? 0) || Number.isNaN(max ?? 0)) return undefined;
      return { is: kind, field, ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
    }
    case 'contains':
    case 'containsElement':
      return input.text === '' ? undefined : { is: kind, field, text: input.text };
    case 'oneOf': {
      const values = parseValues(input.values, type, language);
      return values === undefined || values.length === 0 ? undefined : { is: kind, field, values };
    }
    case 'yes':
    case 'no':
      return { is: 'oneOf', field, values: [kind === 'yes'] };
    case 'empty':
    case 'filled':
      return { is: kind, field };
  }
}
