import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../storage/migrations/migrator.ts';
import { createWriter, type Writer } from '../storage/writer.ts';
import { createEndpointStore, type EndpointStore } from './endpoint-store.ts';

let db: Database.Database;
let writer: Writer;
let endpoints: EndpointStore;
beforeEach(() => {
  db = new Database(':memory:');
  migrate(db);
  writer = createWriter(db);
  endpoints = createEndpointStore(db);
});

const intern = (path: string): Promise<number> => writer.write((tx) => endpoints.intern(tx, path));
const hide = (id: number): Promise<void> => writer.write((tx) => endpoints.hide(tx, id, 'for good'));

describe('the id of an endpoint path', () => {
  it('is assigned once and resolves in both directions', async () => {
    const id = await intern('a/b');
    expect(await intern('a/b')).toBe(id);
    expect([endpoints.find('a/b'), endpoints.pathOf(id)]).toStrictEqual([id, 'a/b']);
    expect(endpoints.find('a/c')).toBeUndefined();
  });

  it('is not cached if its transaction is rolled back', async () => {
    const failedWrite = writer.write((tx) => {
      endpoints.intern(tx, 'a/b');
      throw new Error('undone');
    });
    await expect(failedWrite).rejects.toThrow('undone');
    expect(endpoints.find('a/b')).toBeUndefined();
  });

  it('does not resolve after the endpoint is hidden, and the path gets a new id', async () => {
    const id = await intern('a/b');
    await hide(id);
    expect([endpoints.find('a/b'), endpoints.pathOf(id)]).toStrictEqual([undefined, undefined]);
    expect(await intern('a/b')).not.toBe(id);
    expect(endpoints.pathOf(id)).toBeUndefined();
  });

  it('is not cached if it is assigned and hidden in one transaction, so that no write reaches a deleted endpoint', async () => {
    const id = intern('a/b');
    const pendingHide = writer.write((tx) => endpoints.hide(tx, endpoints.find('a/b') ?? 0, 'for good'));
    await Promise.all([id, pendingHide]);
    expect(endpoints.find('a/b')).toBeUndefined();
    expect(endpoints.pathOf(await id)).toBeUndefined();
  });

  it('is the newer one if it is assigned, hidden and assigned again in one transaction', async () => {
    const firstId = intern('a/b');
    const pendingHide = writer.write((tx) => endpoints.hide(tx, endpoints.find('a/b') ?? 0, 'for good'));
    const secondId = intern('a/b');
    await Promise.all([firstId, pendingHide, secondId]);
    expect(endpoints.find('a/b')).toBe(await secondId);
    expect(await secondId).not.toBe(await firstId);
  });

  it('is restored together with the path', async () => {
    const id = await intern('a/b');
    await hide(id);
    await writer.write((tx) => endpoints.show(tx, id, 'a/b'));
    expect([endpoints.find('a/b'), endpoints.pathOf(id)]).toStrictEqual([id, 'a/b']);
  });
});

describe('dropIfEmpty', () => {
  const drop = (id: number): Promise<void> => writer.write((tx) => endpoints.dropIfEmpty(tx, id));

  it('removes an endpoint without records, and its path gets a new id', async () => {
    const id = await intern('a/b');
    await drop(id);
    expect([endpoints.find('a/b'), endpoints.pathOf(id)]).toStrictEqual([undefined, undefined]);
    expect(db.prepare('SELECT count(*) FROM endpoints').pluck().get()).toBe(0);
    expect(await intern('a/b')).toBeGreaterThan(id);
  });

  it('removes an endpoint that was created in the same transaction, which is then not cached', async () => {
    const id = intern('a/b');
    await Promise.all([id, writer.write((tx) => endpoints.dropIfEmpty(tx, endpoints.find('a/b') ?? 0))]);
    expect(endpoints.find('a/b')).toBeUndefined();
    expect(endpoints.pathOf(await id)).toBeUndefined();
  });

  it.each([
    ['has a record', "INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES (1, 'x', :id, 1, 0, '1')"],
    ['has import keys', "INSERT INTO import_keys (endpoint, key, seq, content) VALUES (:id, x'01', 1, x'01')"],
    ['has a query index', "INSERT INTO query_indexes (name, endpoint, expression) VALUES ('query_1_x', :id, 'x')"],
    [
      'has a shared view',
      `INSERT INTO view_grants (id, user_id, endpoint, kind, name, definition, created)
       VALUES ('x', 'ada', :id, 'table', 'x', '{}', 0)`,
    ],
    ['was deleted and can be restored', "UPDATE endpoints SET path = NULL, deletion = 'x' WHERE id = :id"],
  ])('keeps an endpoint that %s', async (_, sql) => {
    const id = await intern('a/b');
    db.pragma('foreign_keys = OFF');
    db.prepare(sql).run({ id });
    await drop(id);
    expect(db.prepare('SELECT count(*) FROM endpoints').pluck().get()).toBe(1);
  });
});

describe('more endpoints than are cached', () => {
  it('resolve in both directions', async () => {
    const paths = Array.from({ length: 10_050 }, (_, n) => `a/${n}`);
    const ids = await writer.write((tx) => paths.map((path) => endpoints.intern(tx, path)));
    expect(new Set(ids).size).toBe(paths.length);
    expect(paths.map((path) => endpoints.find(path))).toStrictEqual(ids);
    expect(ids.map((id) => endpoints.pathOf(id))).toStrictEqual(paths);
    expect(await writer.write((tx) => paths.map((path) => endpoints.intern(tx, path)))).toStrictEqual(ids);
  });
});
