import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataAt, errorOf, recordsOf, startTestPda, type TestPda } from '../../../tests/support/test-pda.ts';
import type { Reply } from '../../../tests/support/http.ts';
import { deletionSchema, endpointSummarySchema } from '../../wire/owner.ts';

const DAY = 86_400_000;
const DELETIONS = '/api/v2.6/owner/deletions';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let pda: TestPda;
beforeEach(async () => {
  pda = await startTestPda();
});
afterEach(() => pda.close());

const create = async (endpoint: string, values: unknown[], query = ''): Promise<string[]> =>
  recordsOf(await pda.call('POST', `/api/v2.6/data/${endpoint}${query}`, { json: values })).map(
    (record) => record.recordId,
  );
const remove = async (json: unknown): Promise<string> => {
  const reply = await pda.call('POST', DELETIONS, { json });
  expect(reply.status).toBe(201);
  return deletionSchema.parse(reply.json).deletionId;
};
const undo = (id: string): Promise<Reply> => pda.call('POST', `${DELETIONS}/${id}/undo`);
const read = async (endpoint: string): Promise<string> =>
  (await pda.call('GET', `/api/v2.6/data/${endpoint}?meta=true`)).text;
const summaries = async () =>
  endpointSummarySchema.array().parse((await pda.call('GET', '/api/v2.6/owner/endpoints')).json);

describe('deleted records', () => {
  it('are gone at once, and come back as they were: ids, data, dates and places', async () => {
    const ids = await create('d/one', [1, { two: 2 }, 3]);
    await create('d/two', ['x']);
    pda.clock.advance(1000);
    await pda.call('PUT', '/api/v2.6/data', {
      json: [{ endpoint: 'd/one', recordId: ids[1], data: { two: 'changed' } }],
    });
    const before = [await read('d/one'), await read('d/two'), await summaries()];
    const id = await remove({ records: [ids[1], ids[0]] });
    expect(await dataAt(pda, 'd/one')).toStrictEqual([3]);
    expect((await pda.call('GET', `/api/v2.6/data-record/${ids[1]}`)).status).toBe(400);
    expect((await undo(id)).status).toBe(200);
    const [first, second] = await summaries();
    expect([await read('d/one'), await read('d/two')]).toStrictEqual(before.slice(0, 2));
    expect([first?.records, first?.bytes, second?.records]).toStrictEqual([3, '1{"two":"changed"}3'.length, 1]);
  });

  it('are told of with how many, since when and until when', async () => {
    const [first, second] = await create('d/one', [1, 2]);
    const reply = await pda.call('POST', DELETIONS, { json: { records: [first, second, second?.toUpperCase()] } });
    const now = pda.clock.now();
    expect(deletionSchema.parse(reply.json)).toMatchObject({
      endpoint: null,
      records: 2,
      deleted: new Date(now).toISOString(),
      until: new Date(now + DAY).toISOString(),
    });
    expect((await pda.call('GET', DELETIONS)).json).toStrictEqual([reply.json]);
  });

  it('are deleted all or none', async () => {
    const [first] = await create('d/one', [1, 2]);
    const reply = await pda.call('POST', DELETIONS, { json: { records: [first, UNKNOWN] } });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'data_missing']);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1, 2]);
    expect((await pda.call('GET', DELETIONS)).json).toStrictEqual([]);
  });

  it('come back once', async () => {
    const id = await remove({ records: await create('d/one', [1]) });
    expect((await undo(id)).status).toBe(200);
    const again = await undo(id);
    expect([again.status, errorOf(again).error]).toStrictEqual([404, 'not_found']);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1]);
    expect((await undo(UNKNOWN)).status).toBe(404);
  });

  it('come back once though two ask at the same moment', async () => {
    const id = await remove({ records: await create('d/one', [1]) });
    const statuses = (await Promise.all([undo(id), undo(id)])).map((reply) => reply.status);
    expect(new Set(statuses)).toStrictEqual(new Set([200, 404]));
  });

  it('find their place between those that came meanwhile', async () => {
    const ids = await create('d/one', [1, 2]);
    const id = await remove({ records: [ids[0]] });
    await create('d/one', [3]);
    await undo(id);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1, 2, 3]);
  });

  it('come back to an endpoint that was deleted and begun anew meanwhile', async () => {
    const ids = await create('d/one', [1, 2]);
    const id = await remove({ records: [ids[0]] });
    await pda.call('DELETE', '/api/v2.6/data/d/one');
    await pda.pda.deletions.sweep();
    await undo(id);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1]);
    await create('d/one', [3]);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1, 3]);
  });

  it('count as not there for skipErrors, and again once they are back', async () => {
    const ids = await create('d/one', [1, 2], '?skipErrors=true');
    const id = await remove({ records: [ids[0]] });
    expect(await create('d/one', [2], '?skipErrors=true')).toHaveLength(0);
    await undo(id);
    expect(await create('d/one', [1, 2], '?skipErrors=true')).toHaveLength(0);
  });
});

