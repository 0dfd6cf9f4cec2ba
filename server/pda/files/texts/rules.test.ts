import { describe, expect, it } from 'vitest';
import { firstBatchOf, isMarkupDocument, isTextSearched, tidyText, toFileText, type SearchedFile } from './rules.ts';

const FILE: SearchedFile = { status: 'Completed', kind: 'text', type: 'text/plain', source: 'notes' };
const SETTINGS = { fileTexts: true, excludedSources: ['secret'] };

describe('the text of a file', () => {
  it.each<[string, Partial<SearchedFile>, boolean]>([
    ['a text file', {}, true],
    ['JSON', { type: 'application/json' }, true],
    ['a PDF', { kind: 'document', type: 'application/pdf' }, true],
    ['another document', { kind: 'document', type: 'application/msword' }, false],
    ['a picture', { kind: 'image', type: 'image/png' }, false],
    ['an unfinished upload', { status: 'New' }, false],
    ['a deleted file', { status: 'Deleted' }, false],
    ['a file of an excluded source', { source: 'secret' }, false],
  ])('is searched only if the file is complete, may have text and is not excluded: %s', (_name, file, isSearched) => {
    expect(isTextSearched({ ...FILE, ...file }, SETTINGS)).toBe(isSearched);
  });

  it('is not searched while the setting is off', () => {
    expect(isTextSearched(FILE, { ...SETTINGS, fileTexts: false })).toBe(false);
  });

  it('has no superfluous white space, control characters or empty lines', () => {
    expect(tidyText('\u{feff}one \t two\r\n\r\n \u0000 \n three\f\u2028four\n')).toBe('one two\nthree\nfour');
  });

  it('is truncated after 100,000 bytes, never within a character', () => {
    expect(tidyText('a\n'.repeat(100_000))).toHaveLength(100_000);
    expect(tidyText('ü'.repeat(100_000))).toHaveLength(50_000);
    expect(tidyText(`${'a'.repeat(99_999)}😀`)).toBe('a'.repeat(99_999));
    expect(tidyText('\u{d800}')).toBe('\u{fffd}');
  });
});

describe('stored text', () => {
  it('has words in lower case and without accents', () => {
    expect(toFileText(' Café  ZÜRICH,\n4711 ')).toEqual({ text: 'Café ZÜRICH,\n4711', words: 'cafe zurich 4711' });
  });
});

describe('a markup document', () => {
  it.each([
    ['begins with a document type', '\n<!DOCTYPE html><p>', 'a', true],
    ['begins with its root element', '<html lang="en">', 'a', true],
    ['begins with an XML declaration', '<?xml version="1.0"?>', 'a.txt', true],
    ['has the name of one', 'text <p>', 'page.HTM', true],
    ['is not a text that mentions markup', 'The element <script>', 'notes.md', false],
    ['is not source code', 'const map = new Map<string, number>();', 'a.ts', false],
  ])('%s', (_name, text, name, isDocument) => {
    expect(isMarkupDocument(text, name)).toBe(isDocument);
  });
});

describe('the files that are examined together', () => {
  const queue = (...attempts: number[]) => attempts.map((count, seq) => ({ seq, attempts: count }));

  it.each([
    [[0, 0, 0], 3],
    [[0, 0, 1, 0], 2],
    [[1, 1, 0], 1],
    [[2], 1],
    [[], 0],
  ])('exclude files that may have ended the process, which are examined alone: %j', (attempts, count) => {
    expect(firstBatchOf(queue(...attempts))).toEqual(queue(...attempts).slice(0, count));
  });
});
