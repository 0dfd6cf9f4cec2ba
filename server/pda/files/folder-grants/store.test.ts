import Database from 'better-sqlite3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ownerFilesQuery } from '../../../wire/files.ts';
import { createGuestStore } from '../guests/store.ts';
import { createFileSearchStore } from '../search/store.ts';
import { createShareCounts } from '../search/share-counts.ts';
import { createFileStore } from '../store.ts';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createFolderGrantStore } from './store.ts';

// Tests who may read the files of shared folders, and that statements use an index.

const databases: Database.Database[] = [];
afterEach(() => databases.splice(0).forEach((db) => db.close()));

const USERS = ['grace', 'alan'];

/** Creates a database with these files. Sequence numbers follow the order of the paths, from 1. */
const openDatabase = (paths: readonly string[], grants: readonly [user: string, folder: string][] = []) => {
  const db = new Database(':memory:');
  databases.push(db);
  migrate(db);
  const addUser = db.prepare(
    `INSERT INTO users (id, name, name_key, password_hash, enabled, created) VALUES (:id, :id, :id, '', 1, 0)`,
  );
  for (const id of USERS) addUser.run({ id });
  const addFile = db.prepare(
    `INSERT INTO files (seq, id, file_id, name, source, created, updated, added, status, uploader, size, path)
     VALUES (:seq, :seq, :seq, :path, '', 0, 0, 0, 'Completed', 'folder', 1, :path)`,
  );
  const addGrant = db.prepare('INSERT INTO folder_grants (id, user_id, folder, created) VALUES (?, ?, ?, 0)');
  db.transaction(() => {
    paths.forEach((path, index) => addFile.run({ seq: index + 1, path }));
    grants.forEach(([user, folder], index) => addGrant.run(`grant ${index}`, user, folder));
  })();
  return db;
};

const PATHS = [
  'top.txt',
  'Trips/a.txt',
  'Trips/2024/b.txt',
  'Trips 2/c.txt',
  'Trips0/d.txt',
  'trips/e.txt',
  '100 %/f.txt',
  '_/g.txt',
  'x/h.txt',
  'Ärger/😀/i.txt',
];

