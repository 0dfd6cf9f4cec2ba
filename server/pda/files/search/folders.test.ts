import { afterEach, describe, expect, it, vi } from 'vitest';
import DatabaseConstructor from 'better-sqlite3';
import type { Database } from '../../storage/index.ts';
import { fileFolders } from '../../storage/migrations/0031-file-folders.ts';
import { pathBounds } from '../rules.ts';
import { createFolderStore } from './folders.ts';

const databases: Database[] = [];
const openStore = (paths: readonly string[]) => {
  const db = new DatabaseConstructor(':memory:');
  databases.push(db);
  db.exec(`CREATE TABLE files (seq INTEGER PRIMARY KEY, status TEXT NOT NULL, path TEXT UNIQUE);${fileFolders}`);
  const insert = db.prepare("INSERT INTO files (status, path) VALUES ('Completed', ?)");
  db.transaction(() => paths.forEach((path) => insert.run(path)))();
  return { db, store: createFolderStore(db) };
};
afterEach(() => databases.splice(0).forEach((db) => db.close()));

describe('the list of subfolders', () => {
  const paths = [
    'top.txt',
    'a/1.txt',
    'a/2.txt',
    'a/deep/er/3.txt',
    'a b/4.txt',
    'a!/5.txt',
    'a0/6.txt',
    'Ärger/7.txt',
    '😀/8.txt',
    "it's 100 %/_/9.txt",
  ];

  it('lists each subfolder once, whatever its name', () => {
    const { store } = openStore(paths);
    expect(store.subfolders('', 100).toSorted()).toEqual(
      ['a', 'a b', 'a!', 'a0', 'Ärger', '😀', "it's 100 %"].toSorted(),
    );
    expect(store.subfolders('a', 100)).toEqual(['deep']);
    expect(store.subfolders('a/deep', 100)).toEqual(['er']);
    expect(store.subfolders('a/deep/er', 100)).toEqual([]);
    expect(store.subfolders('none', 100)).toEqual([]);
  });

  it('returns at most the requested number', () => {
    const { store } = openStore(paths);
    expect(store.subfolders('', 3)).toHaveLength(3);
  });

  it('ignores deleted files', () => {
    const { db, store } = openStore(paths);
    db.exec("UPDATE files SET status = 'Deleted' WHERE path LIKE 'a/deep/%'");
    expect(store.subfolders('a', 100)).toEqual([]);
  });

  it('is read by seeking in the index, never by scanning the files', () => {
    const { db } = openStore(paths);
    const prepare = vi.spyOn(db, 'prepare');
    createFolderStore(db);
    const sql = prepare.mock.calls[0]?.[0] ?? '';
    const plan = db.prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
    const plans = plan.all({ lower: '', upper: '', take: 1 }).map(({ detail }) => detail);
    const reads = plans.filter((detail) => detail.includes(' f '));
    expect(reads.length).toBeGreaterThan(0);
    for (const detail of reads) expect(detail).toMatch(/^SEARCH f USING (?:COVERING )?INDEX files_by_folder/u);
  });
});

describe('bounds of paths', () => {
  it('contain the files of a folder and of its subfolders only', () => {
    const { lower, upper } = pathBounds('a');
    const isInside = (path: string): boolean => path >= lower && path < upper;
    expect(['a/x', 'a/b/c', 'a', 'a b/x', 'a0/x', 'b/x'].map(isInside)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
