import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Field } from '../../../../shared/api/contract.ts';
import {
  type Draft,
  hasInvalidInput,
  missingFields,
  openMissingField,
  openNullField,
  removeField,
  setElements,
  setNull,
  startDraft,
  typeInput,
} from './draft.ts';
import { type FieldRow, type FormRow, findFormProblem, formRows } from './form-rows.ts';
import { indentJson } from './json-edits.ts';

const field = (path: string, type: Field['type'], overrides: Partial<Field> = {}): Field => ({
  path,
  name: path,
  type,
  unit: '',
  filled: 1,
  distinct: 1,
  exceptions: 0,
  corrected: false,
  ...overrides,
});

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function leaves(rows: readonly FormRow[]): FieldRow[] {
  return rows.flatMap((row) => (row.kind === 'group' ? leaves(row.rows) : [row]));
}

const rowsOf = (draft: Draft, fields: readonly Field[] = []) => leaves(formRows(draft, fields, 'en'));

function rowAt(draft: Draft, path: string, fields: readonly Field[] = []): FieldRow {
  const row = rowsOf(draft, fields).find((row) => row.path.join('.') === path);
  if (row === undefined) throw new Error(`no row: ${path}`);
  return row;
}

function typeAt(draft: Draft, path: string, text: string, fields: readonly Field[] = []): Draft {
  const { path: rowPath, control } = rowAt(draft, path, fields);
  if (control.kind === 'list' || control.kind === 'null') throw new Error(`no input: ${control.kind}`);
  return typeInput(draft, rowPath, control, text, 'en');
}

const kindAt = (draft: Draft, path: string, fields: readonly Field[]) => rowAt(draft, path, fields).control.kind;

describe('draft input', () => {
  const TEXT = '{"a":1.0,"b":12345678901234567890,"c":"\\u00e9","__proto__":{"x":-0,"y":[1e-400]},"d":2.50}';

  it('changes only its own value', () => {
    expect(typeAt(startDraft(TEXT), 'd', '3.70').text).toBe(TEXT.replace('2.50', '3.70'));
    expect(typeAt(startDraft(TEXT), '__proto__.x', '7').text).toBe(TEXT.replace('-0', '7'));
    expect(typeAt(startDraft(TEXT), 'c', '1\n"').text).toBe(TEXT.replace('"\\u00e9"', '"1\\n\\""'));
  });

  it('shows all digits of a number', () => {
    const texts = rowsOf(startDraft(TEXT)).map(({ control }) => ('text' in control ? control.text : control.kind));
    expect(texts).toEqual(['1.0', '12345678901234567890', 'é', '-0', 'list', '2.50']);
  });

  it('keeps invalid text while the JSON keeps the last valid value', () => {
    const draft = typeAt(typeAt(startDraft(TEXT), 'd', '3'), 'd', '3x');
    expect(draft.text).toBe(TEXT.replace('2.50', '3'));
    expect(rowAt(draft, 'd')).toMatchObject({ isInvalid: true, control: { kind: 'number', text: '3x' } });
    expect([hasInvalidInput(draft), hasInvalidInput(draft, ['a'])]).toEqual([true, false]);
    expect(hasInvalidInput(typeAt(draft, 'd', '3.5'))).toBe(false);
  });

  it('keeps its control when another control would fit the new value', () => {
    const fields = [field('a', 'date'), field('b', 'text')];
    const dateDraft = typeAt(startDraft('{"a":"2026","b":[{}]}'), 'a', '2026-03-01', fields);
    expect(kindAt(dateDraft, 'a', fields)).toBe('text');
    const nestedDraft = typeAt(dateDraft, 'b', '{"c": 1}', fields);
    expect(rowAt(nestedDraft, 'b', fields).control).toMatchObject({ kind: 'json', text: '{"c": 1}' });
  });

  it('preserves line endings', () => {
    const draft = startDraft('{"a":"x\\r\\ny","b":"x\\ry"}');
    expect(rowAt(draft, 'a').control).toMatchObject({ kind: 'text', text: 'x\ny', isMultiline: true });
    expect(typeAt(draft, 'a', 'x\nz\n').text).toBe('{"a":"x\\r\\nz\\r\\n","b":"x\\ry"}');
    expect(rowAt(draft, 'b').control.kind).toBe('json');
  });
});

