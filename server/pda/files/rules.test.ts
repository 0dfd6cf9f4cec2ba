import { describe, expect, it } from 'vitest';
import { archiveNames, foldersOfPath, folderWithin } from './rules.ts';

const atTop = (names: readonly string[]) => names.map((name) => ({ folder: '', name }));

describe('the names in an archive', () => {
  it('are unique regardless of case', () => {
    expect(archiveNames(atTop(['a.txt', 'A.TXT', 'a.txt', 'b', 'b', '.hidden', '.hidden']))).toEqual([
      'a.txt',
      'A (2).TXT',
      'a (3).txt',
      'b',
      'b (2)',
      '.hidden',
      '.hidden (2)',
    ]);
  });

  it('contain no drives, control characters or folders of their own', () => {
    expect(archiveNames(atTop(['../../etc/passwd', '..', '.', 'C:\\boot.ini', 'a\u0000b']))).toEqual([
      '.._.._etc_passwd',
      '_',
      '_ (2)',
      'C__boot.ini',
      'a_b',
    ]);
  });

  it('follow the folders of the files', () => {
    expect(
      archiveNames([
        { folder: '2024/Rome', name: 'a.txt' },
        { folder: '2024/rome', name: 'A.txt' },
        { folder: '../2024', name: 'a.txt' },
        { folder: '', name: 'a.txt' },
      ]),
    ).toEqual(['2024/Rome/a.txt', '2024/rome/A (2).txt', '_/2024/a.txt', 'a.txt']);
  });
});

describe('the folders of a path', () => {
  it('are all that contain it, the outermost first', () => {
    expect(foldersOfPath('a/b c/%_/x.txt')).toEqual(['a', 'a/b c', 'a/b c/%_']);
    expect(foldersOfPath('x.txt')).toEqual([]);
  });

  it('are relative to a folder that contains them', () => {
    expect(folderWithin('a', 'a/b/c/x.txt')).toBe('b/c');
    expect(folderWithin('a/b', 'a/b/x.txt')).toBe('');
  });
});
