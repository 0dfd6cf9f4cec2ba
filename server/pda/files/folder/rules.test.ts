import { describe, expect, it } from 'vitest';
import { isClosedFolder, isPassedOver, isRemounted, isSameFile, restLeft, type Found } from './rules.ts';

const NOW = Date.UTC(2026, 0, 1);
const found: Found = { kind: 'file', size: 5, modified: '7', inode: '1:2', links: 1, changed: NOW };
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
const same = (given: Partial<Row>, more: { sha256?: string; name?: string; size?: number } = {}): boolean =>
  isSameFile(
    { ...row, ...given },
    { ...found, size: more.size ?? found.size },
    { name: more.name ?? 'b.txt', sha256: more.sha256, now: NOW },
  );

describe('which names count', () => {
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
  ])('%j does not', (path) => {
    expect(isPassedOver(path)).toBe(true);
  });
  it.each(['a.txt', 'a b/c.d/e', 'tmp', 'part', 'a.tmp/b', 'a~/b', 'x.ini', '~a', 'template.tmpl'])(
    '%j does',
    (path) => {
      expect(isPassedOver(path)).toBe(false);
    },
  );
  it('folders are closed by their own names only', () => {
    expect(['a', 'a.part', 'a~', '.git', 'a/.b', 'lost+found'].map(isClosedFolder)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
  });
});

describe('how long a file has to be left alone', () => {
  it('is counted from its last change, and is longer for large ones', () => {
    expect(restLeft({ size: 1, changed: NOW - 500 }, NOW, 0, 2000)).toBe(1500);
    expect(restLeft({ size: 1, changed: NOW - 2000 }, NOW, 0, 2000)).toBe(0);
    expect(restLeft({ size: 1_000_000_000, changed: NOW }, NOW, 0, 2000)).toBe(7000);
    expect(restLeft({ size: 1e15, changed: NOW }, NOW, 0, 2000)).toBe(22_000);
  });
  it('is counted from when it was seen, where its times lie in the future', () => {
    expect(restLeft({ size: 1, changed: NOW + 1e9 }, NOW, 0, 2000)).toBe(2000);
    expect(restLeft({ size: 1, changed: NOW + 1e9 }, NOW, 2000, 2000)).toBe(0);
  });
});

describe('whether a file is one that was elsewhere', () => {
  it('is known by all of its looks', () => {
    expect(same({})).toBe(true);
    expect(same({ modified: '8' })).toBe(false);
    expect(same({ inode: '1:3' })).toBe(false);
    expect(same({ moving: 1 })).toBe(false);
    expect(same({ size: 6 }, { sha256: 'h' })).toBe(false);
  });
  it('is unchanged on a disk with another number only when all else is equal', () => {
    expect(isRemounted({ ...row, inode: '9:2' }, found)).toBe(true);
    expect(isRemounted({ ...row, inode: '9:3' }, found)).toBe(false);
    expect(isRemounted({ ...row, inode: '9:2', modified: '8' }, found)).toBe(false);
    expect(isRemounted({ ...row, inode: '9:2', size: 6 }, found)).toBe(false);
  });
  it('or by its content', () => {
    expect(same({ modified: '8' }, { sha256: 'h' })).toBe(true);
    expect(same({ modified: '8', inode: '1:3' }, { sha256: 'h' })).toBe(true);
    expect(same({ modified: '8', inode: '1:3' }, { sha256: 'other' })).toBe(false);
    expect(same({ inode: '1:3', size: 0 }, { sha256: 'h', size: 0 })).toBe(false);
  });
  it('also when it was marked as gone; but of old ones only under its name, and never what its owner deleted', () => {
    const gone: Partial<Row> = { status: 'Deleted', deleted_by: 'outside', deleted: NOW - 60_000, inode: '1:3' };
    expect(same(gone, { sha256: 'h' })).toBe(true);
    expect(same({ ...gone, deleted: NOW - 86_400_000 }, { sha256: 'h' })).toBe(false);
    expect(same({ ...gone, deleted: NOW - 86_400_000 }, { sha256: 'h', name: 'a.txt' })).toBe(true);
    expect(same({ ...gone, deleted_by: 'owner' }, { sha256: 'h', name: 'a.txt' })).toBe(false);
    expect(same({ status: 'New' }, { sha256: 'h' })).toBe(false);
  });
});
