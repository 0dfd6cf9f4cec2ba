import { describe, expect, it } from 'vitest';
import { isTextSearched, tidyText, type SearchedFile } from './rules.ts';

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
  ])('of %s is searched only if the file is complete and may have text', (_name, file, isSearched) => {
    expect(isTextSearched({ ...FILE, ...file }, SETTINGS)).toBe(isSearched);
  });

  it('is not searched while the setting is off', () => {
    expect(isTextSearched(FILE, { ...SETTINGS, fileTexts: false })).toBe(false);
  });

  it('has no superfluous white space, control characters or empty lines', () => {
    expect(tidyText('\u{feff}one \t two\r\n\r\n \u0000 \n three\f\u2028four\n')).toBe('one two\nthree\nfour');
  });

  it('is cut after 100,000 bytes, and never within a character', () => {
    expect(tidyText('a\n'.repeat(100_000))).toHaveLength(100_000);
    expect(tidyText('ü'.repeat(100_000))).toHaveLength(50_000);
    expect(tidyText(`${'a'.repeat(99_999)}😀`)).toBe('a'.repeat(99_999));
    expect(tidyText('\u{d800}')).toBe('\u{fffd}');
  });
});
