import type { TableFilter } from '../../../../../server/wire/table.ts';
import type { Field } from '../../../../shared/api/contract.ts';

// The filters that fit the type of a field, and the input of the form that edits one.

/** Kind of a filter in the form. `yes` and `no` are values of `oneOf`. */
export type FilterKind = TableFilter['is'] | 'yes' | 'no';

/** Input of the form. Numbers are texts as typed. */
export interface FilterInput {
  /** Path of the field; undefined for the time at which a record was stored. */
  field: string | undefined;
  kind: FilterKind;
  min: string;
  max: string;
  from: string;
  to: string;
  days: string;
  text: string;
  values: string[];
}

/** Returns the kinds of filters for a field type. @param type undefined for the time at which a record was stored */
export function filterKindsOf(type: Field['type'] | undefined): readonly FilterKind[] {
  switch (type) {
    case undefined:
      return ['lastDays', 'days'];
    case 'number':
    case 'money':
    case 'duration':
    case 'latitude':
    case 'longitude':
      return ['range', 'empty', 'filled'];
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
    case 'object':
    case 'geoJson':
      return ['empty', 'filled'];
  }
}

/** Returns the input of a new filter on a field. */
export function newInput(field: Pick<Field, 'path' | 'type'> | undefined): FilterInput {
  const [kind = 'filled'] = filterKindsOf(field?.type);
  return { field: field?.path, kind, min: '', max: '', from: '', to: '', days: '30', text: '', values: [] };
}

const numberText = (value: number | undefined): string => (value === undefined ? '' : String(value));

/** Returns the input that edits a filter. */
export function toInput(filter: TableFilter): FilterInput {
  const input: FilterInput = { ...newInput(undefined), field: filter.field, kind: filter.is };
  switch (filter.is) {
    case 'range':
      return { ...input, min: numberText(filter.min), max: numberText(filter.max) };
    case 'days':
      return { ...input, from: filter.from ?? '', to: filter.to ?? '' };
    case 'lastDays':
      return { ...input, days: String(filter.days) };
    case 'contains':
      return { ...input, text: filter.text };
    case 'oneOf': {
      const [value] = filter.values;
      if (filter.values.length === 1 && typeof value === 'boolean') return { ...input, kind: value ? 'yes' : 'no' };
      return { ...input, values: filter.values.map(String) };
    }
    case 'empty':
    case 'filled':
      return input;
  }
}

/** Returns the filter of an input; undefined if the input is incomplete. */
export function toFilter({ field, kind, ...input }: FilterInput): TableFilter | undefined {
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
      return input.text === '' ? undefined : { is: kind, field, text: input.text };
    case 'oneOf':
      return input.values.length === 0 ? undefined : { is: kind, field, values: input.values };
    case 'yes':
    case 'no':
      return { is: 'oneOf', field, values: [kind === 'yes'] };
    case 'empty':
    case 'filled':
      return { is: kind, field };
  }
}
