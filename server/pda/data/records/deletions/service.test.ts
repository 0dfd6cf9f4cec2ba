import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataAt, errorOf, recordsOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import type { Reply } from '../../../../../tests/support/http.ts';
import { DELETED_RECORDS_KEPT_MS } from '../../../../wire/limits.ts';
import {
  deletedRecordPageSchema,
  deletionEntrySchema,
  deletionSchema,
  endpointSummarySchema,
  type DeletedRecord,
} from '../../../../wire/owner.ts';

const DELETIONS_PATH = '/api/v2.6/owner/deletions';
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let pda: TestPda;
beforeEach(async () => {
  pda = await startTestPda();
});
afterEach(() => pda.close());

/** Advances the clock and signs in again, because sessions expire before deleted records do. */
const advance = async (milliseconds: number): Promise<void> => {
  pda.clock.advance(milliseconds);
  pda.token = await pda.signIn();
};
const create = async (endpoint: string, values: unknown[], query = ''): Promise<string[]> =>
  recordsOf(await pda.call('POST', `/api/v2.6/data/${endpoint}${query}`, { json: values })).map(
    (record) => record.recordId,
  );
const remove = async (json: unknown): Promise<string> => {
  const reply = await pda.call('POST', DELETIONS_PATH, { json });
  expect(reply.status).toBe(201);
  return deletionSchema.parse(reply.json).deletionId;
};
const undo = (id: string): Promise<Reply> => pda.call('POST', `${DELETIONS_PATH}/${id}/undo`);
const listDeletions = async (query = '') =>
  deletionEntrySchema.array().parse((await pda.call('GET', `${DELETIONS_PATH}${query}`)).json);
const listDeletedRecords = async (id: string, query = '') =>
  deletedRecordPageSchema.parse((await pda.call('GET', `${DELETIONS_PATH}/${id}/records${query}`)).json);
const restore = (id: string, records: readonly (DeletedRecord | undefined)[]): Promise<Reply> =>
  pda.call('POST', `${DELETIONS_PATH}/${id}/restore`, { json: { seqs: records.map((record) => record?.seq) } });
const requestDeletedRecords = (id: string): Promise<Reply> => pda.call('GET', `${DELETIONS_PATH}/${id}/records`);
const readText = async (endpoint: string): Promise<string> =>
  (await pda.call('GET', `/api/v2.6/data/${endpoint}?meta=true`)).text;
const listEndpoints = async () =>
  endpointSummarySchema.array().parse((await pda.call('GET', '/api/v2.6/owner/endpoints')).json);

