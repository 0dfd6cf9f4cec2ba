import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findInvalidUtf8, type JsonProblem, scanEnvelopes, scanJson, scanValue } from './text.ts';
import { cpuMs } from '../../../tests/support/cpu-time.ts';

const RUNS = Number(process.env['JSON_RUNS'] ?? 1200);

const scan = (text: string) => scanJson(Buffer.from(text));
const problemOf = (text: string) => {
  const result = scan(text);
  return result.ok ? 'none' : result.problem;
};
const elementsOf = (text: string) => {
  const result = scan(text);
  if (!result.ok) throw new Error(result.cause);
  return result.elements.map(String);
};

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{}:,]/g;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/**
 * Slow reference implementation of the rules: JSON.parse checks the grammar, and a walk over the tokens checks the
 * additional rules.
 */
function isAcceptedByRules(text: string, maxDepth: number): boolean {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  const levels: (Set<unknown> | undefined)[] = [];
  const tokens = text.match(TOKEN) ?? [];
  return tokens.every((token, index) => {
    if (token === '{' || token === '[') return levels.push(token === '{' ? new Set() : undefined) <= maxDepth;
    if (token === '}' || token === ']') levels.pop();
    else if (token.startsWith('"')) {
      const decoded = String(JSON.parse(token));
      if (LONE_SURROGATE.test(decoded)) return false;
      if (tokens[index + 1] !== ':') return true;
      const keys = levels.at(-1);
      if (decoded === '__proto__' || keys?.has(decoded)) return false;
      keys?.add(decoded);
    } else if (/^-?\d/.test(token)) return Number.isFinite(Number(token));
    return true;
  });
}

const keys = fc.oneof(
  fc.constantFrom('a', 'b', '\\u0061', '__proto__', '__pr\\u006fto__', 'é', ''),
  fc.string({ maxLength: 3 }),
);
const { text: jsonTexts } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom('1', '-0', '1.0', '0.10e-2', '1e400', '-1E+999', '12345678901234567890', 'true', 'false', 'null'),
    fc.constantFrom('"\\ud83d\\ude00"', '"\\ud83d"', '"\\udE00\\ud83d"', '"\\u0000 \\" \\\\"', '"ü😀"', '"[{,:"'),
    fc.string({ unit: 'binary', maxLength: 6 }).map((value) => JSON.stringify(value)),
    fc.array(tie('text'), { maxLength: 4 }).map((texts) => `[ ${texts.join(' ,\n')}]`),
    fc
      .array(fc.tuple(keys, tie('text')), { maxLength: 4 })
      .map((members) => `{${members.map(([key, value]) => `"${key.replaceAll('"', '')}" :${value}`).join(',')}\t}`),
  ),
}));
const mutatedTexts = fc
  .tuple(
    jsonTexts,
    fc.nat(),
    fc.nat(3),
    fc.constantFrom('', ',', '"', '{', '}', '[', ']', ':', '\\', '0', '-', 'e', '.', ' ', '\n', 'u'),
  )
  .map(([text, at, cutChars, insertion]) => {
    const cutIndex = at % (text.length + 1);
    return text.slice(0, cutIndex) + insertion + text.slice(cutIndex + cutChars);
  })
  .filter((text) => text.isWellFormed());
const structuralNoise = fc
  .array(
    fc.constantFrom(...'{}[]",:\\/u0aDd8-+.eE19tfn \t\n\u007f\u2028é'.split(''), 'true', 'null', '"a"', '{"a":', '[1,'),
    {
      maxLength: 20,
    },
  )
  .map((chunks) => chunks.join(''));

