import fc from 'fast-check';
import { createReadStream, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ImportFormat } from '../../../../wire/imports.ts';
import { readElements, type ReadOptions } from './element-reader.ts';
import { BrokenElement, type ImportedElement } from './element-source.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

const dataFile = (name: string) => new URL(`../../../../../node_modules/vega-datasets/data/${name}`, import.meta.url);

async function* chunksOf(bytes: Buffer | string, size: number) {
  const buffer = Buffer.from(bytes);
  for (let start = 0; start < buffer.length; start += size) yield buffer.subarray(start, start + size);
}

async function readAll(stream: AsyncIterable<Buffer>, format: ImportFormat, options?: ReadOptions) {
  const elements: ImportedElement[] = [];
  let bytesRead = 0;
  let brokenElement: BrokenElement | undefined;
  try {
    for await (const batch of readElements(stream, format, options)) {
      elements.push(...batch.elements);
      bytesRead = batch.bytesRead;
    }
  } catch (error) {
    if (!(error instanceof BrokenElement)) throw error;
    brokenElement = error;
  }
  return {
    elements,
    bytesRead,
    brokenElement,
    texts: elements.map(({ text }) => text),
    lines: elements.map(({ line }) => line),
  };
}

const read = (text: string, format: ImportFormat, size = 1000, options?: ReadOptions) =>
  readAll(chunksOf(text, size), format, options);

/** Any JSON value that can be stored. The generator also produces the key `__proto__`, which the server rejects. */
const jsonValues = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })
  .filter((value) => !JSON.stringify(value).includes('"__proto__"'));
const chunkSizes = fc.constantFrom(1, 2, 3, 7, 64, 10_000);

describe('a JSON file', () => {
  it.each(['movies.json', 'flights-2k.json', 'earthquakes.json', 'cars.json', 'miserables.json', 'countries.json'])(
    'yields the elements of %s unchanged',
    async (name) => {
      const bytes = readFileSync(dataFile(name));
      const value: unknown = JSON.parse(bytes.toString());
      const { elements, bytesRead, brokenElement } = await readAll(createReadStream(dataFile(name)), 'json');
      expect(brokenElement).toBeUndefined();
      expect(bytesRead).toBe(bytes.length);
      expect(elements.map(({ text }): unknown => JSON.parse(text))).toEqual(Array.isArray(value) ? value : [value]);
      expect(elements.map(({ index }) => index)).toEqual(elements.map((_, index) => index));
    },
  );

  it('may have chunk boundaries anywhere, even within characters, escapes and numbers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(jsonValues), chunkSizes, fc.constantFrom(0, 2), async (values, size, indent) => {
        const { texts, brokenElement } = await read(JSON.stringify(values, undefined, indent), 'json', size);
        expect(brokenElement).toBeUndefined();
        expect(texts).toEqual(values.map((value) => JSON.stringify(value)));
      }),
    );
  });

  it('preserves digits and escapes, and reports the line of each element', async () => {
    const { texts, lines } = await read(
      '\ufeff[1.0, 12345678901234567890,\n\n {"a":\n "\\u0061 b"},\n[ ]\n]\n',
      'json',
      3,
    );
    expect(texts).toEqual(['1.0', '12345678901234567890', '{"a":"\\u0061 b"}', '[]']);
    expect(lines).toEqual([1, 1, 3, 5]);
  });

  it('is one element if it is not an array, and has none if it is an empty array', async () => {
    expect((await read(' {"a": [1, 2]}\n', 'json', 4)).texts).toEqual(['{"a":[1,2]}']);
    expect((await read('"text"', 'json')).texts).toEqual(['"text"']);
    expect((await read('[]', 'json')).texts).toEqual([]);
    expect((await read('[ \n ]', 'json', 1)).brokenElement).toBeUndefined();
  });

  it.each<[string, string, number, string, number]>([
    ['[1,\n2,\n{"a":1,"a":2},\n4]', 'duplicate_key', 3, 'an object has the name "a" twice', 2],
    ['[1,\n{"a":\n nul}]', 'not_json', 3, '"n" appears where a value is expected', 1],
    ['[1,,2]', 'not_json', 1, 'a value is missing here', 1],
    ['[1,\n]', 'not_json', 2, 'a value is missing here', 1],
    ['[,]', 'not_json', 1, 'a value is missing here', 0],
    ['[1 2]', 'not_json', 1, '"2" follows the end of the JSON value', 0],
    ['[{"a":[1}]]', 'not_json', 1, '"}" appears where "," or "]" is expected', 0],
    ['[1]\n[2]', 'not_json', 2, 'there is content after the "]" that closes the array', 1],
    ['[1,2', 'not_json', 1, 'the file ends in the middle of this value', 1],
    ['[1,\n', 'not_json', 1, 'the file ends before the "]" that closes the array', 1],
    [
      '[1,"a\nb",3]',
      'not_json',
      1,
      'a string contains a line break, tab or other control character that is not escaped',
      1,
    ],
    [
      '[1,{"a":"b},\n{"c":2}]',
      'not_json',
      1,
      'a string contains a line break, tab or other control character that is not escaped',
      1,
    ],
    ['[1e400]', 'number_out_of_range', 1, 'a number is too large to be represented (beyond about 1.8e308)', 0],
    ['{"a":1} {"a":2}', 'not_json', 1, '"{" follows the end of the JSON value', 0],
    [' \n ', 'empty', 1, 'this file contains no JSON', 0],
  ])(
    'fails at the first error, after yielding the elements before it: %j',
    async (text, problem, line, message, validElementCount) => {
      for (const size of [1, 3, 1000]) {
        const { elements, brokenElement } = await read(text, 'json', size);
        expect(brokenElement).toMatchObject({ problem, line, message, index: validElementCount });
        expect(elements.length).toBe(validElementCount);
      }
    },
  );

  it('fails where the encoding is not UTF-8', async () => {
    const { texts, brokenElement } = await readAll(chunksOf(Buffer.from('["a",\n"\xe9"]', 'latin1'), 100), 'json');
    expect(texts).toEqual(['"a"']);
    expect(brokenElement).toMatchObject({ problem: 'not_utf8', line: 2, index: 1 });
  });

  it('rejects an element with more than 100 levels of nesting', async () => {
    const nestedArrays = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(await read(`[${nestedArrays(100)},${nestedArrays(101)}]`, 'json')).toMatchObject({
      texts: [nestedArrays(100)],
      brokenElement: { problem: 'too_deep', index: 1 },
    });
  });

  it('rejects a value larger than 10 MB, or reports the syntax error that makes it so large', async () => {
    const largeText = `[1,"${'x'.repeat(10_000_001)}",2]`;
    expect(await read(largeText, 'json', 65_536)).toMatchObject({
      texts: ['1'],
      brokenElement: { problem: 'too_large', index: 1 },
    });
    const unclosedText = `[1,"a},\n${'{"b":"c"},\n'.repeat(1_100_000)}]`;
    expect(await read(unclosedText, 'json', 65_536)).toMatchObject({
      texts: ['1'],
      brokenElement: { problem: 'not_json', line: 1, index: 1 },
    });
  });
});

