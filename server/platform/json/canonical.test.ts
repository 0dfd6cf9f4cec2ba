import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestJson, toCanonicalJson } from './canonical.ts';

/** Writes a value with reversed keys, other notations of numbers and strings, and white space. */
function spellDifferently(value: unknown): string {
  if (typeof value === 'number') {
    const [mantissa = '', exponent = '0'] = String(value).split('e');
    return Number.isInteger(value) && !String(value).includes('e')
      ? `${value}.00E0`
      : `${mantissa}${mantissa.includes('.') ? '0' : '.0'}e${exponent}`;
  }
  if (typeof value === 'string') {
    const units = Array.from({ length: value.length }, (_, index) =>
      value.charCodeAt(index).toString(16).padStart(4, '0'),
    );
    return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
  }
  if (Array.isArray(value)) return `[ ${value.map(spellDifferently).join(' , ')} ]`;
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value)
      .toReversed()
      .map(([key, member]) => `${spellDifferently(key)} :\n${spellDifferently(member)}`);
    return `{ ${members.join(' , ')} }`;
  }
  return ` ${JSON.stringify(value)} `;
}

/** Returns true if two values are equal as JSON values: 0 and -0 are the same number. */
const isSameValue = (a: unknown, b: unknown) => toSortedJson(a) === toSortedJson(b);
function toSortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const values = fc.jsonValue({ maxDepth: 4 });

describe('equal values', () => {
  it('have the same canonical text and digest for any key order and spelling', () => {
    fc.assert(
      fc.property(values, (value) => {
        const text = JSON.stringify(value);
        const otherSpelling = spellDifferently(value);
        expect(toCanonicalJson(otherSpelling)).toBe(toCanonicalJson(text));
        expect(digestJson(otherSpelling)).toBe(digestJson(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('do not share their digest with unequal values', () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        expect(digestJson(JSON.stringify(a)) === digestJson(JSON.stringify(b))).toBe(isSameValue(a, b));
      }),
      { numRuns: 1000 },
    );
  });

  it('are preserved by canonicalization, which is idempotent', () => {
    fc.assert(
      fc.property(values, (value) => {
        const text = toCanonicalJson(JSON.stringify(value));
        expect(isSameValue(JSON.parse(text), value)).toBe(true);
        expect(toCanonicalJson(text)).toBe(text);
      }),
    );
  });
});

describe('numbers', () => {
  it.each([
    ['1', ['1.0', '1e0', '10e-1', '0.1E1', '1E+0', '0.001e3']],
    ['0', ['-0', '0.0', '-0e7', '0e99999999999999999999999']],
    ['100', ['1e2', '100.00', '0.1e3']],
    ['1e21', ['1000000000000000000000', '1E21', '10e20', '1.0e+0021']],
    ['1e300', [`1${'0'.repeat(300)}`]],
    ['-0.00012', ['-1.2e-4', '-12e-5', '-0.000120']],
  ])('%s has one canonical form for all spellings', (text, spellings) => {
    expect(spellings.map(toCanonicalJson)).toEqual(spellings.map(() => toCanonicalJson(text)));
  });

  it.each([
    ['1234567890123456789', '1234567890123456788'],
    ['0.1', '0.10000000000000001'],
    ['1e-400', '0'],
    ['10e-9999999999999999999', '1e-9999999999999999999'],
    ['1', '-1'],
    ['1', '"1"'],
  ])('%s differs from %s, even if both are the same double', (a, b) => {
    expect(toCanonicalJson(a)).not.toBe(toCanonicalJson(b));
    expect(digestJson(a)).not.toBe(digestJson(b));
  });
});

describe('toCanonicalJson', () => {
  it('sorts decoded keys by code unit, on every level', () => {
    expect(toCanonicalJson('{"b":1,"a\\u0021":2,"a":{"z":[{"y":1,"x":2}],"é":0,"Z":0}}')).toBe(
      '{"a":{"Z":0,"z":[{"x":2,"y":1}],"é":0},"a!":2,"b":1}',
    );
    expect(toCanonicalJson('{"\u{10000}":1,"\uffff":2}')).toBe('{"\u{10000}":1,"\uffff":2}');
  });

  it('keeps the order of arrays', () => {
    expect(toCanonicalJson('[1,2]')).not.toBe(toCanonicalJson('[2,1]'));
  });

  it('handles quotes and backslashes', () => {
    expect(toCanonicalJson('{"a\\\\":"\\\\\\"","b":"\\/"}')).toBe('{"a\\\\":"\\\\\\"","b":"/"}');
  });

  it('throws a SyntaxError for invalid JSON', () => {
    for (const text of ['', '{', '[1', '{"a"}', '"a', '1 2', 'nul', '{"a":1,}', '01x'])
      expect(() => toCanonicalJson(text)).toThrow(SyntaxError);
  });
});

describe('long arrays and objects', () => {
  it.each([1, 999, 1000, 1001, 2500])('with %s elements keep all of them, in order', (length) => {
    const elements = Array.from({ length }, (_, index) => index);
    expect(toCanonicalJson(`[ ${elements.join(' , ')} ]`)).toBe(JSON.stringify(elements));
    const members = elements.map((index) => `"k${String(index).padStart(4, '0')}":${index}`);
    expect(toCanonicalJson(`{${members.toReversed().join(', ')}}`)).toBe(`{${members.join(',')}}`);
  });

  it('can contain deeply nested values', () => {
    const nestedList = `${'['.repeat(90)}${']'.repeat(90)}`;
    const text = `{"b":[${Array(3000).fill(nestedList).join(',')}],"a":${nestedList}}`;
    expect(toCanonicalJson(text)).toBe(`{"a":${nestedList},"b":[${Array(3000).fill(nestedList).join(',')}]}`);
  });
});