describe('a shared folder', () => {
  it.each([
    ['Trips', ['Trips/a.txt', 'Trips/2024/b.txt']],
    ['Trips/2024', ['Trips/2024/b.txt']],
    ['Trips/', []],
    ['100 %', ['100 %/f.txt']],
    ['%', []],
    ['_', ['_/g.txt']],
    ['Ärger', ['Ärger/😀/i.txt']],
    ['Ärger/😀', ['Ärger/😀/i.txt']],
    ['none', []],
  ])('%s contains the files below it in every check and every list', (folder, expected) => {
    const db = openDatabase(PATHS, [['grace', folder]]);
    const grants = createFolderGrantStore(db);
    expect(PATHS.filter((path) => grants.includes('grace', path))).toEqual(expected);
    expect(PATHS.filter((path) => grants.includes('alan', path))).toEqual([]);
    expect(PATHS.filter((path) => grants.listGrantsContaining(path).length > 0)).toEqual(expected);
    const search = createFileSearchStore(db, { searchIndexVersion: () => 0 });
    const page = { after: 0, skip: 0, take: 100 };
    const grantedFiles = search.listByTemplate({}, { kind: 'user', userId: 'grace' }, page);
    expect(grantedFiles.map(({ path }) => path)).toEqual(expected);
    expect(search.listByTemplate({}, { kind: 'user', userId: 'alan' }, page)).toEqual([]);
    const guests = createGuestStore(db);
    expect(guests.readableFiles('grace', 100).map(({ path }) => path)).toEqual(expected.toSorted());
    expect(guests.countReadable('grace', 100)).toBe(expected.length);
    expect(createFileStore(db).countCompleteFilesBelow(folder, 100)).toBe(expected.length);
    expect(createShareCounts(db).countSharedFiles()).toBe(expected.length);
  });

  it('counts a file once, however many folders and grants contain it', () => {
    const db = openDatabase(PATHS, [
      ['grace', 'Trips'],
      ['grace', 'Trips/2024'],
      ['alan', 'Trips'],
      ['alan', '_'],
    ]);
    db.exec("INSERT INTO file_grants (seq, user_id, content) VALUES (1, 'grace', 0), (2, 'grace', 1), (2, 'alan', 0)");
    const counts = createShareCounts(db);
    expect(counts.readers()).toEqual([
      { userId: 'grace', files: 3, readable: 2, folders: 2, collections: 0 },
      { userId: 'alan', files: 3, readable: 3, folders: 2, collections: 0 },
    ]);
    expect(counts.countSharedFiles()).toBe(4);
    expect(counts.countAccessibleFiles()).toBe(4);
    db.exec("UPDATE users SET enabled = 0 WHERE id = 'alan'");
    expect(counts.countAccessibleFiles()).toBe(3);
    expect(createGuestStore(db).countReadable('grace', 100)).toBe(2);
  });

  it('contains no deleted files, and no files that are not complete yet', () => {
    const db = openDatabase(PATHS, [['grace', 'Trips']]);
    db.exec(
      "UPDATE files SET status = 'New' WHERE seq = 2; UPDATE files SET status = 'Deleted', path = NULL WHERE seq = 3",
    );
    const search = createFileSearchStore(db, { searchIndexVersion: () => 0 });
    expect(search.listByTemplate({}, { kind: 'user', userId: 'grace' }, { after: 0, skip: 0, take: 9 })).toEqual([]);
    expect(createGuestStore(db).readableFiles('grace', 9)).toEqual([]);
    expect(createFileStore(db).countCompleteFilesBelow('Trips', 9)).toBe(0);
  });

  it('is searched completely, in the order of the files, even with many files', () => {
    const paths = Array.from({ length: 12_000 }, (_, index) =>
      index % 2 === 0 ? `big/${index}.txt` : `other/${index}.txt`,
    );
    const db = openDatabase(paths, [['grace', 'big']]);
    db.exec(
      "INSERT INTO file_grants (seq, user_id, content) VALUES (2, 'grace', 1); UPDATE files SET public = 1 WHERE seq = 4",
    );
    const search = createFileSearchStore(db, { searchIndexVersion: () => 0 });
    const foundFiles = search.listByTemplate(
      {},
      { kind: 'user', userId: 'grace' },
      { after: 0, skip: 0, take: 12_000 },
    );
    expect(foundFiles).toHaveLength(6002);
    expect(foundFiles.slice(0, 4).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    const query = ownerFilesQuery.parse({ visibleTo: '00000000-0000-4000-8000-000000000000' });
    // The count excludes the public file, which is not shared with this user in particular.
    expect(search.findOwnerFiles({ ...query, visibleTo: 'grace' }).total.files).toBe(6001);
  });
});

/** Matches steps of query plans that seek files in an index, or read a set that is already built. */
const SEEK =
  /^(?:SEARCH (?:f|files) USING (?:INTEGER PRIMARY KEY|(?:COVERING )?INDEX (?:files_by_folder|files_amounts|files_public)) |SEARCH f USING COVERING INDEX files_by_status \(status=\? AND rowid=\?\)|USING |LIST |CORRELATED |SCALAR )/u;

describe('the table of files', () => {
  it('is never scanned for a shared folder: each statement seeks in an index', () => {
    const db = openDatabase([]);
    const prepare = vi.spyOn(db, 'prepare');
    createFolderGrantStore(db);
    createGuestStore(db);
    createShareCounts(db);
    const search = createFileSearchStore(db, { searchIndexVersion: () => 0 });
    const query = ownerFilesQuery.parse({});
    search.findOwnerFiles({ ...query, visibleTo: 'grace' });
    search.findOwnerFiles({ ...query, show: 'shared' });
    search.listByTemplate({}, { kind: 'user', userId: 'grace' }, { after: 0, skip: 0, take: 1 });
    const statements = prepare.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('folder_grants'));
    expect(statements.length).toBeGreaterThan(10);
    for (const sql of statements.filter((text) => !/^(?:INSERT|DELETE)/u.test(text))) {
      // Placeholders may stay unbound: the plan does not depend on their values.
      const unboundSql = sql.replaceAll(/:\w+|\?/gu, 'NULL');
      const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${unboundSql}`).all();
      const reads = plan.map(({ detail }) => detail).filter((detail) => / (?:f|files)\b/u.test(detail));
      for (const detail of reads) expect(detail, sql).toMatch(SEEK);
    }
  });
});
