import { describe, expect, it } from 'vitest';
import type { ColumnChoice } from '../../../../wire/imports.ts';
import { convertMembers, recordOfFeature } from './json-columns.ts';

const convert = (record: string, types: Record<string, ColumnChoice>): string =>
  convertMembers(record, new Map(Object.entries(types)));

describe('members of a record', () => {
  it('are converted to the types that the owner chose, or left out', () => {
    expect(
      convert('{"zip":1067,"price":"1.234,50","day":"Jan 5 2026","ok":"yes","gone":{"a":[1]},"exact":1.50}', {
        zip: 'text',
        price: 'decimal-comma',
        day: 'month-name',
        ok: 'boolean',
        gone: 'skip',
      }),
    ).toBe('{"zip":"1067","price":1234.50,"day":"2026-01-05","ok":true,"exact":1.50}');
    expect(convert('{"a":1,"b":2}', { a: 'skip', b: 'skip' })).toBe('{}');
    expect(convert('{"a":1,"b":2}', { a: 'skip' })).toBe('{"b":2}');
  });

  it('stay unchanged if they do not fit the type', () => {
    const text = '{"a":null,"b":[1],"c":{"d":1},"e":"x","f":7,"g":true,"\\u0061b":1}';
    const types = { a: 'text', b: 'text', c: 'number', e: 'number', f: 'month-day', g: 'number' } as const;
    expect(convert(text, types)).toBe(text);
    expect(convert('7', types)).toBe('7');
  });
});

describe('a GeoJSON feature', () => {
  it('becomes a record of its id, its properties and its geometry', () => {
    expect(
      recordOfFeature(
        '{"type":"Feature","properties":{"mag":1.50,"type":"earthquake"},"geometry":{"type":"Point","coordinates":[1,2]},"id":"a"}',
      ),
    ).toBe('{"id":"a","mag":1.50,"type":"earthquake","geometry":{"type":"Point","coordinates":[1,2]}}');
  });

  it('keeps properties and members that have the same name', () => {
    expect(recordOfFeature('{"type":"Feature","id":1,"properties":{"id":2,"id_2":3},"geometry":null}')).toBe(
      '{"id":2,"id_2":3,"id_3":1,"geometry":null}',
    );
  });

  it('may have no properties; values that are not features stay unchanged', () => {
    expect(recordOfFeature('{"type":"Feature","geometry":null,"properties":null}')).toBe('{"geometry":null}');
    expect(recordOfFeature('{"type":"Feature","geometry":null,"properties":{}}')).toBe('{"geometry":null}');
    for (const text of ['1', '{}', '{"type":"Feature","properties":7}', '{"type":"Point","coordinates":[1,2]}'])
      expect(recordOfFeature(text)).toBe(text);
  });
});