describe('a file with one JSON value on each line', () => {
  it('may have blank lines, CR LF, and no line ending at the end', async () => {
    const { texts, lines } = await read('\ufeff{"a": 1}\r\n\r\n \n[1.0]\n"é"', 'ndjson', 2);
    expect(texts).toEqual(['{"a":1}', '[1.0]', '"é"']);
    expect(lines).toEqual([1, 4, 5]);
  });

  it('may have chunk boundaries anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(jsonValues), chunkSizes, async (values, size) => {
        const expected = values.map((value) => JSON.stringify(value));
        expect((await read(expected.join('\n'), 'ndjson', size)).texts).toEqual(expected);
      }),
    );
  });

  it('fails at the first error, after yielding the elements before it', async () => {
    expect(await read('1\n\n{"a":}\n3\n', 'ndjson', 2)).toMatchObject({
      texts: ['1'],
      brokenElement: { problem: 'not_json', line: 3, index: 1, message: '"}" appears where a value is expected' },
    });
  });

  it('has no elements if all lines are blank', async () => {
    expect(await read('\n', 'ndjson')).toMatchObject({ texts: [], brokenElement: undefined });
  });
});

describe('any file', () => {
  it.skipIf(!IS_THOROUGH_RUN)('is read from a start index with unchanged indexes and lines', async () => {
    for (const [name, format] of [
      ['movies.json', 'json'],
      ['airports.csv', 'csv'],
    ] as const) {
      const { elements } = await readAll(createReadStream(dataFile(name)), format);
      const stream = createReadStream(dataFile(name), { highWaterMark: 1000 });
      const { elements: laterElements } = await readAll(stream, format, { from: 1500 });
      expect(laterElements).toEqual(elements.slice(1500));
    }
  });

  it('is read in batches of at most 1,000 elements, even if one chunk contains more', async () => {
    const values = Array.from({ length: 10_500 }, (_, index) => index);
    const sizes: number[] = [];
    for await (const { elements } of readElements(chunksOf(JSON.stringify(values), 10_000_000), 'json'))
      sizes.push(elements.length);
    expect(Math.max(...sizes)).toBe(1000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_500);
  });

  it('yields the complete elements before a stream error, then rethrows the error', async () => {
    async function* failingStream() {
      yield Buffer.from('[1,2,3');
      throw new Error('disk gone');
    }
    const texts: string[] = [];
    const readFailing = async () => {
      for await (const { elements } of readElements(failingStream(), 'json'))
        texts.push(...elements.map(({ text }) => text));
    };
    await expect(readFailing()).rejects.toThrow('disk gone');
    expect(texts).toEqual(['1', '2']);
  });

  it.skipIf(!IS_THOROUGH_RUN)('is read with bounded memory if it is large', async () => {
    const chunk = Buffer.from(`${JSON.stringify({ id: 1, name: 'person', note: 'x'.repeat(180) })},`.repeat(1000));
    async function* largeFile() {
      yield Buffer.from('[');
      for (let count = 0; count < 400; count += 1) yield chunk;
      yield Buffer.from('0]');
    }
    const usedBytes = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;
    let count = 0;
    // Other tests may have allocated memory.
    const bytesBefore = usedBytes();
    let peakBytes = bytesBefore;
    for await (const { elements } of readElements(largeFile(), 'json')) {
      count += elements.length;
      if (count % 10_000 < 1000) peakBytes = Math.max(peakBytes, usedBytes());
    }
    expect(count).toBe(400_001);
    expect(peakBytes - bytesBefore).toBeLessThan(200_000_000);
  });
});

