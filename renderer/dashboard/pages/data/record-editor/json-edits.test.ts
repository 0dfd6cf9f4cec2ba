import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrayText, indentJson, parseJson, nodeAt, removeMember, setValue, nodeText } from './json-edits.ts';

const EXACT = '{"a":1.0,"b":[12345678901234567890,1e-400],"__proto__":{"c":"\\u00e9\\/"},"d":-0}';

describe('indentJson', () => {
  it('indents like JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('preserves the source text of numbers and strings', () => {
    expect(indentJson(EXACT)).toBe(`{
  "a": 1.0,
  "b": [
    12345678901234567890,
    1e-400
  ],
  "__proto__": {
    "c": "\\u00e9\\/"
  },
  "d": -0
}`);
  });
});

describe('setValue', () => {
  it('replaces only the value', () => {
    expect(setValue(EXACT, ['__proto__', 'c'], '2.50')).toBe(EXACT.replace('"\\u00e9\\/"', '2.50'));
    expect(setValue(EXACT, ['b', 1], 'null')).toBe(EXACT.replace('1e-400', 'null'));
    expect(setValue(' 1.0 ', [], '2.0')).toBe(' 2.0 ');
  });

  it('adds a member at the end of its object, and creates missing parent objects', () => {
    expect(setValue('{\n  "a": 1.0\n}', ['b'], 'true')).toBe('{\n  "a": 1.0,\n  "b": true\n}');
    expect(setValue('{\n  \n}', ['a', 'b', 'c'], '1')).toBe(JSON.stringify({ a: { b: { c: 1 } } }, null, 2));
    expect(setValue('{\n  "a": {\n    "x": 1\n  }\n}', ['a', 'b', 'c'], '1')).toBe(
      JSON.stringify({ a: { x: 1, b: { c: 1 } } }, null, 2),
    );
    expect(JSON.parse(setValue('{"a":1}', ['__proto__'], '2'))).toEqual(JSON.parse('{"a":1,"__proto__":2}'));
  });

  it('refuses to add a member to a value that is not an object', () => {
    expect(() => setValue('{"a":1}', ['a', 'b'], '2')).toThrow('Only objects have members.');
  });
});

it.each([
  ['{"a":1.0,"b":2,"c":3.0}', 'a', '{"b":2,"c":3.0}'],
  ['{"a":1.0,"b":2,"c":3.0}', 'b', '{"a":1.0,"c":3.0}'],
  ['{"a":1.0,"b":2,"c":3.0}', 'c', '{"a":1.0,"b":2}'],
  ['{\n  "a": 1\n}', 'a', '{}'],
  ['{"a":1}', 'constructor', '{"a":1}'],
])('removeMember removes only an existing member from %j: %s', (text, name, expected) => {
  expect(removeMember(text, [name])).toBe(expected);
});

it('adds, changes and removes members in random objects', () => {
  const path = fc.array(fc.string(), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), path, (object, names) => {
      const text = JSON.stringify(object);
      const root = parseJson(text);
      fc.pre(names.every((_, depth) => ['object', undefined].includes(nodeAt(root, names.slice(0, depth))?.type)));
      const changedText = setValue(text, names, '1.50');
      const node = nodeAt(parseJson(changedText), names);
      expect(node && nodeText(changedText, node)).toBe('1.50');
      const remainingText = removeMember(changedText, names);
      expect(nodeAt(parseJson(remainingText), names)).toBeUndefined();
      expect(() => JSON.parse(remainingText) as unknown).not.toThrow();
    }),
  );
});

it('arrayText indents elements by their depth', () => {
  expect(`{\n  "a": ${arrayText(['1.0', '"x"'], 1)}\n}`).toBe('{\n  "a": [\n    1.0,\n    "x"\n  ]\n}');
  expect(arrayText([], 3)).toBe('[]');
});
