import { describe, expect, it } from 'vitest';
import { FIELD_TYPES } from '../../../../../server/wire/field-choices.ts';
import { type TableFilter, tableFilterSchema } from '../../../../../server/wire/table.ts';
import { filterKindsOf, newInput, toFilter, toInput } from './filter-choices.ts';

const filters: TableFilter[] = [
  { is: 'range', field: 'n', min: -1.5, max: 0 },
  { is: 'range', field: 'n', max: 3 },
  { is: 'days', from: '2026-03-01', to: '2026-03-02' },
  { is: 'days', field: 'at', to: '2026-03-02' },
  { is: 'lastDays', days: 7 },
  { is: 'contains', field: 't', text: ' a ' },
  { is: 'oneOf', field: 't', values: ['a', 'b'] },
  { is: 'oneOf', field: 'b', values: [true] },
  { is: 'oneOf', field: 'b', values: [false] },
  { is: 'empty', field: 't' },
  { is: 'filled', field: 't' },
];

describe('the filter form', () => {
  it.each(filters)('converts %j to an input and back', (filter) => {
    expect(toFilter(toInput(filter))).toEqual(filter);
  });

  it.each([...FIELD_TYPES, undefined])(
    'offers filters for %s that the server accepts once they are complete',
    (type) => {
      const field = type === undefined ? undefined : { path: 'x', type };
      for (const kind of filterKindsOf(type)) {
        const complete = { ...newInput(field), kind, min: '1', from: '2026-03-01', text: 'x', values: ['x'] };
        expect(tableFilterSchema.safeParse(toFilter(complete)).success).toBe(true);
      }
    },
  );

  it('is incomplete without a value, and with a text instead of a number', () => {
    const number = newInput({ path: 'n', type: 'number' });
    expect(toFilter(number)).toBeUndefined();
    expect(toFilter({ ...number, min: 'five' })).toBeUndefined();
    expect(toFilter({ ...number, min: '0' })).toEqual({ is: 'range', field: 'n', min: 0 });
    expect(toFilter(newInput({ path: 't', type: 'text' }))).toBeUndefined();
    expect(toFilter({ ...newInput(undefined), days: '0' })).toBeUndefined();
    expect(toFilter({ ...newInput(undefined), kind: 'days' })).toBeUndefined();
  });
});
