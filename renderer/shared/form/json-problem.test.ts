import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonProblem } from './json-problem.ts';

function describeProblem(text: string): string | undefined {
  const problem = findJsonProblem(text);
  return problem && `${problem.line}:${problem.column} ${problem.problem}`;
}

describe('findJsonProblem', () => {
  it.each(['{}', '[]', 'null', ' "a\\u00e9\\n" ', '-1.5e-3', '{"a":[1,{"b":null}],"c":"é"}', '0'])(
    'accepts %s',
    (text) => {
      expect(findJsonProblem(text)).toBeUndefined();
      expect(() => JSON.parse(text) as unknown).not.toThrow();
    },
  );

  it.each([
    ['', '1:1 a value is missing, for example {}'],
    ['{\n  "a": 1\n  "b": 2\n}', '2:9 a comma or } is missing here'],
    ['[1 2]', '1:3 a comma or ] is missing here'],
    ['{"a": 1,}', '1:8 a value is missing after this comma'],
    ['{a: 1}', '1:2 a name in double quotation marks is expected here'],
    ["{'a': 1}", '1:2 JSON requires double quotation marks'],
    ['{"a" 1}', '1:6 a colon is missing after the name'],
    ['{"a": }', '1:7 a value is expected here'],
    ['{"a": "x', '1:7 the closing quotation mark is missing'],
    ['{"a": [1', '1:9 the text ends before the value is complete'],
    ['01', '1:1 this is not a valid number'],
    ['1e400', '1:1 this number is too large'],
    ['{"a":1,"a":2}', '1:8 the name “a” is used twice here'],
    ['{} x', '1:4 unexpected text after the end of the value'],
    ['"\\x"', '1:2 this is not a valid escape after \\'],
    ['[tru]', '1:2 a value is expected here'],
  ])('reports the position and the problem in %j', (text, expected) => {
    expect(describeProblem(text)).toBe(expected);
  });

  it('rejects nesting deeper than the PDA accepts', () => {
    expect(describeProblem(`${'['.repeat(100)}${']'.repeat(100)}`)).toBeUndefined();
    expect(describeProblem(`${'['.repeat(101)}${']'.repeat(101)}`)).toMatch('nested too deeply');
  });

  it('agrees with JSON.parse, except for duplicate names and numbers that are too large', () => {
    const parses = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const fragment = fc.constantFrom(
      ...'{}[],:"\\\n\t \'/*1-.e',
      'a',
      'true',
      '\\u12',
      '\u0001',
      '\u0085',
      '\ufeff',
      '"a":',
    );
    const mutatedJson = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fragment, fc.boolean())
      .map(([text, at, insert, isReplaced]) => {
        const index = at % (text.length + 1);
        return text.slice(0, index) + insert + text.slice(index + (isReplaced ? 1 : 0));
      });
    fc.assert(
      fc.property(mutatedJson, (text) => {
        const problem = describeProblem(text);
        if (parses(text)) expect(problem ?? '').toMatch(/^$|is used twice here|is too large/);
        else expect(problem).toBeDefined();
      }),
      { numRuns: 2000 },
    );
  });
});