describe('deleted records', () => {
  it('disappear immediately, and are restored with the same ids, data, dates and order', async () => {
    const ids = await create('d/one', [1, { two: 2 }, 3]);
    await create('d/two', ['x']);
    pda.clock.advance(1000);
    await pda.call('PUT', '/api/v2.6/data', {
      json: [{ endpoint: 'd/one', recordId: ids[1], data: { two: 'changed' } }],
    });
    const previousState = [await readText('d/one'), await readText('d/two'), await listEndpoints()];
    const id = await remove({ records: [ids[1], ids[0]] });
    expect(await dataAt(pda, 'd/one')).toStrictEqual([3]);
    expect((await pda.call('GET', `/api/v2.6/data-record/${ids[1]}`)).status).toBe(400);
    expect((await undo(id)).status).toBe(200);
    const [firstEndpoint, secondEndpoint] = await listEndpoints();
    expect([await readText('d/one'), await readText('d/two')]).toStrictEqual(previousState.slice(0, 2));
    expect([firstEndpoint?.records, firstEndpoint?.bytes, secondEndpoint?.records]).toStrictEqual([
      3,
      '1{"two":"changed"}3'.length,
      1,
    ]);
  });

  it('keep their sequence numbers reserved after a restart, so that the newest record can be restored alongside new ones', async () => {
    const [deletedId] = await create('d/one', ['old']);
    const id = await remove({ records: [deletedId] });
    // The clock does not advance, so only the deleted record prevents its sequence number from being reused.
    await pda.restart();
    const [newId] = await create('d/one', ['new']);
    const seqPartOf = (recordId: string | undefined) => recordId?.slice(0, 18);
    expect(seqPartOf(newId)).not.toBe(seqPartOf(deletedId));
    expect((await undo(id)).status).toBe(200);
    expect(await dataAt(pda, 'd/one')).toStrictEqual(['old', 'new']);
  });

  it('are listed with their count and the date until which they can be restored', async () => {
    const [firstId, secondId] = await create('d/one', [1, 2]);
    const reply = await pda.call('POST', DELETIONS_PATH, {
      json: { records: [firstId, secondId, secondId?.toUpperCase()] },
    });
    const now = pda.clock.now();
    expect(deletionSchema.parse(reply.json)).toMatchObject({
      endpoint: null,
      records: 2,
      deleted: new Date(now).toISOString(),
      until: new Date(now + DELETED_RECORDS_KEPT_MS).toISOString(),
    });
    expect(await listDeletions()).toMatchObject([deletionSchema.parse(reply.json)]);
  });

  it('must all exist before the deletion; otherwise none of them is deleted', async () => {
    const [firstId] = await create('d/one', [1, 2]);
    const reply = await pda.call('POST', DELETIONS_PATH, { json: { records: [firstId, UNKNOWN_ID] } });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'data_missing']);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1, 2]);
    expect((await pda.call('GET', DELETIONS_PATH)).json).toStrictEqual([]);
  });

  it('can be restored only once', async () => {
    const id = await remove({ records: await create('d/one', [1]) });
    expect((await undo(id)).status).toBe(200);
    const secondUndo = await undo(id);
    expect([secondUndo.status, errorOf(secondUndo).error]).toStrictEqual([404, 'not_found']);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1]);
    expect((await undo(UNKNOWN_ID)).status).toBe(404);
  });

  it('are restored only once by concurrent requests', async () => {
    const id = await remove({ records: await create('d/one', [1]) });
    const statuses = (await Promise.all([undo(id), undo(id)])).map((reply) => reply.status);
    expect(new Set(statuses)).toStrictEqual(new Set([200, 404]));
  });

  it('are restored in the original order before newer records', async () => {
    const ids = await create('d/one', [1, 2]);
    const id = await remove({ records: [ids[0]] });
    await create('d/one', [3]);
    await undo(id);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1, 2, 3]);
  });

  it('are restored even if their endpoint has since been deleted', async () => {
    const ids = await create('d/one', [1, 2]);
    const id = await remove({ records: [ids[0]] });
    await pda.call('DELETE', '/api/v2.6/data/d/one');
    await pda.pda.deletions.sweep();
    await undo(id);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1]);
    await create('d/one', [3]);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1, 3]);
  });

  it('are ignored by skipErrors until they are restored', async () => {
    const ids = await create('d/one', [1, 2, 3], '?skipErrors=true');
    const id = await remove({ records: [ids[0], ids[2]] });
    expect(await create('d/one', [1, 2], '?skipErrors=true')).toHaveLength(1);
    await undo(id);
    expect(await create('d/one', [1, 2, 3], '?skipErrors=true')).toHaveLength(0);
  });
});

