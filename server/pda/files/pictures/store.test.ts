import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createPictureStore, PLACE_COUNT_FILES_MAX, type PictureStore } from './store.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

const NO_SEARCH = { clausesOf: () => ({ from: 'files f', where: '0', values: {} }) };
const TRIP = '00000000-0000-4000-8000-000000000001';

let db: Database.Database;
let insert: Database.Statement;
let pictures: PictureStore;
beforeEach(() => {
  db = new Database(':memory:');
  migrate(db);
  insert = db.prepare(
    `INSERT INTO files (seq, id, file_id, name, source, created, updated, added, status, uploader, size, path, kind,
       latitude, longitude, picture_read)
     VALUES (:seq, :id, :id, :id, '', 0, 0, 0, :status, 'folder', 1, :path, :kind, :latitude, :latitude, :read)`,
  );
  pictures = createPictureStore(db, NO_SEARCH);
});
afterEach(() => db.close());

const FILE = { kind: 'image', status: 'Completed', latitude: null, read: 1 };
/** Adds a file whose sequence number is its id. */
const addFile = (seq: number, path: string, file: Partial<Record<keyof typeof FILE, string | number | null>> = {}) =>
  insert.run({ ...FILE, ...file, seq, id: `${seq}`, path });

describe('a count of places', () => {
  it('includes the pictures in a folder and below it', () => {
    addFile(1, 'trip/wall.jpg', { latitude: 52.5 });
    addFile(2, 'trip/plain.jpg');
    addFile(3, 'trip/2024/gate.jpg', { latitude: 52.6 });
    addFile(4, 'trip/notes.txt', { kind: 'text' });
    addFile(5, 'trip/deleted.jpg', { latitude: 52.7, status: 'Deleted' });
    addFile(6, 'trips/other.jpg', { latitude: 52.8 });
    expect(pictures.countPlaces({ folder: 'trip' })).toEqual({ pictures: 3, places: 2, complete: true });
    expect(pictures.countPlaces({ folder: 'nothing' })).toEqual({ pictures: 0, places: 0, complete: true });
  });

  it('includes each listed file once, and only the complete files of a collection', () => {
    addFile(1, 'wall.jpg', { latitude: 52.5 });
    addFile(2, 'plain.jpg');
    addFile(3, 'gate.jpg', { latitude: 52.6, status: 'New' });
    db.prepare("INSERT INTO collections (id, name, name_key, created) VALUES (?, 'Trip', 'trip', 0)").run(TRIP);
    for (const seq of [1, 3])
      db.prepare('INSERT INTO collection_files (collection, position, seq) VALUES (?, ?, ?)').run(TRIP, seq, seq);
    expect(pictures.countPlaces({ fileIds: ['1', '1', '2', 'unknown'] })).toMatchObject({ pictures: 2, places: 1 });
    expect(pictures.countPlaces({ collectionId: TRIP })).toEqual({ pictures: 1, places: 1, complete: true });
  });

  it('is incomplete until all pictures have been read', () => {
    addFile(1, 'trip/new.jpg', { read: 0 });
    expect(pictures.countPlaces({ folder: 'trip' })).toEqual({ pictures: 1, places: 0, complete: false });
    addFile(2, 'text/notes.txt', { kind: 'text', read: 0 });
    expect(pictures.countPlaces({ folder: 'text' })).toMatchObject({ pictures: 0, complete: true });
  });

  it.skipIf(!IS_THOROUGH_RUN)('is incomplete for more than 5,000 files', () => {
    db.transaction(() => {
      for (let seq = 1; seq <= PLACE_COUNT_FILES_MAX; seq += 1) addFile(seq, `trip/${seq}.jpg`, { latitude: 52.5 });
    })();
    expect(pictures.countPlaces({ folder: 'trip' })).toMatchObject({ places: PLACE_COUNT_FILES_MAX, complete: true });
    for (const extra of [1, 2]) addFile(PLACE_COUNT_FILES_MAX + extra, `trip/more-${extra}.jpg`);
    expect(pictures.countPlaces({ folder: 'trip' }).complete).toBe(false);
  });
});
