import { describe, expect, it } from 'vitest';
import { FIELD_TYPES } from '../../../../../server/wire/field-choices.ts';
import { type TableFilter, tableFilterSchema } from '../../../../../server/wire/table.ts';
import type { Field } from '../../../../shared/api/contract.ts';
import { filterKindsOf, newInput, toFilter, toInput } from './filter-choices.ts';

/** Field types by path. All other paths are text fields. */
const TYPES: Readonly<Record<string, Field['type']>> = { n: 'number', at: 'dateTime', b: 'boolean', l: 'list' };
const typeOf = (path: string | undefined): Field['type'] | undefined =>
  path === undefined ? undefined : (TYPES[path] ?? 'text');

const filters: TableFilter[] = [
  { is: 'range', field: 'n', min: -1.5, max: 0 },
  { is: 'range', field: 'n', max: 3 },
  { is: 'days', from: '2026-03-01', to: '2026-03-02' },
  { is: 'days', field: 'at', to: '2026-03-02' },
  { is: 'lastDays', days: 7 },
  { is: 'contains', field: 't', text: ' a ' },
  { is: 'oneOf', field: 't', values: ['a', 'b'] },
  { is: 'oneOf', field: 't', values: ['3', 'true'] },
  { is: 'oneOf', field: 'n', values: [3, -1.5, 12_345.25, 1e21] },
  { is: 'oneOf', field: 'b', values: [true, false] },
  { is: 'containsElement', field: 'l', text: 'red' },
  { is: 'oneOf', field: 'b', values: [true] },
  { is: 'oneOf', field: 'b', values: [false] },
  { is: 'empty', field: 't' },
  { is: 'filled', field: 't' },
];

describe('filter form input', () => {
  it.each(filters)('converts %j to an input and back, in each language', (filter) => {
    for (const language of ['en', 'de'] as const)
      expect(toFilter(toInput(filter, language), typeOf(filter.field), language)).toEqual(filter);
  });

  it.each([...FIELD_TYPES, undefined])(
    'offers only filters that pass the server’s validation for the type %s',
    (type) => {
      const field = type === undefined ? undefined : { path: 'x', type };
      for (const kind of filterKindsOf(type)) {
        const completeInput = { ...newInput(field), kind, min: '1', from: '2026-03-01', text: 'x', values: ['1'] };
        expect(tableFilterSchema.safeParse(toFilter(completeInput, type, 'en')).success).toBe(true);
      }
    },
  );

  it('is incomplete without a value, with letters instead of a number, or with zero days', () => {
    const numberInput = newInput({ path: 'n', type: 'number' });
    expect(toFilter(numberInput, 'number', 'en')).toBeUndefined();
    expect(toFilter({ ...numberInput, min: 'five' }, 'number', 'en')).toBeUndefined();
    expect(toFilter({ ...numberInput, min: '0' }, 'number', 'en')).toEqual({ is: 'range', field: 'n', min: 0 });
    expect(toFilter({ ...numberInput, kind: 'oneOf', values: ['3', 'five'] }, 'number', 'en')).toBeUndefined();
    expect(toFilter(newInput({ path: 't', type: 'text' }), 'text', 'en')).toBeUndefined();
    expect(toFilter({ ...newInput(undefined), days: '0' }, undefined, 'en')).toBeUndefined();
    expect(toFilter({ ...newInput(undefined), kind: 'days' }, undefined, 'en')).toBeUndefined();
  });

  it('parses numbers in the format of the language', () => {
    const input = { ...newInput({ path: 'n', type: 'number' }), kind: 'oneOf' as const, values: ['3', '1,5'] };
    expect(toFilter(input, 'number', 'de')).toEqual({ is: 'oneOf', field: 'n', values: [3, 1.5] });
  });
});