describe('a deleted endpoint', () => {
  it('disappears immediately, and is restored completely', async () => {
    await create('d/one', [1, 2, 3]);
    const previousText = await readText('d/one');
    const [summary] = await listEndpoints();
    const id = await remove({ endpoint: 'd/one' });
    expect(await dataAt(pda, 'd/one')).toStrictEqual([]);
    expect(await listEndpoints()).toStrictEqual([]);
    expect((await pda.call('GET', DELETIONS_PATH)).json).toMatchObject([{ endpoint: 'd/one', records: 3 }]);
    expect((await undo(id)).status).toBe(200);
    expect(await readText('d/one')).toBe(previousText);
    expect((await listEndpoints())[0]).toMatchObject({ records: 3, bytes: summary?.bytes });
  });

  it('is merged with records that have since been stored at its path', async () => {
    await create('d/one', ['old1', 'old2'], '?skipErrors=true');
    const id = await remove({ endpoint: 'd/one' });
    await create('d/one', ['new1'], '?skipErrors=true');
    await undo(id);
    expect(await dataAt(pda, 'd/one')).toStrictEqual(['old1', 'old2', 'new1']);
    expect((await listEndpoints())[0]).toMatchObject({
      endpoint: 'd/one',
      records: 3,
      bytes: '"old1""old2""new1"'.length,
    });
    expect(await create('d/one', ['old1', 'old2', 'new1', 'new2'], '?skipErrors=true')).toHaveLength(1);
    await pda.pda.deletions.sweep();
    expect(await dataAt(pda, 'd/one')).toStrictEqual(['old1', 'old2', 'new1', 'new2']);
  });

  it('has correct counts if records are stored at its path in the same transaction as the undo', async () => {
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
    expect((await listEndpoints())[0]).toMatchObject({ records: 4, bytes: 4 });
    const page = await pda.call('GET', '/api/v2.6/data/d/one?ordering=descending&skip=1&take=2');
    expect(recordsOf(page).map((record) => record.data)).toStrictEqual([3, 2]);
  });

  it('can be restored from each of several deletions, in any order', async () => {
    const ids: string[] = [];
    for (const value of ['a', 'b', 'c']) {
      await create('d/one', [value]);
      ids.push(await remove({ endpoint: 'd/one' }));
    }
    for (const id of [ids[1] ?? '', ids[0] ?? '', ids[2] ?? '']) expect((await undo(id)).status).toBe(200);
    expect(await dataAt(pda, 'd/one')).toStrictEqual(['a', 'b', 'c']);
    expect((await listEndpoints())[0]?.records).toBe(3);
  });

  it('cannot be deleted again: the request fails with not_found, as for an endpoint without records', async () => {
    await create('d/one', [1]);
    await remove({ endpoint: 'd/one' });
    for (const endpoint of ['d/one', 'd/nothing']) {
      const reply = await pda.call('POST', DELETIONS_PATH, { json: { endpoint } });
      expect([reply.status, errorOf(reply).error]).toStrictEqual([404, 'not_found']);
    }
  });

  it('can be restored after individual records that were deleted from it before', async () => {
    const ids = await create('d/one', [1, 2]);
    const recordDeletionId = await remove({ records: [ids[0]] });
    const endpointDeletionId = await remove({ endpoint: 'd/one' });
    await undo(recordDeletionId);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1]);
    await undo(endpointDeletionId);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1, 2]);
  });
});

describe('the list of deletions', () => {
  it('shows the endpoints and excerpts of the first records of a deletion', async () => {
    const ids = await create('d/films', [
      { Title: 'Zoom', info: { year: 2006, tags: ['a', 'b'] }, empty: null },
      'a text alone',
      { long: 'x'.repeat(300) },
      4,
    ]);
    await remove({ records: ids });
    const [entry] = await listDeletions();
    expect(entry?.sample.map(({ endpoint, recordId }) => [endpoint, recordId])).toStrictEqual(
      ids.slice(0, 3).map((id) => ['d/films', id]),
    );
    expect(entry?.sample.map(({ excerpt }) => excerpt)).toStrictEqual([
      'Title: Zoom · year: 2006 · tags: a · tags: b',
      'a text alone',
      `long: ${'x'.repeat(153)}…`,
    ]);
  });

  it('shows only the size of a large record', async () => {
    await remove({ records: await create('d/large', ['x'.repeat(5000)]) });
    const [entry] = await listDeletions();
    expect(entry?.sample).toMatchObject([{ excerpt: null, bytes: 5002 }]);
  });

  it('shows records of a deleted endpoint', async () => {
    await create('d/one', [{ a: 1 }]);
    await remove({ endpoint: 'd/one' });
    expect((await listDeletions())[0]?.sample).toMatchObject([{ endpoint: 'd/one', excerpt: 'a: 1' }]);
  });

  it('is read page by page, newest first', async () => {
    const ids = await create('d/one', [1, 2, 3]);
    const deletionIds: string[] = [];
    for (const id of ids) {
      pda.clock.advance(1000);
      deletionIds.unshift(await remove({ records: [id] }));
    }
    const allEntries = [...(await listDeletions('?take=2')), ...(await listDeletions('?skip=2&take=2'))];
    expect(allEntries.map(({ deletionId }) => deletionId)).toStrictEqual(deletionIds);
  });
});

