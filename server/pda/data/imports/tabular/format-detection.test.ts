import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guessDelimiter, guessFormat } from './format-detection.ts';

const folder = new URL('../../../../../node_modules/vega-datasets/data/', import.meta.url);

function readBeginning(name: string, length: number): Buffer {
  const file = openSync(new URL(name, folder), 'r');
  const buffer = Buffer.alloc(length);
  const size = readSync(file, buffer, 0, length, 0);
  closeSync(file);
  return buffer.subarray(0, size);
}

const guess = (text: string, name = 'file') => guessFormat(Buffer.from(text), name).format;

describe('the format of a file', () => {
  it('is detected for every JSON and CSV file of vega-datasets, with and without a file extension', () => {
    for (const name of readdirSync(folder).filter((name) => /\.(json|csv|tsv)$/.test(name))) {
      const expected = name.endsWith('json') ? 'json' : 'csv';
      expect([name, guessFormat(readBeginning(name, 8192), name).format]).toEqual([name, expected]);
      expect([name, guessFormat(readBeginning(name, 8192), 'upload').format]).toEqual([name, expected]);
    }
  });

  it.each([
    ['{"a":1}\n{"a":2}\n', 'x', 'ndjson'],
    ['{"a":1}\r\n\r\n{"a":2', 'x.json', 'ndjson'],
    ['{"a":1}\n', 'x.jsonl', 'ndjson'],
    ['[1,2]\n[3,4]\n', 'x', 'ndjson'],
    ['{"a":1}', 'x', 'json'],
    ['{\n "a": 1,\n "b": 2\n}', 'x', 'json'],
    ['\ufeff  [\n', 'x', 'json'],
    ['[{"a":1},\n{"a":2}]', 'x.csv', 'json'],
    ['"text"', 'x.json', 'json'],
    ['a;b\n1;2\n', 'x.txt', 'csv'],
    ['"a","b"\n"1","2"\n', 'x', 'csv'],
    ['name\nAda\n', 'names.csv', 'csv'],
    ['"name"\n"Ada"\n', 'names.csv', 'csv'],
    ['a\tb\n1\t2\n3\t4', 'x', 'csv'],
    ['Dear all\nthis is a letter\n', 'letter.txt', 'unknown'],
    ['', 'x.csv', 'unknown'],
  ])('is detected for %j named %s: %s', (text, name, format) => {
    expect(guess(text, name)).toBe(format);
  });

  it('is unknown for files that are not UTF-8 text, with a reason for the owner', () => {
    const guesses = [
      Buffer.from('a;b\n\xe9;1\n', 'latin1'),
      Buffer.from('\ufeffa,b\n', 'utf16le'),
      Buffer.from([0x1f, 0x8b, 8, 0]),
      Buffer.from('PK\u0003\u0004xx'),
      Buffer.from([1, 0, 2]),
    ].map((bytes) => guessFormat(bytes, 'data.csv'));
    expect(guesses.map(({ format }) => format)).toEqual(Array.from({ length: 5 }, () => 'unknown'));
    expect(guesses.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('UTF-8'),
      expect.stringContaining('UTF-16'),
      expect.stringContaining('compressed'),
      expect.stringContaining('ZIP'),
      expect.stringContaining('not a text'),
    ]);
  });

  it('is detected even if the sample ends within a character', () => {
    const text = Buffer.from('naam;stad\nZoë;Zürich\nRenée;Köln\n');
    for (let end = 20; end <= text.length; end += 1)
      expect(guessFormat(text.subarray(0, end), 'x.csv').format).toBe('csv');
  });
});

describe('the delimiter', () => {
  it.each([
    ['a,b;c\n1,2;3\n4,5;6\n', ','],
    ['a;b\n1,5;2,5\n3,5;4,5\n', ';'],
    ['a\tb, c\n1\t2\n', '\t'],
    ['"a,b";"c,d"\n1;2\n', ';'],
    ['name\n', ','],
  ])('is detected in %j: %j', (text, delimiter) => {
    expect(guessDelimiter(Buffer.from(text))).toBe(delimiter);
  });
});