describe('a list within a JSON file', () => {
  it.skipIf(!IS_THOROUGH_RUN)('is read without the content around it, wherever the chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(jsonValues),
        fc.dictionary(fc.string({ unit: 'grapheme' }), jsonValues),
        fc.array(fc.constantFrom('a', 'a "b"', 'é', '\\', ''), { minLength: 1, maxLength: 3 }),
        chunkSizes,
        async (values, others, path, size) => {
          const [lastName = '', ...outerNames] = path.toReversed();
          const nestedValue = outerNames.reduce<unknown>(
            (inner, name) => ({ before: [values], [name]: inner, after: 'x' }),
            {
              ...others,
              [lastName]: values,
              end: [1],
            },
          );
          const { texts, brokenElement } = await read(JSON.stringify(nestedValue, undefined, 1), 'json', size, {
            list: path,
          });
          expect(brokenElement).toBeUndefined();
          expect(texts).toEqual(values.map((value) => JSON.stringify(value)));
        },
      ),
    );
  });

  it('reports the lines of its elements, and of an error', async () => {
    const text = '{"meta": {"list": [0]},\n "data": {\n  "list": [\n   1,\n   2,\n   nope\n ]}}';
    const { texts, lines, brokenElement } = await read(text, 'json', 3, { list: ['data', 'list'] });
    expect(texts).toEqual(['1', '2']);
    expect(lines).toEqual([4, 5]);
    expect(brokenElement).toMatchObject({ line: 6, index: 2, problem: 'not_json' });
  });

  it('fails if it is missing or the file is incomplete, after yielding its elements', async () => {
    const options = { list: ['a'] };
    expect((await read('{"b":[1]}', 'json', 3, options)).brokenElement).toMatchObject({
      message: 'there is no list "a" in this file',
    });
    expect(await read('{"a":[1,2],\n"b":', 'json', 3, options)).toMatchObject({
      texts: ['1', '2'],
      brokenElement: { line: 2, message: 'the file ends before all brackets are closed' },
    });
    for (const text of ['{"a":[1]}}', '{"a":[1]]', '{"a":[1]} x', '{"a":[1', '{"x":[1}', '['.repeat(300)])
      expect((await read(text, 'json', 3, options)).brokenElement?.problem, text).toMatch(/^(?:not_json|too_deep)$/u);
  });

  it('yields the features of GeoJSON as records', async () => {
    const { elements, brokenElement } = await readAll(createReadStream(dataFile('earthquakes.json')), 'geojson');
    expect(brokenElement).toBeUndefined();
    const { features } = JSON.parse(readFileSync(dataFile('earthquakes.json'), 'utf8')) as {
      features: { id: string; properties: object; geometry: object }[];
    };
    expect(elements.map(({ text }): unknown => JSON.parse(text))).toEqual(
      features.map(({ id, properties, geometry }) => ({ id, ...properties, geometry })),
    );
  });
});