describe('a deleted endpoint', () => {
  it('is gone at once, and comes back whole', async () => {
    await create('d/one', [1, 2, 3]);
    const before = await read('d/one');
    const [summary] = await summaries();
    const id = await remove({ endpoint: 'd/one' });
    expect(await dataAt(pda, 'd/one')).toStrictEqual([]);
    expect(await summaries()).toStrictEqual([]);
    expect((await pda.call('GET', DELETIONS)).json).toMatchObject([{ endpoint: 'd/one', records: 3 }]);
    expect((await undo(id)).status).toBe(200);
    expect(await read('d/one')).toBe(before);
    expect((await summaries())[0]).toMatchObject({ records: 3, bytes: summary?.bytes });
  });

  it('is together with what came to its path meanwhile once it is back', async () => {
    await create('d/one', ['old1', 'old2'], '?skipErrors=true');
    const id = await remove({ endpoint: 'd/one' });
    await create('d/one', ['new1'], '?skipErrors=true');
    await undo(id);
    expect(await dataAt(pda, 'd/one')).toStrictEqual(['old1', 'old2', 'new1']);
    expect((await summaries())[0]).toMatchObject({ endpoint: 'd/one', records: 3, bytes: '"old1""old2""new1"'.length });
    expect(await create('d/one', ['old1', 'old2', 'new1', 'new2'], '?skipErrors=true')).toHaveLength(1);
    await pda.pda.deletions.sweep();
    expect(await dataAt(pda, 'd/one')).toStrictEqual(['old1', 'old2', 'new1', 'new2']);
  });

  it('keeps its counts right though something came to its path in the very transaction of the undo', async () => {
    const origin = { kind: 'owner', name: 'owner' } as const;
    await create('d/one', [1]);
    const id = await remove({ endpoint: 'd/one' });
    await create('d/one', [2]);
    const { records, deletions } = pda.pda;
    await Promise.all([
      records.create([{ endpoint: 'd/one', data: '3' }], origin),
      deletions.undo(id, origin),
      records.create([{ endpoint: 'd/one', data: '4' }], origin),
    ]);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1, 2, 3, 4]);
    expect((await summaries())[0]).toMatchObject({ records: 4, bytes: 4 });
    const page = await pda.call('GET', '/api/v2.6/data/d/one?ordering=descending&skip=1&take=2');
    expect(recordsOf(page).map((record) => record.data)).toStrictEqual([3, 2]);
  });

  it('can be deleted and begun anew several times, and each comes back', async () => {
    const ids: string[] = [];
    for (const value of ['a', 'b', 'c']) {
      await create('d/one', [value]);
      ids.push(await remove({ endpoint: 'd/one' }));
    }
    for (const id of [ids[1] ?? '', ids[0] ?? '', ids[2] ?? '']) expect((await undo(id)).status).toBe(200);
    expect(await dataAt(pda, 'd/one')).toStrictEqual(['a', 'b', 'c']);
    expect((await summaries())[0]?.records).toBe(3);
  });

  it('that is not there answers 404', async () => {
    const reply = await pda.call('POST', DELETIONS, { json: { endpoint: 'd/nothing' } });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([404, 'not_found']);
  });

  it('comes back together with records that were deleted from it before', async () => {
    const ids = await create('d/one', [1, 2]);
    const records = await remove({ records: [ids[0]] });
    const whole = await remove({ endpoint: 'd/one' });
    await undo(records);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1]);
    await undo(whole);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1, 2]);
  });
});

