import Sqlite from 'better-sqlite3';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportAccount } from '../server/pda/account/transfer/export/writer.ts';
import { transferPaths } from '../server/pda/account/transfer/format/paths.ts';
import { importArchive } from '../server/pda/account/transfer/import/importer.ts';
import { transferTools } from '../server/pda/account/transfer/worker/tools.ts';
import { erasureSchema } from '../server/wire/erasure.ts';
import { recordListSchema } from '../server/wire/records.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { findCanaries, newCanaries } from './support/home-search.ts';
import { postToImport, startImport, uploadImport, waitForImport } from './support/import-over-http.ts';
import { dataAt, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';

// An import keeps the original of each record that it changes, for its undo. Originals are erased and deleted together
// with the data of the application that stored them, and with their records.

const EVENTS = 'calendar/events';

let pda: TestPda;
beforeEach(async () => {
  const roles = [{ role: 'namespacewrite', detail: 'calendar' } as const];
  pda = await startTestPda({
    config: { applications: ['planner', 'other'].map((id) => anApplication({ id, roles })) },
  });
});
afterEach(() => pda.close());

/** Imports a calendar with one event for each title. The same position identifies the same event. */
const importEvents = async (...titles: string[]): Promise<string> => {
  const events = titles.flatMap((title, index) => [
    'BEGIN:VEVENT',
    `UID:${index}`,
    `SUMMARY:${title}`,
    'DTSTART:20240301T080000Z',
    'END:VEVENT',
  ]);
  const calendar = ['BEGIN:VCALENDAR', ...events, 'END:VCALENDAR'].join('\r\n');
  const { importId } = await uploadImport(pda, 'calendar.ics', Buffer.from(calendar));
  await startImport(pda, importId, { format: 'known', kinds: [EVENTS] });
  expect(await waitForImport(pda, importId)).toMatchObject({ state: 'done' });
  return importId;
};

const listIds = async (): Promise<string[]> =>
  recordListSchema
    .parse((await pda.call('GET', `/api/v2.6/data/${EVENTS}?orderBy=title`)).json)
    .map(({ recordId }) => recordId);

const update = async (recordId: string | undefined, title: string, token?: string): Promise<void> => {
  const json = [{ endpoint: EVENTS, recordId, data: { title } }];
  const reply = await pda.call('PUT', '/api/v2.6/data', { json, ...(token === undefined ? {} : { token }) });
  expect(reply.status).toBe(201);
};

const erase = async (kind: 'application' | 'namespace', target: string): Promise<void> => {
  const json = { kind, target, typed: target, password: OWNER.password };
  const reply = await pda.call('POST', '/api/v2.6/owner/erasures', { json });
  expect(reply.status).toBe(202);
  await pda.pda.erasure.waitUntilIdle();
  const { erasureId } = erasureSchema.parse(reply.json);
  expect((await pda.call('GET', `/api/v2.6/owner/erasures/${erasureId}`)).json).toMatchObject({ state: 'done' });
};

const runWhileStopped = async <T>(work: () => T): Promise<T> => {
  await pda.pda.close();
  try {
    return work();
  } finally {
    await pda.restart();
  }
};
const searchHome = (...words: string[]): Promise<string[]> => runWhileStopped(() => findCanaries(pda.home, words));
const withDatabase = <T>(work: (db: Sqlite.Database) => T): Promise<T> =>
  runWhileStopped(() => {
    const db = new Sqlite(join(pda.home, 'pda.sqlite'));
    try {
      return work(db);
    } finally {
      db.close();
    }
  });
const countOriginals = (): Promise<unknown> =>
  withDatabase((db) => db.prepare('SELECT count(*) FROM import_changes').pluck().get());

describe('the original of a record that an import changed', () => {
  it('is erased with the application that stored it, and the originals of others stay', async () => {
    const { secret } = newCanaries(['secret']);
    await importEvents('first', 'second', 'third');
    const ids = await listIds();
    await update(ids[0], secret, await setUpApplication(pda, 'planner'));
    await update(ids[1], 'of another application', await setUpApplication(pda, 'other'));
    const lastImport = await importEvents('new first', 'new second', 'new third');
    expect(await searchHome(secret)).not.toEqual([]);
    await erase('application', 'planner');
    expect(await searchHome(secret)).toEqual([]);
    expect(await countOriginals()).toBe(2);
    await postToImport(pda, lastImport, 'undo');
    expect((await dataAt(pda, EVENTS)).map((event) => (event as { title: string }).title).toSorted()).toEqual([
      'new first',
      'of another application',
      'third',
    ]);
  });

  it('is erased with the application also after another import has taken it over, and without versions', async () => {
    const { secret } = newCanaries(['secret']);
    await importEvents('first');
    const [id] = await listIds();
    await update(id, secret, await setUpApplication(pda, 'planner'));
    const middleImport = await importEvents('second');
    await importEvents('third');
    expect((await pda.call('PUT', '/api/v2.6/owner/record-versions', { json: { days: 0 } })).status).toBe(200);
    await postToImport(pda, middleImport, 'undo');
    expect(await searchHome(secret)).not.toEqual([]);
    await erase('application', 'planner');
    expect(await searchHome(secret)).toEqual([]);
  });

  it('is erased with any application if it is unknown who stored it', async () => {
    const { secret } = newCanaries(['secret']);
    expect((await pda.call('PUT', '/api/v2.6/owner/record-versions', { json: { days: 0 } })).status).toBe(200);
    await importEvents('first');
    const [id] = await listIds();
    await update(id, secret, await setUpApplication(pda, 'planner'));
    await importEvents('second');
    await erase('application', 'planner');
    expect(await searchHome(secret)).toEqual([]);
  });

  it('is erased with its record, also after the record was moved to another namespace', async () => {
    const { secret } = newCanaries(['secret']);
    await importEvents(secret);
    await importEvents('second');
    const moveReply = await pda.call('POST', '/api/v2.6/owner/record-moves', {
      json: { from: EVENTS, to: 'diary/days', records: await listIds() },
    });
    expect(moveReply.status).toBe(200);
    await erase('namespace', 'diary');
    expect(await searchHome(secret)).toEqual([]);
  });

  it('is deleted with its record, but only when the record can no longer be restored', async () => {
    await importEvents('first', 'second');
    await importEvents('new first', 'new second');
    const [firstId, secondId] = await listIds();
    expect((await pda.call('DELETE', `/api/v2.6/data?records=${firstId}`)).status).toBe(200);
    expect(await countOriginals()).toBe(1);
    const deletionReply = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { records: [secondId] } });
    const { deletionId } = deletionReply.json as { deletionId: string };
    expect(await countOriginals()).toBe(1);
    await pda.call('DELETE', `/api/v2.6/owner/deletions/${deletionId}`);
    await pda.pda.deletions.sweep();
    expect(await countOriginals()).toBe(0);
  });

  it('is deleted with its endpoint', async () => {
    await importEvents('first');
    await importEvents('new first');
    await pda.call('DELETE', `/api/v2.6/data/${EVENTS}`);
    await pda.pda.deletions.sweep();
    expect(await countOriginals()).toBe(0);
  });

  it('is exported with its author, but an archive of an older program restores none of deleted records', async () => {
    await importEvents('first', 'second');
    const ids = await listIds();
    await update(ids[0], 'of an application', await setUpApplication(pda, 'planner'));
    await importEvents('new first', 'new second');
    // A record with this sequence number does not exist.
    const addOrphan =
      "INSERT INTO import_changes SELECT import, endpoint, x'01', 1, content, data, NULL FROM import_changes LIMIT 1";
    await withDatabase((db) => db.exec(addOrphan));
    const selectAuthors = (db: Sqlite.Database): unknown[] =>
      db.prepare('SELECT kind FROM import_changes LEFT JOIN origins ON id = author ORDER BY kind').pluck().all();
    expect(await withDatabase(selectAuthors)).toEqual([null, 'application', 'import']);
    const folder = mkdtempSync(join(tmpdir(), 'pda-import-originals-'));
    try {
      const archive = join(folder, 'archive.zip');
      const tools = { ...transferTools, now: pda.clock.now(), onProgress: () => undefined };
      await pda.pda.close();
      await exportAccount({
        ...tools,
        home: pda.home,
        snapshotPath: join(folder, 'snapshot.sqlite'),
        program: '0.0.0',
        write: async (chunk) => appendFileSync(archive, chunk),
      });
      await importArchive(archive, { ...tools, home: folder });
      const db = new Sqlite(join(transferPaths(folder).completeImport, 'pda.sqlite'), { readonly: true });
      expect(selectAuthors(db)).toEqual(['application', 'import']);
      db.close();
    } finally {
      await pda.restart();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
