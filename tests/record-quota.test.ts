import { afterEach, describe, expect, it } from 'vitest';
import type { StatusEntry } from '../server/pda/account/status/service.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { aContract, startContractedPda } from './support/contracts.ts';
import type { Call, Reply } from './support/http.ts';
import { findInconsistencies, readDatabase } from './support/database-check.ts';
import { dataAt, errorOf, recordOf, recordsOf, startTestPda, type TestPda } from './support/test-pda.ts';

const APPLICATION_QUOTA_BYTES = 1000;
/** Returns a string whose JSON text has `bytes` bytes. */
const jsonText = (bytes: number): string => 'x'.repeat(bytes - 2);

const writerApplication = (id: string) =>
  anApplication({
    id,
    roles: [
      { role: 'namespacewrite', detail: 'shared' },
      { role: 'namespaceread', detail: 'shared' },
    ],
  });

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const start = async (limits: object): Promise<{ pda: TestPda; notes: string; diary: string }> => {
  const pda = await startTestPda({
    config: { limits, applications: [writerApplication('notes'), writerApplication('diary')] },
  });
  closers.push(() => pda.close());
  return { pda, notes: await setUpApplication(pda, 'notes'), diary: await setUpApplication(pda, 'diary') };
};

const post = (pda: TestPda, token: string, json: unknown, endpoint = 'shared/all'): Promise<Reply> =>
  pda.call('POST', `/api/v2.6/data/${endpoint}`, { token, json });
const postBatch = (pda: TestPda, call: Call): Promise<Reply> => pda.call('POST', '/api/v2.6/data-batch', call);

const statusOf = async (pda: TestPda): Promise<Map<string, string | number>> =>
  new Map(
    ((await pda.call('GET', '/api/v2.6/system/status')).json as StatusEntry[]).map(({ title, kind }) => [
      title,
      kind.metric,
    ]),
  );

const expectRefused = (reply: Reply, cause: string): void => {
  expect(reply.status, reply.text).toBe(507);
  expect(errorOf(reply)).toMatchObject({ error: 'out_of_disk', cause: expect.stringContaining(cause) as string });
  expect(errorOf(reply).cause).toContain('Nothing was stored.');
};

