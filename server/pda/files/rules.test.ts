import { describe, expect, it } from 'vitest';
import { isSafeName } from './content/disk-names.ts';
import { archiveNames, foldersOfPath, folderWithin } from './rules.ts';

const atTop = (names: readonly string[]) => names.map((name) => ({ folder: '', name }));

describe('the names in an archive', () => {
  it('are unique regardless of case', () => {
    expect(archiveNames(atTop(['a.txt', 'A.TXT', 'a.txt', 'b', 'b', '.hidden', 'hidden']))).toEqual([
      'a.txt',
      'A (2).TXT',
      'a (3).txt',
      'b',
      'b (2)',
      'hidden',
      'hidden (2)',
    ]);
  });

  it('are unique regardless of Unicode normalisation, so that no file replaces another one on macOS', () => {
    expect(archiveNames(atTop(['caf\u00e9.txt', 'cafe\u0301.txt', 'CAFE\u0301.txt']))).toEqual([
      'caf\u00e9.txt',
      'caf\u00e9 (2).txt',
      'CAF\u00c9 (3).txt',
    ]);
  });

  it('are neither special nor invalid on Windows, and not misleading', () => {
    const names = ['desktop.ini', 'AutoRun.inf', 'x.lnk', 'x.scf', 'CON', 'aux.txt', 'a.txt. .', 'a\u202etxt.exe'];
    expect(archiveNames(atTop(names))).toEqual([
      'desktop.ini_',
      'AutoRun.inf_',
      'x.lnk_',
      'x.scf_',
      '_CON',
      '_aux.txt',
      'a.txt',
      'atxt.exe',
    ]);
    expect(archiveNames(names.map((folder) => ({ folder, name: 'b' })))).toEqual([
      'desktop.ini_/b',
      'AutoRun.inf_/b',
      'x.lnk_/b',
      'x.scf_/b',
      '_CON/b',
      '_aux.txt/b',
      'a.txt/b',
      'atxt.exe/b',
    ]);
  });

  it('are short enough for every file system, even with a number', () => {
    const longName = 'é'.repeat(127);
    const [firstName = '', secondName = ''] = archiveNames(atTop([longName, longName]));
    expect([isSafeName(firstName), isSafeName(secondName)]).toEqual([true, true]);
    expect(secondName).toBe(`${firstName} (2)`);
  });

  it('contain no drives, control characters or path separators', () => {
    expect(archiveNames(atTop(['../../etc/passwd', '..', '.', 'C:\\boot.ini', 'a\u0000b']))).toEqual([
      '_._etc_passwd',
      'file',
      'file (2)',
      'C__boot.ini',
      'ab',
    ]);
  });

  it('include the folders of the files', () => {
    expect(
      archiveNames([
        { folder: '2024/Rome', name: 'a.txt' },
        { folder: '2024/rome', name: 'A.txt' },
        { folder: '../2024', name: 'a.txt' },
        { folder: '', name: 'a.txt' },
      ]),
    ).toEqual(['2024/Rome/a.txt', '2024/rome/A (2).txt', 'file/2024/a.txt', 'a.txt']);
  });
});

describe('the folders of a path', () => {
  it('are all folders that contain it, the outermost first', () => {
    expect(foldersOfPath('a/b c/%_/x.txt')).toEqual(['a', 'a/b c', 'a/b c/%_']);
    expect(foldersOfPath('x.txt')).toEqual([]);
  });

  it('can be given relative to a folder that contains them', () => {
    expect(folderWithin('a', 'a/b/c/x.txt')).toBe('b/c');
    expect(folderWithin('a/b', 'a/b/x.txt')).toBe('');
  });
});
