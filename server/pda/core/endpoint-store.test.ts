import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../storage/migrations/migrator.ts';
import { createWriter, type Writer } from '../storage/writer.ts';
import { createEndpointStore, type EndpointStore } from './endpoint-store.ts';

let writer: Writer;
let endpoints: EndpointStore;
beforeEach(() => {
  const db = new Database(':memory:');
  migrate(db);
  writer = createWriter(db);
  endpoints = createEndpointStore(db);
});

const intern = (path: string): Promise<number> => writer.write((tx) => endpoints.intern(tx, path));
const hide = (id: number): Promise<void> => writer.write((tx) => endpoints.hide(tx, id, 'for good'));

describe('the number of a path', () => {
  it('is made once, and found from then on, both ways', async () => {
    const id = await intern('a/b');
    expect(await intern('a/b')).toBe(id);
    expect([endpoints.find('a/b'), endpoints.pathOf(id)]).toStrictEqual([id, 'a/b']);
    expect(endpoints.find('a/c')).toBeUndefined();
  });

  it('is forgotten when the write that made it is undone', async () => {
    const failing = writer.write((tx) => {
      endpoints.intern(tx, 'a/b');
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    expect(endpoints.find('a/b')).toBeUndefined();
  });

  it('is gone when the endpoint is hidden, and another one is made for the same path', async () => {
    const id = await intern('a/b');
    await hide(id);
    expect([endpoints.find('a/b'), endpoints.pathOf(id)]).toStrictEqual([undefined, undefined]);
    expect(await intern('a/b')).not.toBe(id);
    expect(endpoints.pathOf(id)).toBeUndefined();
  });

  it('is gone though it was made and hidden in one transaction: a wrong hit would write into what was deleted', async () => {
    const made = intern('a/b');
    const hidden = writer.write((tx) => endpoints.hide(tx, endpoints.find('a/b') ?? 0, 'for good'));
    await Promise.all([made, hidden]);
    expect(endpoints.find('a/b')).toBeUndefined();
    expect(endpoints.pathOf(await made)).toBeUndefined();
  });

  it('is the newer one when it was made, hidden and made again in one transaction', async () => {
    const made = intern('a/b');
    const hidden = writer.write((tx) => endpoints.hide(tx, endpoints.find('a/b') ?? 0, 'for good'));
    const again = intern('a/b');
    await Promise.all([made, hidden, again]);
    expect(endpoints.find('a/b')).toBe(await again);
    expect(await again).not.toBe(await made);
  });

  it('comes back with its path', async () => {
    const id = await intern('a/b');
    await hide(id);
    await writer.write((tx) => endpoints.show(tx, id, 'a/b'));
    expect([endpoints.find('a/b'), endpoints.pathOf(id)]).toStrictEqual([id, 'a/b']);
  });
});