describe('accepted JSON', () => {
  it('is what JSON.parse and the additional rules accept, for valid, broken and random texts', () => {
    fc.assert(
      fc.property(fc.oneof(jsonTexts, mutatedTexts, structuralNoise), (text) => {
        expect(scanJson(Buffer.from(text), { maxDepth: 3 }).ok).toBe(isAcceptedByRules(text, 3));
        expect(scanValue(Buffer.from(text), { maxDepth: 3 }).ok).toBe(isAcceptedByRules(text, 3));
      }),
      { numRuns: RUNS },
    );
  });

  it('does not depend on earlier scans', () => {
    const deepObjects = `${'{"a":'.repeat(90)}1${'}'.repeat(90)}`;
    expect(problemOf(deepObjects)).toBe('none');
    expect(problemOf('{"a":{"a":{"a":1}}}')).toBe('none');
    expect(problemOf(`[${deepObjects},{"a":1},{"b":1,"a":2}]`)).toBe('none');
  });

  it('keeps value, digits and escapes when white space is removed', () => {
    fc.assert(
      fc.property(jsonTexts, (text) => {
        const result = scanValue(Buffer.from(text));
        if (!result.ok) return;
        expect(JSON.parse(result.text)).toEqual(JSON.parse(text));
        expect(result.text.match(TOKEN)).toEqual(text.match(TOKEN));
        expect(result.text).toBe((text.match(TOKEN) ?? []).join(''));
      }),
      { numRuns: RUNS },
    );
  });

  it('is returned as one text per element of an array, and otherwise as a single text', () => {
    fc.assert(
      fc.property(jsonTexts, (text) => {
        const result = scan(text);
        if (!result.ok) return;
        const value: unknown = JSON.parse(text);
        expect(elementsOf(text).map((element): unknown => JSON.parse(element))).toEqual(
          Array.isArray(value) ? value : [value],
        );
      }),
    );
    expect(scan('[1.0, [2 ,3], {"a" : 12345678901234567890}]')).toMatchObject({ ok: true, kind: 'array' });
    expect(elementsOf('[1.0, [2 ,3], {"a" : 12345678901234567890}]')).toEqual([
      '1.0',
      '[2,3]',
      '{"a":12345678901234567890}',
    ]);
    expect(scan(' {"a": []} ')).toMatchObject({ ok: true, kind: 'object' });
    expect(elementsOf(' {"a": []} ')).toEqual(['{"a":[]}']);
    expect(scan('"a b"')).toMatchObject({ ok: true, kind: 'scalar' });
    expect(elementsOf('"a b"')).toEqual(['"a b"']);
    expect(elementsOf('[]')).toEqual([]);
  });

  it('is kept up to the maximum number of elements; further ones are only checked and counted', () => {
    const limits = { maxDepth: 3, maxElements: 2 };
    const result = scanJson(Buffer.from('[1, 2, [3], {}]'), limits);
    expect(result.ok && [result.elements.map(String), result.count]).toEqual([['1', '2'], 4]);
    expect(scanJson(Buffer.from('[1, 2, 3, {"a":1,"a":2}]'), limits)).toMatchObject({ problem: 'duplicate_key' });
    const envelopeScan = scanEnvelopes(Buffer.from('[{"data":1},{},{"data":3}]'), 'data', limits);
    expect(envelopeScan.ok && [envelopeScan.envelopes.length, envelopeScan.count]).toEqual([2, 3]);
    expect(scanEnvelopes(Buffer.from('[{},{},{},4]'), 'data', limits)).toMatchObject({ problem: 'not_an_object' });
    expect(scanEnvelopes(Buffer.from('[{},{},{"a":01}]'), 'data', limits)).toMatchObject({ problem: 'not_json' });
  });

  it('includes real data sets, compact and indented', () => {
    for (const name of ['movies', 'earthquakes', 'countries', 'flare']) {
      const body = readFileSync(new URL(`../../../node_modules/vega-datasets/data/${name}.json`, import.meta.url));
      const value: unknown = JSON.parse(body.toString());
      const expected = (Array.isArray(value) ? value : [value]).map((element) => JSON.stringify(element));
      const indentedBody = Buffer.from(JSON.stringify(value, undefined, '\t'));
      const elements = scanJson(indentedBody);
      expect(elements.ok && elements.elements.map(String)).toEqual(expected);
      expect(scanJson(body).ok).toBe(true);
    }
  });
});