describe('value control', () => {
  it.each([
    ['12', field('a', 'number'), 'number'],
    ['"n/a"', field('a', 'number'), 'text'],
    ['"12"', field('a', 'number'), 'text'],
    ['true', field('a', 'boolean'), 'boolean'],
    ['"yes"', field('a', 'boolean'), 'text'],
    ['"2026-03-01"', field('a', 'date'), 'date'],
    ['"2026-03-01T10:00Z"', field('a', 'dateTime'), 'dateTime'],
    ['"March 1 2026"', field('a', 'date', { timeFormat: 'month-name' }), 'text'],
    ['1772359205', field('a', 'dateTime', { timeFormat: 'seconds' }), 'dateTime'],
    ['2026', field('a', 'date', { timeFormat: 'year' }), 'number'],
    ['"https://example.com"', field('a', 'link'), 'link'],
    ['"javascript:alert(1)"', field('a', 'link'), 'text'],
    ['"a@example.com"', field('a', 'email'), 'email'],
    ['"#1a7f78"', field('a', 'colour'), 'colour'],
    ['["a","b"]', field('a', 'list'), 'list'],
    ['["a",1]', field('a', 'list'), 'json'],
    ['[[1]]', field('a', 'list'), 'json'],
    ['{}', field('a', 'object'), 'json'],
    ['{"type":"Point","coordinates":[1,2]}', field('a', 'geoJson'), 'json'],
    ['null', field('a', 'number'), 'null'],
  ])('for %s depends on the JSON and the field type', (json, valueField, kind) => {
    expect(kindAt(startDraft(`{"a":${json}}`), 'a', [valueField])).toBe(kind);
  });

  it('does not guess the element type of an empty list', () => {
    const elementType = (json: string) => {
      const { control } = rowAt(startDraft(`{"a":${json}}`), 'a', [field('a', 'list')]);
      return control.kind === 'list' ? control.elementType : undefined;
    };
    expect(['[]', '[1]', '["1"]'].map(elementType)).toEqual(['unknown', 'number', 'text']);
  });

  it('has one row per list element', () => {
    const { elements } = rowAt(startDraft('{"a":{"b":[1,2]}}'), 'a.b');
    expect(elements.map(({ path, label, control }) => [path, label, control.kind])).toEqual([
      [['a', 'b', 0], '1', 'number'],
      [['a', 'b', 1], '2', 'number'],
    ]);
  });

  it('reports a value that does not match its field type', () => {
    const fields = [field('a', 'number'), field('b', 'number'), field('c', 'geoJson')];
    const draft = startDraft('{"a":"n/a","b":1,"c":{"type":"Point","coordinates":[1,2]}}');
    expect(rowsOf(draft, fields).map(({ hint }) => hint)).toEqual(['Not a number', undefined, undefined]);
  });

  it('is labelled with the field name and unit, without bidirectional control characters', () => {
    const draft = startDraft('{"distance_km":1,"\\u202egnp":{"inner_name":2},"":3}');
    const fields = [field('distance_km', 'number', { name: 'Distance km', unit: 'km' })];
    const rows = formRows(draft, fields, 'en');
    expect(rows.map(({ label }) => label)).toEqual(['Distance (km)', 'gnp', '""']);
    expect(leaves(rows).map(({ label }) => label)).toEqual(['Distance (km)', 'Inner name', '""']);
  });
});

