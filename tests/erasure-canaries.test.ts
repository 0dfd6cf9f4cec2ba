import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { erasurePreviewSchema, erasureSchema, type Erasure, type ErasureRequest } from '../server/wire/erasure.ts';
import { CHANGED_RECORDS_MAX_BYTES } from '../server/wire/work-limits.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { ENCRYPTION_HEADERS, createFileRecord, putContent, storeFile } from './support/files.ts';
import { newCanaries, newCanary, findCanaries } from './support/home-search.ts';
import { waitForImport, startImport, uploadImport } from './support/import-over-http.ts';
import { dataAt, errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// After an erasure, no erased data is left on the disk. Every byte of the home is searched.

const PREVIEW = '/api/v2.6/owner/erasure-preview';
const ERASURES = '/api/v2.6/owner/erasures';

const startErasure = async (pda: TestPda, erasureRequest: Partial<ErasureRequest>): Promise<Erasure> => {
  const { kind = 'namespace', target = '' } = erasureRequest;
  const preview = erasurePreviewSchema.parse(
    (await pda.call('GET', `${PREVIEW}?kind=${kind}&target=${encodeURIComponent(target)}`)).json,
  );
  const reply = await pda.call('POST', ERASURES, {
    json: { kind, target, typed: preview.typed, password: OWNER.password, ...erasureRequest },
  });
  if (reply.status !== 202) throw new Error(`${reply.status} ${reply.text}`);
  return erasureSchema.parse(reply.json);
};

const readErasure = async (pda: TestPda, { erasureId }: Erasure): Promise<Erasure> =>
  erasureSchema.parse((await pda.call('GET', `${ERASURES}/${erasureId}`)).json);

const erase = async (pda: TestPda, request: Partial<ErasureRequest>): Promise<Erasure> => {
  const startedErasure = await startErasure(pda, request);
  await pda.pda.erasure.waitUntilIdle();
  return readErasure(pda, startedErasure);
};

/** Reads or changes the home on the disk while the server is stopped. */
const runWhileStopped = async <T>(pda: TestPda, work: () => T): Promise<T> => {
  await pda.pda.close();
  try {
    return work();
  } finally {
    await pda.restart();
  }
};

const searchHome = (pda: TestPda, canaries: Record<string, string>): Promise<string[]> =>
  runWhileStopped(pda, () => findCanaries(pda.home, Object.values(canaries)));

/**
 * Maximum CPU time in milliseconds for which the main thread may work without a pause. The limit includes work of the
 * test itself.
 */
const TURN_MAX_MS = 100;

const FILLER = 'lorem ipsum dolor sit amet '.repeat(20);

const OTHER_RECORDS = Array.from({ length: 200 }, (_, n) => ({ n, text: `kept ${n} ${FILLER}` }));

const post = async (pda: TestPda, endpoint: string, json: unknown, token?: string): Promise<string[]> => {
  const reply = await pda.call('POST', `/api/v2.6/data/${endpoint}`, {
    json,
    ...(token === undefined ? {} : { token }),
  });
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`);
  return [reply.json as { recordId: string }[]].flat().map(({ recordId }) => recordId);
};

describe('erasing a namespace', () => {
  let pda: TestPda;
  const canaries = newCanaries([
    'plain',
    'large',
    'old',
    'undoableold',
    'hiddenold',
    'goneold',
    'word',
    'indexed',
    'undoable',
    'hidden',
    'gone',
    'import',
    'importname',
    'failed',
    'derived',
    'log',
    'sourcename',
  ]);
  let report: Erasure;
  let blockedMs = 0;

  beforeAll(async () => {
    pda = await startTestPda();
    await post(pda, 'kept/notes', OTHER_RECORDS);
    for (const field of ['text', 'tag'])
      await pda.call('POST', `/api/v2.6/combinator/diary-${field}`, {
        json: [
          {
            endpoint: 'diary/days',
            filters: [
              field === 'text'
                ? {
                    field: 'text',
                    transformation: { transformation: 'searchable' },
                    operator: { operator: 'find', search: 'anything' },
                  }
                : { field: 'tag', operator: { operator: 'in', value: ['x'] } },
            ],
          },
        ],
      });
    // There are many records, so that split pages and moved cells leave remnants.
    await post(
      pda,
      'diary/days',
      Array.from({ length: 400 }, (_, n) => ({
        n,
        text: `day ${n} ${canaries.word} ${FILLER}`,
        tag: canaries.indexed,
      })),
    );
    await post(pda, 'diary/days', [{ text: canaries.plain }, { text: `${canaries.large} ${FILLER.repeat(60)}` }]);
    const [changedId] = await post(pda, 'diary/days', { text: canaries.old });
    await pda.call('PUT', '/api/v2.6/data', {
      json: [{ endpoint: 'diary/days', recordId: changedId, data: { text: 'new' } }],
    });
    const replaceFirst = async (endpoint: string, [recordId]: string[], text: string): Promise<void> => {
      for (const data of [{ text }, { text: 'new' }])
        await pda.call('PUT', '/api/v2.6/data', { json: [{ endpoint, recordId, data }] });
    };
    const undoableIds = await post(
      pda,
      'diary/days',
      Array.from({ length: 30 }, (_, n) => ({ n, text: `${canaries.undoable} ${FILLER}` })),
    );
    await replaceFirst('diary/days', undoableIds, canaries.undoableold);
    await pda.call('POST', '/api/v2.6/owner/deletions', { json: { records: undoableIds } });
    const hiddenIds = await post(
      pda,
      'diary/hidden',
      Array.from({ length: 30 }, (_, n) => ({ n, text: `${canaries.hidden} ${FILLER}` })),
    );
    await replaceFirst('diary/hidden', hiddenIds, canaries.hiddenold);
    await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint: 'diary/hidden' } });
    const deletedEndpointIds = await post(
      pda,
      'diary/gone',
      Array.from({ length: 30 }, (_, n) => ({ n, text: `${canaries.gone} ${FILLER}` })),
    );
    await replaceFirst('diary/gone', deletedEndpointIds, canaries.goneold);
    await pda.call('DELETE', '/api/v2.6/data/diary/gone');
    await pda.call('PUT', '/api/v2.6/owner/namespaces/diary', { json: { name: canaries.sourcename } });
    const finishedImport = await uploadImport(
      pda,
      `${canaries.importname}.ndjson`,
      Buffer.from(`${JSON.stringify({ text: canaries.import })}\n`),
    );
    await startImport(pda, finishedImport.importId, { endpoint: 'diary/imported', format: 'ndjson' });
    await waitForImport(pda, finishedImport.importId);
    const failedImport = await uploadImport(
      pda,
      'failed.ndjson',
      Buffer.from(`{"text":"${canaries.failed}"}\n{"text":"${canaries.failed}" broken\n`),
    );
    await startImport(pda, failedImport.importId, { endpoint: 'diary/imported', format: 'ndjson' });
    await waitForImport(pda, failedImport.importId);
    await pda.pda.records.create([{ endpoint: 'digest/made', data: JSON.stringify({ text: canaries.derived }) }], {
      kind: 'function',
      name: 'digest',
      reference: 'run-1',
    });
    await pda.pda.indexes.waitUntilIdle();
    await runWhileStopped(pda, () => {
      const db = new Sqlite(join(pda.home, 'pda.sqlite'));
      db.prepare(
        "INSERT INTO functions (id, version, location, endpoint, approved) VALUES ('digest', '1.0.0', 'elsewhere', 'digest/made', ?)",
      ).run(
        JSON.stringify({
          dataBundle: { name: 'digest', bundle: { days: { endpoints: [{ endpoint: 'diary/days' }] } } },
        }),
      );
      db.prepare(
        `INSERT INTO function_runs (id, function, version, reason, started, finished, chain, until_date, endpoint, log, message)
         VALUES ('run-1', 'digest', '1.0.0', 'owner', 1, 2, '[]', 2, 'digest/made', ?, ?)`,
      ).run(JSON.stringify([canaries.log]), canaries.log);
      db.close();
      cpSync(join(pda.home, 'pda.sqlite'), join(pda.home, 'backups', 'copy-0.1.0.sqlite'));
      writeFileSync(join(pda.home, 'pda.sqlite.new-wal'), canaries.plain);
      writeFileSync(join(pda.home, 'pda.sqlite.copy.new'), canaries.plain);
      writeFileSync(join(pda.home, 'backups', 'snapshot-1.sqlite'), canaries.plain);
    });
  });
  afterAll(() => pda.close());

  it('begins with every canary on the disk', async () => {
    const findings = await searchHome(pda, canaries);
    for (const canaryWord of Object.values(canaries)) expect(findings.join('\n')).toContain(canaryWord);
    expect(findings).toContain(`${canaries.word} as a word of an index`);
  });

  it('has a preview of the erased data, the remaining data, and the recipients', async () => {
    const preview = erasurePreviewSchema.parse((await pda.call('GET', `${PREVIEW}?kind=namespace&target=diary`)).json);
    expect(preview).toMatchObject({
      typed: 'diary',
      what: { records: 405, deletedRecords: 60, derivedRecords: 1, imports: 2, files: 0 },
      endpoints: expect.arrayContaining(['diary/days', 'diary/hidden']) as unknown,
      derived: [{ function: 'digest', records: 1 }],
      receivers: [],
      backups: null,
      copies: [{ name: 'copy-0.1.0.sqlite' }],
    });
    expect(preview.remaining).toContain('ledger');
  });

  it('requires the password and the name, and logs and limits refused attempts', async () => {
    const requestErasure = (json: object) =>
      pda.call('POST', ERASURES, {
        json: { kind: 'namespace', target: 'diary', typed: 'diary', password: OWNER.password, ...json },
      });
    const refusedReply = await requestErasure({ password: 'not it' });
    expect([refusedReply.status, errorOf(refusedReply).error]).toEqual([403, 'forbidden']);
    expect((await requestErasure({ typed: 'diaries' })).status).toBe(400);
    expect((await requestErasure({ target: 'a/b', typed: 'a/b' })).status).toBe(400);
    expect(await dataAt(pda, 'diary/days')).toHaveLength(403);
    // A caller without the password may have stolen an open session, so the owner sees the attempt, and it counts
    // against the login throttle.
    const loggedAttempts = (await pda.pda.ledger.list({ take: 50 })).rows.filter(({ action }) => action === 'erasure');
    expect(
      loggedAttempts
        .map(({ status, reason }) => [status, reason])
        .toReversed()
        .slice(0, 2),
    ).toStrictEqual([
      [403, 'forbidden'],
      [400, 'invalid_input'],
    ]);
    let lastReply = refusedReply;
    for (let attempt = 0; attempt < 20 && lastReply.status !== 429; attempt += 1)
      lastReply = await requestErasure({ password: 'not it' });
    expect([lastReply.status, errorOf(lastReply).error]).toEqual([429, 'rate_limited']);
    expect((await requestErasure({})).status).toBe(429);
    pda.clock.advance(60_000);
  });

  it('leaves none of its data on the disk, and everything else unchanged', async () => {
    // Measures the CPU time between two turns of the event loop, because durations depend on other load.
    let lastUsage = process.threadCpuUsage();
    const timer = setInterval(() => {
      const { user, system } = process.threadCpuUsage(lastUsage);
      blockedMs = Math.max(blockedMs, (user + system) / 1000);
      lastUsage = process.threadCpuUsage();
    }, 1);
    report = await erase(pda, { target: 'diary' });
    clearInterval(timer);
    expect(report).toMatchObject({
      kind: 'namespace',
      subject: 'diary',
      state: 'done',
      copiesRemoved: 1,
      copies: [],
      backups: null,
      problem: null,
    });
    const findings = await searchHome(pda, canaries);
    expect(findings).toEqual([]);
    expect(await dataAt(pda, 'kept/notes')).toEqual(OTHER_RECORDS);
    expect(await pda.pda.verify()).toEqual([]);
  });

  it('keeps a report without the data, even after a restart', async () => {
    expect(await readErasure(pda, report)).toEqual(report);
    expect(report.what).toMatchObject({ records: 405, deletedRecords: 60, imports: 2 });
    expect((await pda.call('GET', '/api/v2.6/owner/deletions')).json).toEqual([]);
  });

  it('allows reusing the namespace', async () => {
    await post(pda, 'diary/days', { text: 'a new day' });
    expect(await dataAt(pda, 'diary/days')).toEqual([{ text: 'a new day' }]);
  });

  it(`blocks the main thread for less than ${TURN_MAX_MS} ms of CPU time at a time`, () => {
    expect(blockedMs).toBeGreaterThan(0);
    expect(blockedMs).toBeLessThan(TURN_MAX_MS);
  });
});

describe('erasing a file', () => {
  let pda: TestPda;
  const canaries = newCanaries(['content', 'name', 'title', 'description', 'tag', 'removed', 'part']);
  let id = '';
  let removedId = '';
  let unfinishedId = '';

  beforeAll(async () => {
    pda = await startTestPda();
    const keptFile = await storeFile(pda, 'kept.txt', 'kept', { title: 'kept words' });
    expect(keptFile.fileId).not.toBe('');
    const file = await storeFile(pda, `${canaries.name}.txt`, canaries.content, {
      title: canaries.title,
      description: canaries.description,
      tags: [canaries.tag],
    });
    id = file.fileId ?? '';
    removedId = (await storeFile(pda, 'removed.txt', canaries.removed)).fileId ?? '';
    await pda.call('DELETE', `/api/v2.6/files/file/${removedId}`);
    const unfinishedFile = await createFileRecord(pda, 'part.txt');
    unfinishedId = unfinishedFile.fileId ?? '';
    await putContent(unfinishedFile.contentUrl, canaries.part, ENCRYPTION_HEADERS);
  });
  afterAll(() => pda.close());

  it('begins with every canary on the disk', async () => {
    const findings = (await searchHome(pda, canaries)).join('\n');
    for (const word of Object.values(canaries)) expect(findings).toContain(word);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'requires its name, and leaves no trace of its content, name, words and tags',
    async () => {
      const refusedReply = await pda.call('POST', ERASURES, {
        json: { kind: 'file', target: id, typed: id, password: OWNER.password },
      });
      expect(refusedReply.status).toBe(400);
      const reports = [];
      for (const target of [id, removedId, unfinishedId]) reports.push(await erase(pda, { kind: 'file', target }));
      expect(reports.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
      expect(reports[0]?.what).toMatchObject({ files: 1, bytes: canaries.content.length });
      const findings = await searchHome(pda, canaries);
      expect(findings).toEqual([]);
      expect((await pda.call('GET', `/api/v2.6/files/file/${id}`)).status).toBe(404);
      const secondPreview = await pda.call('GET', `${PREVIEW}?kind=file&target=${id}`);
      expect(secondPreview.status).toBe(404);
    },
  );
});

describe('erasing the data of an application', () => {
  let pda: TestPda;
  const canaries = newCanaries(['own', 'earlier', 'stored', 'shared', 'deleted', 'hidden', 'filter', 'file']);
  let token = '';
  let ownerRecordId = '';

  beforeAll(async () => {
    const application = anApplication({
      id: 'notes',
      roles: [
        { role: 'namespacewrite', detail: 'notes' },
        { role: 'namespacewrite', detail: 'shared' },
        { role: 'managefiles', detail: 'notes' },
      ],
    });
    pda = await startTestPda({
      config: {
        applications: [
          {
            ...application,
            permissions: {
              ...application.permissions,
              dataRetrieved: {
                name: 'notes-data',
                bundle: {
                  some: {
                    endpoints: [
                      {
                        endpoint: 'shared/all',
                        filters: [{ field: 'text', operator: { operator: 'in', value: [canaries.filter] } }],
                      },
                    ],
                  },
                },
              },
            },
          },
        ],
      },
    });
    token = await setUpApplication(pda, 'notes');
    await post(
      pda,
      'notes/all',
      Array.from({ length: 150 }, (_, n) => ({ n, text: `${canaries.own} ${FILLER}` })),
      token,
    );
    // These records are too large to be deleted in one transaction.
    const largeRecord = { text: 'x'.repeat(CHANGED_RECORDS_MAX_BYTES / 2) };
    for (const record of [largeRecord, largeRecord]) await post(pda, 'notes/all', [record], token);
    [ownerRecordId = ''] = await post(pda, 'shared/all', [{ text: 'mine' }, { text: 'mine too' }]);
    // Data of the application remains in earlier versions of one of its records and one of the owner's.
    const [changedId] = await post(pda, 'notes/all', [{ text: canaries.earlier }], token);
    for (const update of [
      { endpoint: 'notes/all', recordId: changedId, data: { text: 'changed' } },
      { endpoint: 'shared/all', recordId: ownerRecordId, data: { text: canaries.stored } },
      { endpoint: 'shared/all', recordId: ownerRecordId, data: { text: 'mine again' } },
    ])
      await pda.call('PUT', '/api/v2.6/data', {
        json: [update],
        ...(update.data.text === 'mine again' ? {} : { token }),
      });
    await post(pda, 'shared/all', [{ text: canaries.shared }], token);
    const [deletedId] = await post(pda, 'shared/all', [{ text: canaries.deleted }], token);
    await pda.call('POST', '/api/v2.6/owner/deletions', { json: { records: [deletedId] } });
    await post(pda, 'shared/hidden', [{ text: canaries.hidden }], token);
    await post(pda, 'shared/hidden', [{ text: 'mine, hidden' }]);
    await storeFile(pda, 'note.txt', canaries.file, { source: 'notes' }, token);
  });
  afterAll(() => pda.close());

  it.skipIf(!IS_THOROUGH_RUN)(
    'removes its records everywhere, its files, sessions and the values in its consents, and no data of others',
    async () => {
      const hiddenDeletion = (
        await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint: 'shared/hidden' } })
      ).json as { deletionId: string };
      const originalFindings = (await searchHome(pda, canaries)).join('\n');
      for (const word of Object.values(canaries)) expect(originalFindings).toContain(word);
      const report = await erase(pda, { kind: 'application', target: 'notes' });
      expect(report).toMatchObject({
        state: 'done',
        subject: 'notes',
        what: { records: 154, deletedRecords: 2, files: 1, consents: 1 },
      });
      // config.json and the list of applications in the database contain the bundle that the application requests, and
      // are not erased.
      const findings = await searchHome(pda, canaries);
      expect(
        findings.filter(
          (location) =>
            !location.endsWith('config.json') &&
            !(location.includes('canaryfilter') && location.includes('pda.sqlite')),
        ),
      ).toEqual([]);
      const db = new Sqlite(join(pda.home, 'pda.sqlite'), { readonly: true });
      const consents = db
        .prepare<[], string>("SELECT asked || coalesce(granted, '') FROM debit_permissions")
        .pluck()
        .all();
      db.close();
      expect(consents.join('')).not.toContain(canaries.filter);
      expect(consents.join('')).toContain('shared/all');
      expect(await dataAt(pda, 'shared/all')).toEqual([{ text: 'mine again' }, { text: 'mine too' }]);
      const { versions } = (await pda.call('GET', `/api/v2.6/owner/records/${ownerRecordId}/versions`)).json as {
        versions: { bytes: number }[];
      };
      expect(versions).toMatchObject([{ bytes: '{"text":"mine"}'.length }]);
      expect((await pda.call('GET', '/api/v2.6/data/notes/all', { token })).status).toBe(401);
      expect(
        (await pda.call('POST', `/api/v2.6/owner/deletions/${hiddenDeletion.deletionId}/undo`)).json,
      ).toMatchObject({
        records: 1,
      });
      expect(await dataAt(pda, 'shared/hidden')).toEqual([{ text: 'mine, hidden' }]);
      expect((await pda.call('GET', '/api/v2.6/owner/endpoints')).json).toContainEqual(
        expect.objectContaining({ endpoint: 'shared/hidden', records: 1 }),
      );
      // The consents can still be read.
      expect((await pda.call('GET', '/api/v2.6/owner/debits')).status).toBe(200);
    },
  );
});

describe('data in copies of the database', () => {
  it.skipIf(!IS_THOROUGH_RUN)('remains if the owner keeps the copies, and the report lists them', async () => {
    const pda = await startTestPda();
    const word = newCanary('copied');
    await post(pda, 'diary/days', { text: word });
    await runWhileStopped(pda, () =>
      cpSync(join(pda.home, 'pda.sqlite'), join(pda.home, 'backups', 'before-format-99-from-1.sqlite')),
    );
    const report = await erase(pda, { target: 'diary', copies: false });
    expect(report.copies).toMatchObject([{ name: 'before-format-99-from-1.sqlite' }]);
    expect(report.copiesRemoved).toBe(0);
    const findings = await runWhileStopped(pda, () => findCanaries(pda.home, [word]));
    expect(findings).toEqual([`${word} as plain in backups/before-format-99-from-1.sqlite`]);
    await pda.close();
  });
});
