import Database from 'better-sqlite3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ownerFilesQuery, type OwnerFilesQuery } from '../../../wire/files.ts';
import { createFolderGrantStore } from '../folder-grants/store.ts';
import { createGuestStore } from '../guests/store.ts';
import { createFileSearchStore } from '../search/store.ts';
import { createShareCounts } from '../search/share-counts.ts';
import type { Transaction } from '../../storage/index.ts';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createCollectionGrantStore, createCollectionStore } from './store.ts';

// Tests the order of the files of a collection, who may read the files, and that statements use an index.

const databases: Database.Database[] = [];
afterEach(() => databases.splice(0).forEach((db) => db.close()));

/** Placeholder: the stores ignore the transaction that is passed to them. */
const TX = {} as Transaction;
const USERS = ['grace', 'alan'];
/** Id of the collection in most tests; a UUID, as the schema of queries requires. */
const TRIP = '00000000-0000-4000-8000-000000000001';

/** Creates a database with files `1` to `count`. Their names are their sequence numbers. */
const openDatabase = (count: number) => {
  const db = new Database(':memory:');
  databases.push(db);
  db.pragma('foreign_keys = ON');
  migrate(db);
  const addUser = db.prepare(
    `INSERT INTO users (id, name, name_key, password_hash, enabled, created) VALUES (:id, :id, :id, '', 1, 0)`,
  );
  for (const id of USERS) addUser.run({ id });
  const addFile = db.prepare(
    `INSERT INTO files (seq, id, file_id, name, source, created, updated, added, status, uploader, size, path)
     VALUES (:seq, :seq, :seq, :seq, '', 0, 0, 0, 'Completed', 'folder', 1, 'Trips/' || :seq)`,
  );
  db.transaction(() => {
    for (let seq = 1; seq <= count; seq += 1) addFile.run({ seq });
  })();
  return db;
};

const addCollection = (db: Database.Database, id: string, seqs: readonly number[]) => {
  const store = createCollectionStore(db);
  store.insert(TX, { id, name: id, created: 0 });
  db.transaction(() => {
    for (const seq of seqs) store.addFile(TX, id, seq);
  })();
  return store;
};
const grant = (db: Database.Database, collection: string, user: string) =>
  createCollectionGrantStore(db).insert(TX, {
    id: `${user} ${collection}`,
    user_id: user,
    target: collection,
    created: 0,
  });
const findSeqs = (db: Database.Database, query: Partial<OwnerFilesQuery>): number[] =>
  createFileSearchStore(db, { searchIndexVersion: () => 0 })
    .findOwnerFiles({ ...ownerFilesQuery.parse({}), collection: TRIP, ...query })
    .rows.map(({ seq }) => seq);
const seqsOfUser = (db: Database.Database, userId: string, take = 100): number[] =>
  createFileSearchStore(db, { searchIndexVersion: () => 0 })
    .listByTemplate({}, { kind: 'user', userId }, { after: 0, skip: 0, take })
    .map(({ seq }) => seq);

describe('a collection', () => {
  it('lists its files page by page, the last added first', () => {
    const db = openDatabase(5);
    const store = addCollection(db, TRIP, [3, 1, 5, 3]);
    const seqs = (page: Parameters<typeof store.files>[1]) => store.files(TRIP, page).map(({ seq }) => seq);
    expect(seqs({ take: 9 })).toEqual([5, 1, 3]);
    expect(seqs({ skip: 1, take: 1 })).toEqual([1]);
    const [firstRow] = store.files(TRIP, { take: 1 });
    expect(seqs({ before: firstRow?.position, take: 9 })).toEqual([1, 3]);
    store.removeFile(TX, TRIP, 3);
    store.addFile(TX, TRIP, 3);
    expect(seqs({ take: 9 })).toEqual([3, 5, 1]);
    expect(findSeqs(db, {})).toEqual([3, 5, 1]);
    expect(findSeqs(db, { order: 'ascending' })).toEqual([1, 5, 3]);
    expect(findSeqs(db, { sort: 'name', order: 'ascending' })).toEqual([1, 3, 5]);
  });

  it('excludes deleted files, includes restored files again, and forgets erased files', () => {
    const db = openDatabase(3);
    const store = addCollection(db, TRIP, [1, 2, 3]);
    const seqs = () => store.files(TRIP, { take: 9 }).map(({ seq }) => seq);
    db.exec("UPDATE files SET status = 'Deleted' WHERE seq = 2");
    expect([seqs(), store.countFiles(TRIP, 9)]).toEqual([[3, 1], 2]);
    db.exec("UPDATE files SET status = 'Completed' WHERE seq = 2");
    expect([seqs(), store.countFiles(TRIP, 9)]).toEqual([[3, 2, 1], 3]);
    db.exec('DELETE FROM files WHERE seq = 2');
    expect(seqs()).toEqual([3, 1]);
  });

  it('is found by its name regardless of case', () => {
    const store = addCollection(openDatabase(0), 'Ärger im Straßenverkehr', []);
    expect(store.findByName('ÄRGER  IM STRASSENVERKEHR')?.name).toBe('Ärger im Straßenverkehr');
    expect(store.findByName('Arger im Strassenverkehr')).toBeUndefined();
  });

  it('is shared while a grant, link or unused invitation refers to it; grants and links are deleted with it', () => {
    const db = openDatabase(1);
    const store = addCollection(db, TRIP, [1]);
    expect(store.isShared(TRIP)).toBe(false);
    grant(db, TRIP, 'grace');
    expect(store.isShared(TRIP)).toBe(true);
    db.exec('DELETE FROM collection_grants');
    const addInvitation = db.prepare(
      "INSERT INTO invitations (id, token_hash, name, created, expires, collection) VALUES ('i', 'i', 'i', 0, 0, ?)",
    );
    addInvitation.run(TRIP);
    expect(store.isShared(TRIP)).toBe(true);
    db.exec('UPDATE invitations SET revoked = 1');
    expect(store.isShared(TRIP)).toBe(false);
    db.prepare(
      "INSERT INTO share_links (id, token, name, collection, created, view_only) VALUES ('l', 'l', 'l', ?, 0, 0)",
    ).run(TRIP);
    expect(store.isShared(TRIP)).toBe(true);
    grant(db, TRIP, 'grace');
    store.remove(TX, TRIP);
    const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    expect(['collection_grants', 'share_links', 'collection_files', 'files'].map(count)).toEqual([0, 0, 0, 1]);
    expect(db.prepare('SELECT collection FROM invitations').pluck().get()).toBeNull();
  });
});