describe('fields', () => {
  const fields = [field('a', 'number'), field('b.c', 'text'), field('d', 'list'), field('e.f', 'boolean')];

  it('missing from the record can be added, and are not stored while their inputs are empty', () => {
    const draft = startDraft('{"a":1.0,"e":null}');
    expect(missingFields(draft, fields).map(({ path }) => path)).toEqual(['b.c', 'd']);
    const openedDraft = openMissingField(openMissingField(draft, 'b.c'), 'd');
    expect(openedDraft.text).toBe(draft.text);
    expect(missingFields(openedDraft, fields)).toEqual([]);
    const filledDraft = typeAt(openedDraft, 'b.c', 'x', fields);
    expect(JSON.parse(filledDraft.text)).toEqual({ a: 1, e: null, b: { c: 'x' } });
    expect(rowsOf(filledDraft, fields).map(({ path }) => path.join('.'))).toEqual(['a', 'e', 'b.c', 'd']);
    const clearedDraft = typeAt(filledDraft, 'b.c', '', fields);
    expect([clearedDraft.text, hasInvalidInput(clearedDraft)]).toEqual([draft.text, false]);
    const listDraft = setElements(openedDraft, ['d'], ['"x"']);
    expect(JSON.parse(listDraft.text)).toEqual({ a: 1, e: null, d: ['x'] });
    expect(setElements(listDraft, ['d'], []).text).toBe(draft.text);
  });

  it('all have inputs in a new record, and only filled ones are stored', () => {
    let draft = startDraft('{\n  \n}', fields);
    expect(rowsOf(draft, fields).map(({ control }) => control.kind)).toEqual(['number', 'text', 'list', 'boolean']);
    draft = typeAt(typeAt(draft, 'e.f', 'true', fields), 'a', '1.50', fields);
    expect(draft.text).toBe('{\n  "e": {\n    "f": true\n  },\n  "a": 1.50\n}');
    expect(typeAt(draft, 'e.f', '', fields).text).toBe('{\n  "a": 1.50\n}');
  });

  it('without a value can be filled and cleared', () => {
    const draft = startDraft('{"a":null,"b":2}');
    const openedDraft = openNullField(draft, ['a']);
    expect(kindAt(openedDraft, 'a', fields)).toBe('number');
    const filledDraft = typeAt(openedDraft, 'a', '3', fields);
    expect(filledDraft.text).toBe('{"a":3,"b":2}');
    expect(typeAt(filledDraft, 'a', '', fields).text).toBe(draft.text);
    expect(setNull(filledDraft, ['a'])).toEqual(draft);
  });

  it('are removed together with their typed text', () => {
    const draft = typeAt(startDraft('{"a":1,"b":{"c":2},"ab":1.0}'), 'b.c', 'x');
    expect(removeField(draft, ['b'])).toEqual(startDraft('{"a":1,"ab":1.0}'));
    expect(removeField(startDraft('{"a":1}', [field('b.c', 'text')]), ['b', 'c'])).toEqual(startDraft('{"a":1}'));
  });
});

describe('form view', () => {
  it.each([
    ['a syntax error', '{"a": }', 'invalid'],
    ['a repeated name', '{"a":1,"a":2}', 'invalid'],
    ['a string', '"text"', 'notObject'],
    ['a list', '[{}]', 'notObject'],
    ['a string of one megabyte', `{"a":"${'x'.repeat(1_000_000)}"}`, 'large'],
    ['201 fields', JSON.stringify(Object.fromEntries(numbers(201).map((n) => [`f${n}`, n]))), 'manyFields'],
    ['long lists', JSON.stringify({ a: numbers(90), b: numbers(90), c: numbers(90) }), 'manyFields'],
  ])('is unavailable for %s', (_, text, problem) => {
    expect(findFormProblem(text, [], 'en')).toBe(problem);
  });

  it('is available for an empty object', () => {
    expect(findFormProblem('{}', [], 'en')).toBeUndefined();
  });

  it('shows deeply nested values as JSON', () => {
    const text = `${'{"a":'.repeat(100)}1.0${'}'.repeat(100)}`;
    expect(findFormProblem(text, [], 'en')).toBeUndefined();
    const [row] = rowsOf(startDraft(text));
    expect([row?.path.length, row?.control.kind]).toEqual([4, 'json']);
  });

  it('leaves every record unchanged if the owner types the displayed text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (object) => {
        const text = indentJson(JSON.stringify(object));
        const draft = startDraft(text);
        for (const { path, control } of rowsOf(draft)) {
          if (!('text' in control)) continue;
          const retyped = typeInput(draft, path, control, control.text, 'en');
          expect(JSON.parse(retyped.text)).toEqual(JSON.parse(text));
        }
      }),
    );
  });
});