describe('record quota per application', () => {
  const limits = { applicationRecordsBytes: APPLICATION_QUOTA_BYTES };

  it('refuses a write above the quota as a whole, without effect on the owner or other applications', async () => {
    const { pda, notes, diary } = await start(limits);
    expect((await post(pda, notes, jsonText(600))).status).toBe(201);
    expectRefused(
      await post(pda, notes, [jsonText(200), jsonText(300)]),
      'Records of the application notes take up 600 of 1000 bytes, and 500 more do not fit. ' +
        'The owner can delete some of them, or raise limits.applicationRecordsBytes in config.json.',
    );
    expect(await dataAt(pda, 'shared/all')).toEqual([jsonText(600)]);
    expect((await post(pda, notes, jsonText(400))).status).toBe(201);
    expectRefused(await post(pda, notes, 1), 'take up 1000 of 1000 bytes, and 1 more');

    expect((await post(pda, pda.token, jsonText(5000))).status).toBe(201);
    expect((await post(pda, diary, jsonText(1000))).status).toBe(201);
    expect(await dataAt(pda, 'shared/all')).toHaveLength(4);
  });

  it('covers batches, creation with skipErrors, and updates, each as a whole', async () => {
    const { pda, notes, diary } = await start(limits);
    const record = recordOf(await post(pda, notes, jsonText(600)));
    const entries = [
      { endpoint: 'shared/other', data: jsonText(300) },
      { endpoint: 'shared/all', data: jsonText(300) },
    ];
    expectRefused(await postBatch(pda, { token: notes, json: entries }), 'the application notes');
    expect(await dataAt(pda, 'shared/other')).toEqual([]);
    expectRefused(await post(pda, notes, [jsonText(300), jsonText(301)], 'shared/other?skipErrors=true'), 'notes');
    expect(await dataAt(pda, 'shared/other')).toEqual([]);

    const update = (token: string, bytes: number): Promise<Reply> =>
      pda.call('PUT', '/api/v2.6/data', { token, json: [{ ...record, data: jsonText(bytes) }] });
    expectRefused(await update(notes, 1001), 'take up 600 of 1000 bytes, and 401 more');
    // A record counts towards the quota of its creator, even when another application makes it larger.
    const otherReply = await update(diary, 1001);
    expectRefused(otherReply, 'Records of the application notes have reached their limit, and 401 more bytes');
    expect(errorOf(otherReply).cause).not.toMatch(/\b(?:600|1000)\b/u);
    expect(await dataAt(pda, 'shared/all')).toEqual([jsonText(600)]);
    expect((await update(notes, 1000)).status).toBe(201);
    expect((await update(pda.token, 1500)).status).toBe(201);
    // Above the limit, the application can still shrink and delete records.
    expect((await update(notes, 1200)).status).toBe(201);
    expectRefused(await update(notes, 1201), 'take up 1200 of 1000 bytes');
    expect((await pda.call('DELETE', `/api/v2.6/data?records=${record.recordId}`, { token: notes })).status).toBe(200);
    expect((await post(pda, notes, jsonText(1000))).status).toBe(201);
  });

  it('measures usage correctly after records are deleted and restored, and after a restart', async () => {
    const { pda, notes } = await start(limits);
    const [firstRecord] = recordsOf(await post(pda, notes, [jsonText(400), jsonText(200)]));
    expect((await post(pda, notes, jsonText(400), 'shared/other')).status).toBe(201);
    const readUsedBytes = async (): Promise<unknown> => (await statusOf(pda)).get('Record Storage Used by notes');
    const deleteByOwner = async (json: unknown): Promise<string> => {
      const reply = await pda.call('POST', '/api/v2.6/owner/deletions', { json });
      expect(reply.status, reply.text).toBeLessThan(300);
      return (reply.json as { deletionId: string }).deletionId;
    };
    expect(await readUsedBytes()).toBe(1000);

    const recordDeletionId = await deleteByOwner({ records: [firstRecord?.recordId] });
    expect(await readUsedBytes()).toBe(600);
    const endpointDeletionId = await deleteByOwner({ endpoint: 'shared/all' });
    expect(await readUsedBytes()).toBe(400);
    await pda.restart();
    expect(await readUsedBytes()).toBe(400);
    // Records created in the meantime count in addition to the restored ones.
    expect((await post(pda, notes, jsonText(100))).status).toBe(201);
    for (const [deletionId, bytes] of [
      [endpointDeletionId, 700],
      [recordDeletionId, 1100],
    ] as const) {
      expect((await pda.call('POST', `/api/v2.6/owner/deletions/${deletionId}/undo`)).status).toBe(200);
      expect(await readUsedBytes()).toBe(bytes);
    }
    expectRefused(await post(pda, notes, 1), 'take up 1100 of 1000 bytes');
    await pda.restart();
    expectRefused(await post(pda, notes, 1), 'take up 1100 of 1000 bytes');

    expect((await pda.call('DELETE', '/api/v2.6/data/shared/all', { token: notes })).status).toBe(200);
    expect(await readUsedBytes()).toBe(400);
    expect((await post(pda, notes, jsonText(600))).status).toBe(201);
  });

  it('applies to contracts, too', async () => {
    const contractedPda = await startContractedPda(
      [aContract('steps-study', [['namespacewrite', 'fitness']])],
      ['steps-study'],
      {
        limits,
      },
    );
    closers.push(() => contractedPda.close());
    const create = async (bytes: number): Promise<Reply> =>
      contractedPda.post('create/fitness/daily', await contractedPda.credentials({ body: jsonText(bytes) }));
    expect((await create(600)).status).toBe(201);
    expectRefused(await create(500), 'Records of the contract steps-study take up 600 of 1000 bytes');
    expect(await dataAt(contractedPda.pda, 'fitness/daily')).toEqual([jsonText(600)]);
  });
});

