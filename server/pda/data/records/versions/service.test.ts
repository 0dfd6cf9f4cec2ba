import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../../tests/support/applications.ts';
import type { Reply } from '../../../../../tests/support/http.ts';
import { dataAt, errorOf, recordsOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { MAX_RECORD_VERSIONS } from '../../../../wire/limits.ts';
import { deletionSchema } from '../../../../wire/owner.ts';
import {
  recordVersionDataSchema,
  recordVersionListSchema,
  versionRestoreSchema,
  versionRetentionSchema,
  type RecordVersionList,
} from '../../../../wire/record-versions.ts';

const RETENTION_PATH = '/api/v2.6/owner/record-versions';
const DELETIONS_PATH = '/api/v2.6/owner/deletions';
const DAY_MS = 86_400_000;
const OWNER_ORIGIN = { kind: 'owner', name: 'owner' };

let pda: TestPda;
beforeEach(async () => {
  const roles = [
    { role: 'namespaceread', detail: 'd' },
    { role: 'namespacewrite', detail: 'd' },
  ];
  pda = await startTestPda({ config: { applications: [anApplication({ id: 'notes', roles })] } });
});
afterEach(() => pda.close());

const create = async (endpoint: string, data: unknown, token?: string): Promise<string> => {
  const reply = await pda.call('POST', `/api/v2.6/data/${endpoint}`, {
    json: data,
    ...(token === undefined ? {} : { token }),
  });
  return recordsOf({ ...reply, json: [reply.json].flat() })[0]?.recordId ?? '';
};
const update = async (recordId: string, data: unknown, { endpoint = 'd/one', token = '' } = {}): Promise<void> => {
  const json = [{ endpoint, recordId, data }];
  const reply = await pda.call('PUT', '/api/v2.6/data', { json, ...(token === '' ? {} : { token }) });
  expect(reply.status, reply.text).toBe(201);
};
const versionsPath = (recordId: string): string => `/api/v2.6/owner/records/${recordId}/versions`;
const list = async (recordId: string): Promise<RecordVersionList> =>
  recordVersionListSchema.parse((await pda.call('GET', versionsPath(recordId))).json);
const read = (recordId: string, versionId: number | undefined): Promise<Reply> =>
  pda.call('GET', `${versionsPath(recordId)}/${versionId ?? 0}`);
const versionDataOf = async (recordId: string): Promise<unknown[]> => {
  const { versions } = await list(recordId);
  const replies = await Promise.all(versions.map(({ versionId }) => read(recordId, versionId)));
  return replies.map((reply) => recordVersionDataSchema.parse(reply.json).data);
};
const restore = async (recordId: string, versionId: number | undefined): Promise<number | null> => {
  const reply = await pda.call('POST', `${versionsPath(recordId)}/${versionId ?? 0}/restore`);
  expect(reply.status, reply.text).toBe(200);
  return versionRestoreSchema.parse(reply.json).undoVersionId;
};
const setDays = async (days: number) =>
  versionRetentionSchema.parse((await pda.call('PUT', RETENTION_PATH, { json: { days } })).json);
const retention = async () => versionRetentionSchema.parse((await pda.call('GET', RETENTION_PATH)).json);
const remove = async (json: unknown): Promise<string> =>
  deletionSchema.parse((await pda.call('POST', DELETIONS_PATH, { json })).json).deletionId;
const advance = async (milliseconds: number): Promise<void> => {
  pda.clock.advance(milliseconds);
  pda.token = await pda.signIn();
};
/** Returns the data of all versions, including those that no route returns. */
const storedVersions = (): string[] => {
  const db = new Sqlite(join(pda.home, 'pda.sqlite'), { readonly: true });
  try {
    return db.prepare<[], string>('SELECT data FROM record_versions ORDER BY version').pluck().all();
  } finally {
    db.close();
  }
};

describe('versions of a record', () => {
  it('are an empty list for a record that was never changed', async () => {
    const id = await create('d/one', { a: 1 });
    const creationTime = new Date(pda.clock.now()).toISOString();
    expect(await list(id)).toStrictEqual({
      current: { stored: creationTime, storedBy: OWNER_ORIGIN, bytes: '{"a":1}'.length },
      versions: [],
      moves: [],
      days: 30,
    });
  });

  it('name who stored which data and when, newest first', async () => {
    const token = await setUpApplication(pda, 'notes');
    const id = await create('d/one', 1);
    const times = [pda.clock.now()];
    for (const [data, writerToken] of [
      [22, token],
      [333, ''],
    ] as const) {
      pda.clock.advance(60_000);
      times.push(pda.clock.now());
      await update(id, data, { token: writerToken });
    }
    const [firstTime, secondTime, thirdTime] = times.map((time) => new Date(time).toISOString());
    const application = { kind: 'application', name: 'notes' };
    const { current, versions } = await list(id);
    expect(current).toStrictEqual({ stored: thirdTime, storedBy: OWNER_ORIGIN, bytes: 3 });
    expect(versions).toMatchObject([
      { stored: secondTime, storedBy: application, bytes: 2, replaced: thirdTime },
      { stored: firstTime, storedBy: OWNER_ORIGIN, bytes: 1, replaced: secondTime },
    ]);
    expect(await versionDataOf(id)).toStrictEqual([22, 1]);
  });

  it('do not include an update with the same data', async () => {
    const id = await create('d/one', 'same');
    await update(id, 'same');
    await update(id, 'other');
    await update(id, 'other');
    expect(await versionDataOf(id)).toStrictEqual(['same']);
  });

  it('include each update of a record that a request updates twice', async () => {
    const id = await create('d/one', 1);
    const json = [2, 3].map((data) => ({ endpoint: 'd/one', recordId: id, data }));
    expect((await pda.call('PUT', '/api/v2.6/data', { json })).status).toBe(201);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([3]);
    expect(await versionDataOf(id)).toStrictEqual([2, 1]);
  });

  it('are part of the transaction: a rejected request leaves none', async () => {
    const id = await create('d/one', 1);
    const reply = await pda.call('PUT', '/api/v2.6/data', {
      json: [
        { endpoint: 'd/one', recordId: id, data: 2 },
        { endpoint: 'd/other', recordId: id, data: 3 },
      ],
    });
    expect(errorOf(reply).error).toBe('data_missing');
    expect(storedVersions()).toStrictEqual([]);
  });

  it('keep the exact text of their data, even of large records', async () => {
    const largeText = `{"text":"${'é'.repeat(700_000)}","exact":1.0000000000000000001}`;
    const reply = await pda.call('POST', '/api/v2.6/data/d/one', { body: largeText });
    const id = recordsOf({ ...reply, json: [reply.json] })[0]?.recordId ?? '';
    await update(id, 1);
    const [version] = (await list(id)).versions;
    expect(version?.bytes).toBe(Buffer.byteLength(largeText));
    expect((await read(id, version?.versionId)).text).toContain(`"data":${largeText}}`);
  });

  it(`are at most ${MAX_RECORD_VERSIONS} per record: the oldest are dropped`, async () => {
    const id = await create('d/one', 0);
    const otherId = await create('d/one', 'other');
    await update(otherId, 'changed');
    for (let n = 1; n <= MAX_RECORD_VERSIONS + 2; n += 1) await update(id, n);
    const { versions } = await list(id);
    expect(versions).toHaveLength(MAX_RECORD_VERSIONS);
    const oldestReply = await read(id, versions.at(-1)?.versionId);
    expect(recordVersionDataSchema.parse(oldestReply.json).data).toBe(2);
    expect((await list(otherId)).versions).toHaveLength(1);
  });

  it('are not found for another record, an unknown record or an unknown version', async () => {
    const id = await create('d/one', 1);
    const otherId = await create('d/one', 2);
    await update(id, 3);
    const [version] = (await list(id)).versions;
    expect((await read(id, version?.versionId)).status).toBe(200);
    for (const reply of [
      await read(otherId, version?.versionId),
      await read(id, 999),
      await pda.call('GET', versionsPath('00000000-0000-4000-8000-000000000000')),
      await pda.call('POST', `${versionsPath(otherId)}/${version?.versionId ?? 0}/restore`),
    ])
      expect([reply.status, errorOf(reply).error]).toStrictEqual([404, 'not_found']);
    expect((await pda.call('GET', `${versionsPath(id)}/x`)).status).toBe(400);
  });
});

describe('restoring a version', () => {
  it('is an update by the owner, which can be undone by restoring the replaced data', async () => {
    const token = await setUpApplication(pda, 'notes');
    const id = await create('d/one', { a: 1 }, token);
    await update(id, { a: 2 }, { token });
    const [firstVersion] = (await list(id)).versions;
    pda.clock.advance(1000);
    const undoId = await restore(id, firstVersion?.versionId);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([{ a: 1 }]);
    const restoredList = await list(id);
    expect(restoredList.current).toMatchObject({
      storedBy: OWNER_ORIGIN,
      stored: new Date(pda.clock.now()).toISOString(),
    });
    expect(restoredList.versions.map(({ versionId }) => versionId)).toStrictEqual([undoId, firstVersion?.versionId]);
    expect(await versionDataOf(id)).toStrictEqual([{ a: 2 }, { a: 1 }]);
    await restore(id, undoId ?? undefined);
    expect(await dataAt(pda, 'd/one')).toStrictEqual([{ a: 2 }]);
    expect(await versionDataOf(id)).toStrictEqual([{ a: 1 }, { a: 2 }, { a: 1 }]);
  });

  it('changes nothing if the record already has this data', async () => {
    const id = await create('d/one', 1);
    await update(id, 2);
    await update(id, 1);
    const { versions } = await list(id);
    expect(await restore(id, versions.at(-1)?.versionId)).toBeNull();
    expect((await list(id)).versions).toHaveLength(2);
  });

  it('reports a change of the record', async () => {
    const id = await create('d/one', 1);
    await update(id, 2);
    const replyBefore = await pda.call('GET', '/api/v2.6/owner/records/' + id);
    pda.clock.advance(5000);
    const [version] = (await list(id)).versions;
    await restore(id, version?.versionId);
    const replyAfter = await pda.call('GET', '/api/v2.6/owner/records/' + id);
    expect(replyAfter.json).toMatchObject({ data: 1, lastUpdated: new Date(pda.clock.now()).toISOString() });
    expect(replyBefore.json).not.toMatchObject({ lastUpdated: new Date(pda.clock.now()).toISOString() });
    const db = new Sqlite(join(pda.home, 'pda.sqlite'), { readonly: true });
    const kinds = db.prepare<[], string>('SELECT kind FROM events ORDER BY seq').pluck().all();
    db.close();
    expect(kinds).toStrictEqual(['created', 'updated', 'updated']);
  });
});

describe('deleting a record', () => {
  it('hides its versions, and undo shows them again', async () => {
    const id = await create('d/one', 1);
    await update(id, 2);
    const deletionId = await remove({ records: [id] });
    expect((await pda.call('GET', versionsPath(id))).status).toBe(404);
    expect(storedVersions()).toStrictEqual(['1']);
    await pda.call('POST', `${DELETIONS_PATH}/${deletionId}/undo`);
    expect(await versionDataOf(id)).toStrictEqual([1]);
  });

  it('keeps the versions of records that are restored one by one', async () => {
    const ids = [await create('d/one', 1), await create('d/one', 'x')];
    for (const id of ids) await update(id, 2);
    for (const deletion of [{ records: ids }, { endpoint: 'd/one' }]) {
      const deletionId = await remove(deletion);
      const deletedPage = (await pda.call('GET', `${DELETIONS_PATH}/${deletionId}/records`)).json as {
        records: { seq: number }[];
      };
      const seqs = deletedPage.records.map(({ seq }) => seq);
      for (const seq of seqs)
        await pda.call('POST', `${DELETIONS_PATH}/${deletionId}/restore`, { json: { seqs: [seq] } });
      expect(await dataAt(pda, 'd/one')).toStrictEqual([2, 2]);
      expect(await versionDataOf(ids[0] ?? '')).toStrictEqual([1]);
      expect(await versionDataOf(ids[1] ?? '')).toStrictEqual(['x']);
    }
  });

  it.each([
    [
      'permanently in the dashboard',
      async (id: string) => pda.call('DELETE', `${DELETIONS_PATH}/${await remove({ records: [id] })}`),
    ],
    [
      'with its endpoint, permanently in the dashboard',
      async () => pda.call('DELETE', `${DELETIONS_PATH}/${await remove({ endpoint: 'd/one' })}`),
    ],
    ['through the API', async (id: string) => pda.call('DELETE', `/api/v2.6/data?records=${id}`)],
    ['with its endpoint through the API', async () => pda.call('DELETE', '/api/v2.6/data/d/one')],
    [
      'and not restoring it for 30 days',
      async (id: string) => {
        await remove({ records: [id] });
        await setDays(365);
        await advance(31 * DAY_MS);
      },
    ],
  ])('%s deletes its versions, and no others', async (_, deleteRecord) => {
    const id = await create('d/one', 'gone');
    const otherId = await create('d/other', 'stays');
    for (const endpoint of ['d/one', 'd/other']) await update(endpoint === 'd/one' ? id : otherId, 2, { endpoint });
    await deleteRecord(id);
    await pda.pda.deletions.sweep();
    expect(storedVersions()).toStrictEqual(['"stays"']);
    expect((await retention()).bytes).toBe('"stays"'.length);
  });
});

describe('the retention of versions', () => {
  it('ends after 30 days, whether or not the versions have been pruned', async () => {
    const id = await create('d/one', 1);
    await update(id, 2);
    await advance(20 * DAY_MS);
    await update(id, 3);
    expect(await versionDataOf(id)).toStrictEqual([2, 1]);
    const [, oldVersion] = (await list(id)).versions;
    await advance(10 * DAY_MS + 1);
    expect((await list(id)).versions).toHaveLength(1);
    expect((await read(id, oldVersion?.versionId)).status).toBe(404);
    expect(storedVersions()).toHaveLength(2);
    await pda.pda.deletions.sweep();
    expect(storedVersions()).toStrictEqual(['2']);
    // The remaining version still shows who stored it, although the version before it was deleted.
    expect((await list(id)).versions).toMatchObject([{ storedBy: OWNER_ORIGIN }]);
    await advance(30 * DAY_MS);
    expect(await list(id)).toMatchObject({ current: { storedBy: null }, versions: [] });
  });

  it('is a number of days that the owner sets, and survives a restart', async () => {
    const id = await create('d/one', 1);
    await update(id, 2);
    expect(await retention()).toMatchObject({ days: 30, bytes: 1, maxBytes: expect.any(Number) as number });
    await setDays(90);
    await pda.restart();
    expect((await retention()).days).toBe(90);
    await advance(60 * DAY_MS);
    await pda.pda.deletions.sweep();
    expect(await versionDataOf(id)).toStrictEqual([1]);
    expect(await setDays(59)).toMatchObject({ days: 59, bytes: 0 });
    expect(storedVersions()).toStrictEqual([]);
  });

  it('keeps no versions at 0 days, and deletes existing ones immediately', async () => {
    const id = await create('d/one', 1);
    await update(id, 2);
    await setDays(0);
    expect(storedVersions()).toStrictEqual([]);
    await update(id, 3);
    expect(storedVersions()).toStrictEqual([]);
    expect(await list(id)).toMatchObject({ versions: [], days: 0 });
    await setDays(30);
    await update(id, 4);
    expect(await versionDataOf(id)).toStrictEqual([3]);
  });

  it.each([-1, 366, 1.5, '30'])('rejects %j as the number of days', async (days) => {
    expect((await pda.call('PUT', RETENTION_PATH, { json: { days } })).status).toBe(400);
    expect((await retention()).days).toBe(30);
  });
});