describe('individual records of a deletion', () => {
  it('are restored unchanged, and the others stay restorable', async () => {
    const ids = await create('d/one', [1, 2, 3], '?skipErrors=true');
    const previousText = await readText('d/one');
    const id = await remove({ records: ids });
    const { records } = await listDeletedRecords(id);
    expect((await restore(id, [records[1]])).json).toStrictEqual({ restored: 1, left: 2 });
    expect(await dataAt(pda, 'd/one')).toStrictEqual([2]);
    expect(await listDeletions()).toMatchObject([{ deletionId: id, records: 2 }]);
    expect(await create('d/one', [2], '?skipErrors=true')).toHaveLength(0);
    expect((await undo(id)).status).toBe(200);
    expect(await readText('d/one')).toBe(previousText);
  });

  it('are no longer listed as a deletion once the last of them has been restored', async () => {
    const id = await remove({ records: await create('d/one', [1, 2]) });
    const { records } = await listDeletedRecords(id);
    expect((await restore(id, records)).json).toStrictEqual({ restored: 2, left: 0 });
    expect(await listDeletions()).toStrictEqual([]);
    expect((await undo(id)).status).toBe(404);
  });

  it('are restored from a whole endpoint, even after new records were stored at its path', async () => {
    await create('d/one', ['old1', 'old2', 'old3'], '?skipErrors=true');
    const id = await remove({ endpoint: 'd/one' });
    await create('d/one', ['new'], '?skipErrors=true');
    const { records } = await listDeletedRecords(id);
    expect((await restore(id, [records[0]])).json).toStrictEqual({ restored: 1, left: 2 });
    expect(await dataAt(pda, 'd/one')).toStrictEqual(['old1', 'new']);
    expect((await listEndpoints())[0]).toMatchObject({ records: 2, bytes: '"old1""new"'.length });
    await undo(id);
    expect(await dataAt(pda, 'd/one')).toStrictEqual(['old1', 'old2', 'old3', 'new']);
    expect((await listEndpoints())[0]).toMatchObject({ records: 4, bytes: '"old1""old2""old3""new"'.length });
    expect(await create('d/one', ['old1', 'old3', 'new'], '?skipErrors=true')).toHaveLength(0);
  });

  it('leave no deletion behind once all records of a deleted endpoint have been restored', async () => {
    await create('d/one', ['a', 'b'], '?skipErrors=true');
    const previousText = await readText('d/one');
    const id = await remove({ endpoint: 'd/one' });
    await restore(id, (await listDeletedRecords(id)).records);
    await pda.pda.deletions.sweep();
    expect(await readText('d/one')).toBe(previousText);
    expect((await listEndpoints())[0]).toMatchObject({ records: 2 });
    expect(await listDeletions()).toStrictEqual([]);
  });

  it('are not restored if one of them has already been restored', async () => {
    const id = await remove({ records: await create('d/one', [1, 2]) });
    const { records } = await listDeletedRecords(id);
    expect((await restore(id, [records[0]])).status).toBe(200);
    const secondRestore = await restore(id, records);
    expect([secondRestore.status, errorOf(secondRestore).error]).toStrictEqual([400, 'data_missing']);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1]);
    expect(await listDeletions()).toMatchObject([{ records: 1 }]);
  });

  it('are listed page by page', async () => {
    const id = await remove({ records: await create('d/one', [1, 2, 3]) });
    const firstPage = await listDeletedRecords(id, '?take=2');
    const secondPage = await listDeletedRecords(id, `?take=2&after=${firstPage.next}`);
    expect([...firstPage.records, ...secondPage.records].map(({ excerpt }) => excerpt)).toStrictEqual(['1', '2', '3']);
    expect(secondPage.next).toBeNull();
  });

  it('are not restored if they belong to another deletion', async () => {
    const [firstId, secondId] = await create('d/one', [1, 2]);
    const firstDeletionId = await remove({ records: [firstId] });
    const secondDeletionId = await remove({ records: [secondId] });
    const { records } = await listDeletedRecords(secondDeletionId);
    expect((await restore(firstDeletionId, records)).status).toBe(400);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([]);
  });
});