describe('endpoint limit per application', () => {
  const limits = { applicationEndpoints: 2 };
  const CAUSE = 'The application notes can have records at up to 2 endpoints, and this would be one more.';
  const entriesAt = (...names: string[]) => names.map((name) => ({ endpoint: `shared/${name}`, data: name }));
  const remove = async (pda: TestPda, token: string, path: string): Promise<void> => {
    expect((await pda.call('DELETE', `/api/v2.6/${path}`, { token })).status).toBe(200);
  };

  it('refuses a request above the limit as a whole, and neither counts nor limits the endpoints of others', async () => {
    const { pda, notes, diary } = await start(limits);
    for (const name of ['own', 'more', 'most'])
      expect((await post(pda, pda.token, 1, `shared/${name}`)).status).toBe(201);
    expectRefused(await postBatch(pda, { token: notes, json: entriesAt('a', 'b', 'c') }), CAUSE);
    expect(await dataAt(pda, 'shared/a')).toEqual([]);
    expect((await postBatch(pda, { token: notes, json: entriesAt('a', 'b') })).status).toBe(201);
    for (const endpoint of ['shared/c', 'shared/own', 'shared/own?skipErrors=true'])
      expectRefused(await post(pda, notes, 2, endpoint), CAUSE);
    expect((await post(pda, notes, 2, 'shared/a')).status).toBe(201);
    expect((await postBatch(pda, { token: diary, json: entriesAt('a', 'own') })).status).toBe(201);
    expect((await post(pda, pda.token, 1, 'shared/new')).status).toBe(201);
    expect(findInconsistencies(pda.home)).toEqual([]);
  });

  it('counts endpoints while they have records: an emptied endpoint does not count until it is refilled', async () => {
    const { pda, notes } = await start(limits);
    const [firstRecord] = recordsOf(await postBatch(pda, { token: notes, json: entriesAt('a', 'b') }));
    await remove(pda, notes, `data?records=${firstRecord?.recordId}`);
    expect((await post(pda, notes, 1, 'shared/c')).status).toBe(201);
    expectRefused(await post(pda, notes, 1, 'shared/a'), CAUSE);
    await remove(pda, notes, 'data/shared/b');
    expect((await post(pda, notes, 1, 'shared/a')).status).toBe(201);
    expectRefused(await post(pda, notes, 1, 'shared/b'), CAUSE);
    await pda.restart();
    expectRefused(await post(pda, notes, 1, 'shared/b'), CAUSE);
  });

  it('leaves no rows behind after records at new endpoints are repeatedly created and deleted', async () => {
    const { pda, notes } = await start(limits);
    for (const round of [1, 2, 3]) {
      const names = [`a${round}`, `b${round}`];
      const records = recordsOf(await postBatch(pda, { token: notes, json: entriesAt(...names) }));
      expect(records).toHaveLength(2);
      await remove(pda, notes, `data?records=${records.map(({ recordId }) => recordId).join(',')}`);
    }
    const countRows = (sql: string): unknown => readDatabase(pda.home, (db) => db.prepare(sql).pluck().get());
    expect(countRows("SELECT count(*) FROM endpoints WHERE path GLOB 'shared/*'")).toBe(0);
    expect(countRows("SELECT count(*) FROM record_usage WHERE name = 'notes'")).toBe(0);
  });

  it('never prevents restoring deleted records and endpoints, and counts them again', async () => {
    const { pda, notes } = await start(limits);
    const deleteByOwner = async (json: unknown): Promise<string> =>
      ((await pda.call('POST', '/api/v2.6/owner/deletions', { json })).json as { deletionId: string }).deletionId;
    const [, secondRecord] = recordsOf(await postBatch(pda, { token: notes, json: entriesAt('a', 'b') }));
    const deletionIds = [
      await deleteByOwner({ endpoint: 'shared/a' }),
      await deleteByOwner({ records: [secondRecord?.recordId] }),
    ];
    expect((await postBatch(pda, { token: notes, json: entriesAt('c', 'd') })).status).toBe(201);
    for (const deletionId of deletionIds)
      expect((await pda.call('POST', `/api/v2.6/owner/deletions/${deletionId}/undo`)).status).toBe(200);
    expect(await dataAt(pda, 'shared/b')).toEqual(['b']);
    for (const name of ['a', 'b', 'c', 'd']) expect((await post(pda, notes, 1, `shared/${name}`)).status).toBe(201);
    await remove(pda, notes, 'data/shared/c');
    await remove(pda, notes, 'data/shared/d');
    expectRefused(await post(pda, notes, 1, 'shared/d'), CAUSE);
    expect(findInconsistencies(pda.home)).toEqual([]);
  });
});

describe('total record quota', () => {
  it('counts the owner’s records, but never blocks the owner’s writes', async () => {
    const { pda, notes } = await start({ recordsBytes: 1000 });
    expect((await post(pda, pda.token, jsonText(700), 'own/notes')).status).toBe(201);
    expect((await post(pda, notes, jsonText(200))).status).toBe(201);
    const refusal = await post(pda, notes, jsonText(101));
    expectRefused(
      refusal,
      'The limit for all records has been reached, and data of the application notes does not fit. ' +
        'The owner can delete records, or raise limits.recordsBytes in config.json.',
    );
    expect(errorOf(refusal).cause, 'reveals no sizes of other data').not.toMatch(/\d/u);
    expect((await post(pda, pda.token, jsonText(700), 'own/notes')).status).toBe(201);
    expect((await pda.call('DELETE', '/api/v2.6/data/own/notes')).status).toBe(200);
    expect((await post(pda, notes, jsonText(800))).status).toBe(201);

    const status = await statusOf(pda);
    expect(status.get('Record Storage Limit')).toBe(1000);
    expect(status.get('Record Storage Used')).toBe(1000);
    expect(status.get('Record Storage Used by notes')).toBe(1000);
    expect(status.get('Record Storage Limit per Application')).toBe(10_000_000_000);
  });
});