describe('what was deleted through the interface', () => {
  it('is not among what can come back', async () => {
    const ids = await create('d/one', [1, 2]);
    await pda.call('DELETE', `/api/v2.6/data?records=${ids[0]}`);
    await pda.call('DELETE', '/api/v2.6/data/d/one');
    expect((await pda.call('GET', DELETIONS)).json).toStrictEqual([]);
  });
});

describe('time', () => {
  it('a restart changes nothing: both kinds come back after it', async () => {
    const ids = await create('d/one', [1, 2]);
    await create('d/two', [3]);
    const records = await remove({ records: [ids[1]] });
    const whole = await remove({ endpoint: 'd/two' });
    await pda.restart();
    expect((await pda.call('GET', DELETIONS)).json).toHaveLength(2);
    await undo(records);
    await undo(whole);
    expect([await dataAt(pda, 'd/one'), await dataAt(pda, 'd/two')]).toStrictEqual([[1, 2], [3]]);
  });

  it('a day later nothing comes back any more, swept or not', async () => {
    const ids = await create('d/one', [1]);
    const records = await remove({ records: ids });
    await create('d/two', [2]);
    const whole = await remove({ endpoint: 'd/two' });
    pda.clock.advance(DAY);
    expect((await undo(records)).status).toBe(200);
    pda.clock.advance(1);
    expect((await pda.call('GET', DELETIONS)).json).toStrictEqual([]);
    expect((await undo(whole)).status).toBe(404);
    await pda.pda.deletions.sweep();
    expect((await undo(whole)).status).toBe(404);
    expect(await dataAt(pda, 'd/two')).toStrictEqual([]);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1]);
  });

  it('the sweep removes every row that cannot come back, and nothing else', async () => {
    await create('d/keep', ['keep me'], '?skipErrors=true');
    await create(
      'd/large',
      Array.from({ length: 1300 }, (_, index) => `text ${index}`),
      '?skipErrors=true',
    );
    await create('d/large', [1], '?skipErrors=true');
    const [single] = await create('d/keep', ['text single']);
    await remove({ records: [single] });
    await remove({ endpoint: 'd/large' });
    pda.clock.advance(DAY + 1);
    await pda.pda.deletions.sweep();
    await pda.restart();
    expect(await dataAt(pda, 'd/keep')).toStrictEqual(['keep me']);
    expect((await pda.call('GET', '/api/v2.6/data/sources')).json).toStrictEqual({ d: ['keep'] });
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(`${pda.home}/pda.sqlite`, { readonly: true });
    for (const [table, left] of [
      ['records', 1],
      ['deleted_records', 0],
      ['deletions', 0],
      ['fingerprints', 0],
      ['endpoints', 1],
    ] as const) {
      expect([table, db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]).toStrictEqual([table, left]);
    }
    db.close();
  });

  it('an endpoint that is purged leaves its number to nobody, so that what happened to it is never told of another', async () => {
    await create('d/one', [1]);
    await pda.call('DELETE', '/api/v2.6/data/d/one');
    await pda.pda.deletions.sweep();
    await create('d/two', [2]);
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(`${pda.home}/pda.sqlite`, { readonly: true });
    const now = db.prepare("SELECT id FROM endpoints WHERE path = 'd/two'").pluck().get();
    expect(db.prepare('SELECT count(*) FROM events WHERE endpoint = ?').pluck().get(now)).toBe(1);
    db.close();
  });
});