describe('permanent deletion', () => {
  it.each(['records', 'endpoints'] as const)('makes deleted %s unrecoverable immediately', async (kind) => {
    const records = await create('d/one', [1, 2]);
    const id = await remove(kind === 'records' ? { records } : { endpoint: 'd/one' });
    expect((await pda.call('DELETE', `${DELETIONS_PATH}/${id}`)).status).toBe(200);
    expect(await listDeletions()).toStrictEqual([]);
    expect((await undo(id)).status).toBe(404);
    expect((await requestDeletedRecords(id)).status).toBe(404);
    await pda.pda.deletions.sweep();
    expect(await dataAt(pda, 'd/one')).toStrictEqual([]);
  });
});

describe('records that were deleted through the API', () => {
  it('are not in the list of deletions', async () => {
    const ids = await create('d/one', [1, 2]);
    await pda.call('DELETE', `/api/v2.6/data?records=${ids[0]}`);
    await pda.call('DELETE', '/api/v2.6/data/d/one');
    expect((await pda.call('GET', DELETIONS_PATH)).json).toStrictEqual([]);
  });
});

describe('the restoration period', () => {
  it('covers restarts: records and endpoints can be restored after a restart', async () => {
    const ids = await create('d/one', [1, 2]);
    await create('d/two', [3]);
    const recordDeletionId = await remove({ records: [ids[1]] });
    const endpointDeletionId = await remove({ endpoint: 'd/two' });
    await pda.restart();
    expect((await pda.call('GET', DELETIONS_PATH)).json).toHaveLength(2);
    await undo(recordDeletionId);
    await undo(endpointDeletionId);
    expect([await dataAt(pda, 'd/one'), await dataAt(pda, 'd/two')]).toStrictEqual([[1, 2], [3]]);
  });

  it('ends after 30 days, whether or not the sweep has run', async () => {
    const ids = await create('d/one', [1]);
    const recordDeletionId = await remove({ records: ids });
    await create('d/two', [2]);
    const endpointDeletionId = await remove({ endpoint: 'd/two' });
    await advance(DELETED_RECORDS_KEPT_MS);
    expect((await undo(recordDeletionId)).status).toBe(200);
    pda.clock.advance(1);
    expect((await pda.call('GET', DELETIONS_PATH)).json).toStrictEqual([]);
    expect((await undo(endpointDeletionId)).status).toBe(404);
    await pda.pda.deletions.sweep();
    expect((await undo(endpointDeletionId)).status).toBe(404);
    expect(await dataAt(pda, 'd/two')).toStrictEqual([]);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([1]);
  });

  it('ends with a sweep that removes exactly the rows that cannot be restored', async () => {
    await create('d/keep', ['keep me'], '?skipErrors=true');
    await create(
      'd/large',
      Array.from({ length: 1300 }, (_, index) => `text ${index}`),
      '?skipErrors=true',
    );
    await create('d/large', [1], '?skipErrors=true');
    const [singleId] = await create('d/keep', ['text single']);
    await remove({ records: [singleId] });
    await remove({ endpoint: 'd/large' });
    await advance(DELETED_RECORDS_KEPT_MS + 1);
    await pda.pda.deletions.sweep();
    await pda.restart();
    expect(await dataAt(pda, 'd/keep')).toStrictEqual(['keep me']);
    expect((await pda.call('GET', '/api/v2.6/data/sources')).json).toStrictEqual({ d: ['keep'] });
    const db = new Database(`${pda.home}/pda.sqlite`, { readonly: true });
    for (const [table, remainingRows] of [
      ['records', 1],
      ['deleted_records', 0],
      ['deletions', 0],
      ['fingerprints', 0],
      ['endpoints', 1],
    ] as const) {
      expect([table, db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]).toStrictEqual([table, remainingRows]);
    }
    db.close();
  });
});

describe('a purged endpoint', () => {
  it('keeps its id reserved, so that its events do not belong to another endpoint', async () => {
    await create('d/one', [1]);
    await pda.call('DELETE', '/api/v2.6/data/d/one');
    await pda.pda.deletions.sweep();
    await create('d/two', [2]);
    const db = new Database(`${pda.home}/pda.sqlite`, { readonly: true });
    const endpointId = db.prepare("SELECT id FROM endpoints WHERE path = 'd/two'").pluck().get();
    expect(db.prepare('SELECT count(*) FROM events WHERE endpoint = ?').pluck().get(endpointId)).toBe(1);
    db.close();
  });
});