describe('rejected JSON', () => {
  it.each<[name: string, problem: JsonProblem, texts: string[]]>([
    ['an empty text', 'empty', ['', ' \n']],
    [
      'broken grammar',
      'not_json',
      ['[1,]', '{,}', "{'a':1}", '01', '1.', '.5', '+1', 'NaN', '"\t"', '"\\x"', '[1 2]', '1 2', '"a', '\u00a01'],
    ],
    ['a duplicate key', 'duplicate_key', ['{"a":1,"a":1}', '{"a":1,"b":{},"a":2}', '[{"é":1,"é":2}]']],
    [
      'a duplicate key in a different spelling',
      'duplicate_key',
      ['{"a":1,"\\u0061":2}', '{"\\u0061":1,"a":2}', '{"/":1,"\\/":2}'],
    ],
    ['the key __proto__, however spelled', 'forbidden_key', ['{"__proto__":1}', '[{"a":{"__pro\\u0074o__":1}}]']],
    [
      'half a surrogate pair',
      'lone_surrogate',
      ['"\\ud800"', '"\\udc00"', '"\\ud800\\u0061"', '"\\udc00\\ud800"', '{"\\uDBFF":1}'],
    ],
    [
      'numbers beyond the range of a double',
      'number_out_of_range',
      ['1e400', '[-1e400]', '9'.repeat(400), `-${'9'.repeat(310)}.5`, '1E00000309'],
    ],
    [
      'more levels than the limit',
      'too_deep',
      [`${'['.repeat(101)}${']'.repeat(101)}`, `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`],
    ],
    ['a byte order mark', 'not_json', ['\ufeff{}']],
  ])('includes %s', (_name, problem, texts) => {
    expect(texts.map((text) => [text, problemOf(text)])).toEqual(texts.map((text) => [text, problem]));
  });

  it('includes invalid UTF-8, with its position', () => {
    expect(scanJson(Buffer.from('["é", "\xe9"]', 'latin1'))).toMatchObject({
      ok: false,
      problem: 'not_utf8',
      position: 2,
    });
    expect(scanJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toMatchObject({
      problem: 'lone_surrogate',
      position: 1,
    });
    expect(scanJson(Buffer.from([0x22, 0xe2, 0x82]))).toMatchObject({ problem: 'not_utf8', position: 1 });
    expect(scanJson(Buffer.from([0x22, 0xc0, 0x80, 0x22]))).toMatchObject({ problem: 'not_utf8', position: 1 });
  });

  it('is reported at the first invalid UTF-8 byte, at any position', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(0xff, 0x80, 0xc0),
        fc.string(),
        (textBefore, invalidByte, textAfter) => {
          const validBytes = Buffer.from(textBefore.toWellFormed());
          expect(findInvalidUtf8(Buffer.concat([validBytes, Buffer.of(invalidByte), Buffer.from(textAfter)]))).toBe(
            validBytes.length,
          );
        },
      ),
    );
  });

  it('excludes a hundred levels, the largest numbers, equal keys of separate objects, NUL and surrogate pairs', () => {
    const acceptedTexts = [
      `${'['.repeat(100)}${']'.repeat(100)}`,
      '[1.7976931348623157e308, 1e-400, 5e-324, -0, 0e999999]',
      '{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}}',
      '"\\u0000"',
      '"\\ud83d\\ude00 😀"',
      '{"__proto":1,"__proto___":2,"constructor":3,"":4}',
    ];
    expect(acceptedTexts.map((text) => [text, problemOf(text)])).toEqual(acceptedTexts.map((text) => [text, 'none']));
    expect(elementsOf('["\\u0000"]')).toEqual(['"\\u0000"']);
  });

  it('includes a duplicate key in objects with many, long or escaped keys', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `key${index}`);
    const members = names.map((name) => `"${name}":1`).join(',');
    const longKey = 'x'.repeat(5000);
    expect(problemOf(`{${members}}`)).toBe('none');
    expect(problemOf(`{${members},"key0":2}`)).toBe('duplicate_key');
    expect(problemOf(`{${members},"key99\\u0039":2}`)).toBe('duplicate_key');
    expect(problemOf(`{"a":1,"${longKey}":1,"b":2,"${longKey}y":3}`)).toBe('none');
    expect(problemOf(`{"a":1,"${longKey}":1,"a":2}`)).toBe('duplicate_key');
    expect(problemOf(`{"${longKey}":1,"${longKey}":1}`)).toBe('duplicate_key');
  });

  it('includes millions of unclosed levels and ten thousand closed ones, and is detected quickly', () => {
    const startUsage = process.cpuUsage();
    expect(problemOf('['.repeat(5_000_000))).toBe('too_deep');
    expect(problemOf(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)).toBe('too_deep');
    expect(problemOf('{"a":'.repeat(1_000_000))).toBe('too_deep');
    // About 50 ms on an idle machine. A scanner that looked back at each level would take minutes.
    expect(cpuMs(startUsage)).toBeLessThan(5000);
  });

  it('is reported with its line, position and cause', () => {
    expect(scan('[1,\n  {"a": 1\n  "b": 2}]')).toEqual({
      ok: false,
      problem: 'not_json',
      position: 16,
      line: 3,
      reason: '"\\"" appears where "," or "}" is expected',
      cause: 'Line 3: "\\"" appears where "," or "}" is expected',
    });
    expect(scan('{"name":1,"name":2}')).toMatchObject({ cause: 'Line 1: an object has the name "name" twice' });
    expect(scan('["é", ☃]')).toMatchObject({ position: 7, cause: 'Line 1: "☃" appears where a value is expected' });
  });
});

