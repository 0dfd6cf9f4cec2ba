import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createGuestStore, type GuestStore } from './store.ts';

const FILE_COUNT = 250;

let store: GuestStore;
beforeEach(() => {
  const db = new Database(':memory:');
  migrate(db);
  const addFile = db.prepare(
    `INSERT INTO files (seq, id, file_id, name, source, created, updated, added, status, uploader)
     VALUES (?, ?, ?, ?, 'pictures', 0, 0, 0, ?, 'owner')`,
  );
  const addGrant = db.prepare('INSERT INTO file_grants (seq, user_id, content) VALUES (?, ?, ?)');
  for (let seq = 1; seq <= FILE_COUNT; seq += 1) {
    addFile.run(seq, `id ${seq}`, `file ${seq}`, `name ${seq % 7}`, seq % 50 === 0 ? 'Deleted' : 'Completed');
    addGrant.run(seq, 'grace', seq % 2);
    if (seq <= 10) addGrant.run(seq, 'alan', 1);
  }
  store = createGuestStore(db);
});

describe('the files of a user', () => {
  it('are listed page by page without gaps or repetitions, the newest first, and without deleted files', () => {
    const seqs: number[] = [];
    for (let skip = 0; ; skip += 100) {
      const page = store.grantedFiles('grace', { skip, take: 100 });
      if (page.length === 0) break;
      seqs.push(...page.map(({ seq }) => seq));
    }
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => b - a));
    expect(seqs).toHaveLength(FILE_COUNT - FILE_COUNT / 50);
  });

  it('exclude the files of other users', () => {
    expect(store.grantedFiles('alan', { skip: 0, take: 100 })).toHaveLength(10);
    expect(store.grantedFiles('unknown', { skip: 0, take: 100 })).toEqual([]);
    expect(store.readableFiles('unknown', 100)).toEqual([]);
  });

  it('are readable if their content was shared, up to a limit', () => {
    const readableFiles = store.readableFiles('grace', 1000);
    expect(readableFiles).toHaveLength(FILE_COUNT / 2);
    expect(readableFiles.every(({ seq }) => seq % 2 === 1)).toBe(true);
    expect(store.readableFiles('grace', 3)).toHaveLength(3);
  });
});
