import { describe, expect, it } from 'vitest';
import type { Field } from '../../../../shared/api/contract.ts';
import { facetFieldsOf } from './facet-fields.ts';

const field = (path: string, type: Field['type']): Field => ({
  path,
  type,
  name: path,
  unit: '',
  filled: 1,
  exceptions: 0,
  corrected: false,
  distinct: 1,
});

describe('facetFieldsOf', () => {
  it('returns fields with few, frequently repeated values', () => {
    const records = Array.from({ length: 40 }, (_, n) => ({
      data: {
        id: n,
        kind: `kind ${n % 3}`,
        done: n % 2 === 0,
        note: `note ${n}`,
        tags: ['a'],
        long: 'x'.repeat(100),
        inner: { a: 'b' },
      },
    }));
    const fields = [
      field('id', 'number'),
      field('kind', 'text'),
      field('done', 'boolean'),
      field('note', 'text'),
      field('tags', 'list'),
      field('long', 'text'),
      field('inner.a', 'text'),
      field('missing', 'text'),
      field('', 'text'),
    ];
    expect(facetFieldsOf(fields, records).map(({ path }) => path)).toEqual(['kind', 'done', 'inner.a']);
    expect(facetFieldsOf(fields, [])).toEqual([]);
  });
});
