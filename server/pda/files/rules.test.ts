import { describe, expect, it } from 'vitest';
import { archiveNames } from './rules.ts';

describe('the names in an archive', () => {
  it('are unique regardless of case', () => {
    expect(archiveNames(['a.txt', 'A.TXT', 'a.txt', 'b', 'b', '.hidden', '.hidden'])).toEqual([
      'a.txt',
      'A (2).TXT',
      'a (3).txt',
      'b',
      'b (2)',
      '.hidden',
      '.hidden (2)',
    ]);
  });

  it('contain no folders, drives or control characters', () => {
    expect(archiveNames(['../../etc/passwd', '..', '.', 'C:\\boot.ini', 'a\u0000b'])).toEqual([
      '.._.._etc_passwd',
      '_',
      '_ (2)',
      'C__boot.ini',
      'a_b',
    ]);
  });
});