describe('envelopes', () => {
  const envelopes = (text: string) => scanEnvelopes(Buffer.from(text), 'data');

  it('are returned with one member as text, in any position and spelling, and the others parsed', () => {
    const texts = [
      '{"data":{"x": 1.0},"endpoint":"a/b","n":[1]}',
      '{"endpoint":"é", "d\\u0061ta" : "é" ,"n":2}',
      '{"n":3, "data":1e2}',
    ];
    expect(envelopes(`[${texts.join(' , ')}]`)).toEqual({
      ok: true,
      kind: 'array',
      envelopes: [
        { raw: '{"x":1.0}', otherMembers: { endpoint: 'a/b', n: [1] } },
        { raw: '"é"', otherMembers: { endpoint: 'é', n: 2 } },
        { raw: '1e2', otherMembers: { n: 3 } },
      ],
      count: 3,
    });
  });

  it('may be a single object', () => {
    expect(scanEnvelopes(Buffer.from('{"token":"t","body":[1, 2]}'), 'body')).toEqual({
      ok: true,
      kind: 'object',
      envelopes: [{ raw: '[1,2]', otherMembers: { token: 't' } }],
      count: 1,
    });
  });

  it('may lack the member, or have nothing else', () => {
    expect(envelopes('[{"a":{"data":1}},{},{"data":null}]')).toMatchObject({
      envelopes: [
        { raw: undefined, otherMembers: { a: { data: 1 } } },
        { raw: undefined, otherMembers: {} },
        { raw: 'null', otherMembers: {} },
      ],
    });
  });

  it('follow the same rules in every member', () => {
    const invalidBodies: [string, string][] = [
      ['[{"data":{"a":1,"a":2}}]', 'duplicate_key'],
      ['[{"data":1,"d\\u0061ta":2}]', 'duplicate_key'],
      ['[{"data":1,"x":1e999}]', 'number_out_of_range'],
      ['[{"data":1},{"data":"\\ud800"}]', 'lone_surrogate'],
      ['{"__proto__":{},"data":1}', 'forbidden_key'],
      ['[{"data":1},]', 'not_json'],
      ['[{"data":1}] 2', 'not_json'],
      ['[{"data":1}, 2]', 'not_an_object'],
      ['"data"', 'not_an_object'],
      ['', 'empty'],
    ];
    expect(invalidBodies.map(([text]) => envelopes(text))).toMatchObject(
      invalidBodies.map(([, problem]) => ({ ok: false, problem })),
    );
  });

  it('agree with JSON.parse', () => {
    fc.assert(
      fc.property(
        fc.array(jsonTexts, { maxLength: 3 }),
        fc.array(jsonTexts, { minLength: 3, maxLength: 3 }),
        (firstValues, lastValues) => {
          const members = [
            ...firstValues.map((text, index) => `"b${index}":${text}`),
            `"data":${lastValues[0]}`,
            `"c":${lastValues[1]}`,
          ];
          const text = `{${members.join(', ')}}`;
          const result = envelopes(text);
          expect(result.ok).toBe(isAcceptedByRules(text, 100));
          if (!result.ok) return;
          const { data, ...otherMembers } = JSON.parse(text) as Record<string, unknown>;
          expect(result.envelopes.map(({ raw }): unknown => JSON.parse(raw ?? ''))).toEqual([data]);
          expect(result.envelopes[0]?.otherMembers).toEqual(otherMembers);
        },
      ),
    );
  });
});