describe('a collection that is shared with a user', () => {
  it('grants access to its files and no others, and lists contain only complete files', () => {
    const db = openDatabase(4);
    addCollection(db, TRIP, [1, 3, 4]);
    addCollection(db, 'other', [2]);
    grant(db, TRIP, 'grace');
    grant(db, 'other', 'alan');
    db.exec("UPDATE files SET status = 'Deleted', path = NULL WHERE seq = 4");
    const grants = createCollectionGrantStore(db);
    expect([1, 2, 3].filter((seq) => grants.includes('grace', seq))).toEqual([1, 3]);
    expect(grants.listGrantsContaining(3).map(({ user_id: userId }) => userId)).toEqual(['grace']);
    expect(seqsOfUser(db, 'grace')).toEqual([1, 3]);
    expect(seqsOfUser(db, 'alan')).toEqual([2]);
    const guests = createGuestStore(db);
    expect(guests.readableFiles('grace', 9).map(({ seq }) => seq)).toEqual([1, 3]);
    expect(guests.countReadable('grace', 9)).toBe(2);
    expect(findSeqs(db, { collection: undefined, show: 'shared', order: 'ascending' })).toEqual([1, 2, 3]);
    expect(findSeqs(db, { visibleTo: 'alan' })).toEqual([]);
    expect(findSeqs(db, { visibleTo: 'grace' })).toEqual([3, 1]);
    expect(findSeqs(db, { visibleTo: 'grace', show: 'deleted' })).toEqual([]);
  });

  it('counts a file once, however many folders, collections and grants contain it', () => {
    const db = openDatabase(4);
    addCollection(db, TRIP, [1, 2]);
    addCollection(db, 'other', [2, 3]);
    addCollection(db, 'empty', []);
    grant(db, TRIP, 'grace');
    grant(db, 'other', 'grace');
    grant(db, 'empty', 'alan');
    db.exec("INSERT INTO file_grants (seq, user_id, content) VALUES (1, 'grace', 0), (4, 'grace', 0)");
    const counts = createShareCounts(db);
    const grace = { userId: 'grace', files: 4, readable: 3, folders: 0, collections: 2 };
    const alan = { userId: 'alan', files: 0, readable: 0, folders: 0, collections: 1 };
    expect(counts.readers()).toEqual([grace, alan]);
    expect([counts.countSharedFiles(), counts.countAccessibleFiles()]).toEqual([4, 4]);
    createFolderGrantStore(db).insert(TX, { id: 'f', user_id: 'grace', target: 'Trips', created: 0 });
    expect(counts.readers()).toEqual([{ ...grace, readable: 4, folders: 1 }, alan]);
    expect(counts.countSharedFiles()).toBe(4);
    db.exec("UPDATE users SET enabled = 0 WHERE id = 'grace'");
    expect(counts.countAccessibleFiles()).toBe(0);
  });

  it('is searched completely, in the order of the files, even with many files', () => {
    const db = openDatabase(5600);
    const sharedSeqs = Array.from({ length: 5600 }, (_, index) => index + 1).filter((seq) => seq % 10 > 0);
    addCollection(db, TRIP, sharedSeqs.toReversed());
    grant(db, TRIP, 'grace');
    expect(seqsOfUser(db, 'grace', 6000)).toEqual(sharedSeqs);
    expect(findSeqs(db, { take: 6000 })).toEqual(sharedSeqs);
  });
});

/** Matches steps of query plans that seek files in an index, or read a set that is already built. */
const SEEK = /^(?:SEARCH (?:f|files) USING|USING |LIST |CORRELATED |SCALAR )/u;

describe('the table of files', () => {
  it('is never scanned for a collection: each statement seeks in an index', () => {
    const db = openDatabase(0);
    const prepare = vi.spyOn(db, 'prepare');
    createCollectionStore(db);
    createCollectionGrantStore(db);
    createGuestStore(db);
    createShareCounts(db);
    findSeqs(db, {});
    findSeqs(db, { collection: undefined, visibleTo: 'grace' });
    seqsOfUser(db, 'grace');
    const statements = prepare.mock.calls.map(([sql]) => sql).filter((sql) => /\bcollection/u.test(sql));
    expect(statements.length).toBeGreaterThan(20);
    for (const sql of statements.filter((text) => !/^(?:INSERT|DELETE|UPDATE)/u.test(text))) {
      // Placeholders may stay unbound: the plan does not depend on their values.
      const statement = sql.replaceAll(/:\w+|\?/gu, 'NULL');
      const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${statement}`).all();
      const reads = plan.map(({ detail }) => detail).filter((detail) => / (?:f|files|m)\b/u.test(detail));
      for (const detail of reads) expect(detail.replace(/ m /u, ' f '), sql).toMatch(SEEK);
    }
  });
});
