import { describe, expect, it } from 'vitest';
import {
  isIgnoredFolder,
  isIgnoredFile,
  differsAtMostInDevice,
  isSameFile,
  remainingQuietMs,
  type ScannedEntry,
} from './rules.ts';

const NOW = Date.UTC(2026, 0, 1);
const entry: ScannedEntry = { kind: 'file', size: 5, modified: '7', inode: '1:2', links: 1, changed: NOW };
type Row = Parameters<typeof isSameFile>[0];
const row: Row = {
  size: 5,
  modified: '7',
  inode: '1:2',
  sha256: 'h',
  name: 'a.txt',
  status: 'Completed',
  deleted: null,
  deleted_by: null,
  moving: 0,
};
const isSame = (changes: Partial<Row>, file: { sha256?: string; name?: string; size?: number } = {}): boolean =>
  isSameFile(
    { ...row, ...changes },
    { ...entry, size: file.size ?? entry.size },
    { name: file.name ?? 'b.txt', sha256: file.sha256, now: NOW },
  );

describe('ignored names', () => {
  it.each([
    '.x',
    'a/.x/b',
    '~$a.docx',
    'a.tmp',
    'A.PART',
    'a.crdownload',
    'a~',
    'desktop.ini',
    'a/Thumbs.db',
    '\ud800.txt',
  ])('include %j', (path) => {
    expect(isIgnoredFile(path)).toBe(true);
  });
  it.each(['a.txt', 'a b/c.d/e', 'tmp', 'part', 'a.tmp/b', 'a~/b', 'x.ini', '~a', 'template.tmpl'])(
    'do not include %j',
    (path) => {
      expect(isIgnoredFile(path)).toBe(false);
    },
  );
  it('include hidden and system folders, but no folders with suffixes of unfinished files', () => {
    expect(['a', 'a.part', 'a~', '.git', 'a/.b', 'lost+found'].map(isIgnoredFolder)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
  });
});

describe('the quiet period of a file', () => {
  it('starts at its last change and is longer for large files', () => {
    expect(remainingQuietMs({ size: 1, changed: NOW - 500 }, NOW, 0, 2000)).toBe(1500);
    expect(remainingQuietMs({ size: 1, changed: NOW - 2000 }, NOW, 0, 2000)).toBe(0);
    expect(remainingQuietMs({ size: 1_000_000_000, changed: NOW }, NOW, 0, 2000)).toBe(7000);
    expect(remainingQuietMs({ size: 1e15, changed: NOW }, NOW, 0, 2000)).toBe(22_000);
  });
  it('starts when the attributes were first seen if the times are in the future', () => {
    expect(remainingQuietMs({ size: 1, changed: NOW + 1e9 }, NOW, 0, 2000)).toBe(2000);
    expect(remainingQuietMs({ size: 1, changed: NOW + 1e9 }, NOW, 2000, 2000)).toBe(0);
  });
});

describe('the file of a remounted disk', () => {
  it('may differ in the device number, but in no other attribute', () => {
    expect(differsAtMostInDevice({ ...row, inode: '9:2' }, entry)).toBe(true);
    expect(differsAtMostInDevice({ ...row, inode: '9:3' }, entry)).toBe(false);
    expect(differsAtMostInDevice({ ...row, inode: '9:2', modified: '8' }, entry)).toBe(false);
    expect(differsAtMostInDevice({ ...row, inode: '9:2', size: 6 }, entry)).toBe(false);
  });
});

describe('recognising a moved file', () => {
  it('requires equal attributes if the content is unknown, and an equal size in any case', () => {
    expect(isSame({})).toBe(true);
    expect(isSame({ modified: '8' })).toBe(false);
    expect(isSame({ inode: '1:3' })).toBe(false);
    expect(isSame({ moving: 1 })).toBe(false);
    expect(isSame({ size: 6 }, { sha256: 'h' })).toBe(false);
  });
  it('accepts equal content that is not empty', () => {
    expect(isSame({ modified: '8' }, { sha256: 'h' })).toBe(true);
    expect(isSame({ modified: '8', inode: '1:3' }, { sha256: 'h' })).toBe(true);
    expect(isSame({ modified: '8', inode: '1:3' }, { sha256: 'other' })).toBe(false);
    expect(isSame({ inode: '1:3', size: 0 }, { sha256: 'h', size: 0 })).toBe(false);
  });
  it('accepts files deleted outside the PDA, later only under the same name, but none deleted by the owner', () => {
    const deletedRow: Partial<Row> = { status: 'Deleted', deleted_by: 'outside', deleted: NOW - 60_000, inode: '1:3' };
    expect(isSame(deletedRow, { sha256: 'h' })).toBe(true);
    expect(isSame({ ...deletedRow, deleted: NOW - 86_400_000 }, { sha256: 'h' })).toBe(false);
    expect(isSame({ ...deletedRow, deleted: NOW - 86_400_000 }, { sha256: 'h', name: 'a.txt' })).toBe(true);
    expect(isSame({ ...deletedRow, deleted_by: 'owner' }, { sha256: 'h', name: 'a.txt' })).toBe(false);
    expect(isSame({ status: 'New' }, { sha256: 'h' })).toBe(false);
  });
});
