import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createExampleProposal } from '../server/pda/account/examples/data-rules.ts';
import { examplesSchema, type Examples } from '../server/wire/examples.ts';
import { ownerDebitSchema } from '../server/wire/debits.ts';
import { feedItemSchema } from '../server/wire/feed.ts';
import { storeFile } from './support/files.ts';
import { dataAt, errorOf, startTestPda, type TestPda } from './support/test-pda.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
  await pda.call('POST', '/api/v2.6/data/diary/pages', { json: [{ text: 'mine' }, { text: 'mine, too' }] });
});
afterAll(() => pda.close());

const PATH = '/api/v2.6/owner/examples';
const callExamples = async (method = 'GET', status = 200): Promise<Examples> => {
  const reply = await pda.call(method, PATH);
  if (reply.status !== status) throw new Error(reply.text);
  return examplesSchema.parse(reply.json);
};
const loadExamples = (): Promise<Examples> => callExamples('POST', 201);
const removeExamples = (): Promise<Examples> => callExamples('DELETE');

/**
 * Tables that may change regardless of example data: sessions, sequence numbers, which are never reused, and the
 * statistics of the query planner.
 */
const VOLATILE_TABLES = new Set(['sessions', 'sqlite_sequence', 'sqlite_stat1']);

const readAllTables = (): Record<string, unknown[]> => {
  const db = new Database(join(pda.home, 'pda.sqlite'), { readonly: true });
  try {
    const tables = db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
      .pluck()
      .all()
      // Excludes the tables of the full-text indexes, which are filled in the background.
      .filter((name) => !VOLATILE_TABLES.has(name) && !/^(?:files_text|file_text|record_search|search)_/u.test(name));
    return Object.fromEntries(tables.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).raw().all()]));
  } finally {
    db.close();
  }
};
const listFiles = (): string[] =>
  readdirSync(join(pda.home, 'files'), { recursive: true, encoding: 'utf8' }).toSorted();

const approveRequest = async (): Promise<void> => {
  const reply = await pda.call('GET', '/api/v2.6/data-debit/example-walk-report/enable');
  expect(reply.status).toBe(200);
};

describe('example data', () => {
  it('is not loaded by default', async () => {
    expect(await callExamples()).toStrictEqual({ stored: null, records: 0, sources: [], files: 0, request: null });
  });

  it('contains records of several weeks from three sources, two files and a request, all marked as examples', async () => {
    const examples = await loadExamples();
    expect(examples.sources).toStrictEqual(['example-calendar', 'example-spending', 'example-steps']);
    expect([examples.files, examples.request]).toStrictEqual([2, 'example-walk-report']);
    expect(examples.records).toBeGreaterThan(90);
    for (const endpoint of ['example-steps/daily-steps', 'example-calendar/events', 'example-spending/payments']) {
      const records = await dataAt(pda, endpoint);
      expect(records.length).toBeGreaterThan(15);
      expect(records.filter((record) => Object(record).example !== true)).toStrictEqual([]);
    }
    const feed = z.array(feedItemSchema).parse((await pda.call('GET', '/api/v2.6/she/feed?take=5')).json);
    expect(feed.map(({ source }) => source)).toContain('example-calendar');
    expect(listFiles()).toStrictEqual([
      'example-notes',
      'example-notes/packing-list.txt',
      'example-notes/readings.csv',
    ]);
    const exampleDebit = ownerDebitSchema.parse(
      (await pda.call('GET', '/api/v2.6/owner/debits/example-walk-report')).json,
    );
    expect(exampleDebit.waiting).not.toBeNull();
    expect(exampleDebit.debit.requestClientName).toContain('example');
  });

  it('cannot be loaded twice', async () => {
    const loadedExamples = await callExamples();
    expect(errorOf(await pda.call('POST', PATH)).error).toBe('wrong_state');
    expect(await callExamples()).toStrictEqual(loadedExamples);
  });

  it('returns values for its request once the request is approved', async () => {
    await approveRequest();
    const values = await pda.call('GET', '/api/v2.6/data-debit/example-walk-report/values');
    expect(Object(values.json).bundle.walks).toHaveLength(14);
    expect(Object.keys(Object(values.json).bundle.walks[0].data)).toStrictEqual(['day', 'steps', 'restingPulse']);
  });

  it("is removed completely, and the owner's own data stays", async () => {
    expect(await removeExamples()).toMatchObject({ stored: null });
    expect(listFiles()).toStrictEqual([]);
    expect(Object((await pda.call('GET', '/api/v2.6/data/sources')).json)).toStrictEqual({ diary: ['pages'] });
    expect(await dataAt(pda, 'diary/pages')).toStrictEqual([{ text: 'mine' }, { text: 'mine, too' }]);
    expect((await pda.call('GET', '/api/v2.6/data-debit/example-walk-report')).status).toBe(404);
    const searchReply = await pda.call('POST', '/api/v2.6/files/search', { json: { name: 'packing' } });
    expect(searchReply.json).toStrictEqual([]);
  });

  it('leaves no trace in any table, even if it was used and partly deleted', async () => {
    await pda.call('GET', PATH);
    const originalTables = readAllTables();
    const files = listFiles();
    expect(originalTables['records']).toHaveLength(2);
    await loadExamples();
    expect(readAllTables()).not.toStrictEqual(originalTables);
    await approveRequest();
    await pda.call('GET', '/api/v2.6/data-debit/example-walk-report/values');
    await pda.call('GET', '/api/v2.6/data-debit/example-walk-report/disable');
    await pda.call('DELETE', '/api/v2.6/data/example-spending/payments');
    await pda.call('DELETE', '/api/v2.6/owner/endpoints/example-calendar/events');
    await pda.restart();
    await removeExamples();
    const finalTables = readAllTables();
    // The daily counts (table `activity`) still include the owner's own changes.
    const { activity: activityBefore, ...tablesBefore } = originalTables;
    const { activity: activityAfter, ...tablesAfter } = finalTables;
    expect(tablesAfter).toStrictEqual(tablesBefore);
    expect(activityAfter?.length).toBeGreaterThanOrEqual(activityBefore?.length ?? 0);
    expect(listFiles()).toStrictEqual(files);
  });

  it('is removed from the daily counts too if nothing else was done', async () => {
    const originalTables = readAllTables();
    await loadExamples();
    pda.clock.advance(3 * 86_400_000 - 7_200_000);
    pda.token = await pda.signIn();
    await removeExamples();
    // The owner signed in again in between, which is logged.
    const isOutsideLedger = ([name]: [string, unknown]): boolean => !name.startsWith('ledger');
    const [tablesBefore, tablesAfter] = [originalTables, readAllTables()].map((tables) =>
      Object.fromEntries(Object.entries(tables).filter(isOutsideLedger)),
    );
    expect(tablesAfter).toStrictEqual(tablesBefore);
  });

  it('can be removed after its loading was interrupted', async () => {
    const originalTables = readAllTables();
    await loadExamples();
    // Simulates an interruption before the request was created.
    await pda.call('DELETE', '/api/v2.6/data-debit/example-walk-report');
    await pda.restart();
    await removeExamples();
    await removeExamples();
    expect(readAllTables()).toStrictEqual(originalTables);
    expect(existsSync(join(pda.home, 'files', 'example-notes'))).toBe(false);
  });

  it('is loaded without a file whose upload is cancelled before it completes', async () => {
    const { files } = pda.pda.fileModule;
    const complete = files.complete.bind(files);
    const completeSpy = vi.spyOn(files, 'complete').mockImplementationOnce(async (fileId, caller) => {
      await files.abandonUpload(fileId);
      return complete(fileId, caller);
    });
    expect(await loadExamples()).toMatchObject({ files: 1, request: 'example-walk-report' });
    completeSpy.mockRestore();
    await removeExamples();
  });

  it('is refused if its files exceed the quota, and the part that was loaded can be removed', async () => {
    const smallPda = await startTestPda({ config: { limits: { filesBytes: 10 } } });
    expect(errorOf(await smallPda.call('POST', PATH)).error).toBe('too_large');
    expect((await smallPda.call('DELETE', PATH)).json).toMatchObject({ stored: null, records: 0, files: 0 });
    await smallPda.close();
  });

  it('is not loaded if its removal would remove an existing request or file', async () => {
    const start = new Date(pda.clock.now()).toISOString();
    const json = { ...createExampleProposal(pda.clock.now()), start, requestClientName: 'Another' };
    expect((await pda.call('POST', '/api/v2.6/data-debit/example-walk-report', { json })).status).toBe(201);
    expect(errorOf(await pda.call('POST', PATH))).toMatchObject({
      error: 'wrong_state',
      cause: 'A request named example-walk-report already exists. Nothing was added.',
    });
    await storeFile(pda, 'trip.txt', 'keep me', { source: 'example-trip' });
    expect(errorOf(await pda.call('POST', PATH))).toMatchObject({
      error: 'wrong_state',
      cause: 'A source that begins with example- contains your own files. Nothing was added.',
    });
    expect((await removeExamples()).stored).toBeNull();
    expect((await pda.call('GET', '/api/v2.6/data-debit/example-walk-report')).status).toBe(200);
    expect(listFiles()).toContain('example-trip/trip.txt');
  });

  it("is not loaded if a namespace that begins with example- has the owner's data", async () => {
    await pda.call('POST', '/api/v2.6/data/example-mine/notes', { json: { text: 'keep me' } });
    expect(errorOf(await pda.call('POST', PATH))).toMatchObject({
      error: 'wrong_state',
      cause: 'A namespace that begins with example- contains your own data. Nothing was added.',
    });
    await removeExamples();
    expect(await dataAt(pda, 'example-mine/notes')).toStrictEqual([{ text: 'keep me' }]);
  });
});

describe('first steps', () => {
  const STEPS = '/api/v2.6/owner/first-steps';
  const setDismissed = (step: string, isDismissed: boolean) =>
    pda.call('PUT', STEPS, { json: { step, dismissed: isDismissed } });

  it('stay dismissed and can be shown again', async () => {
    expect((await setDismissed('backup', true)).json).toStrictEqual({ dismissed: ['backup'] });
    await setDismissed('address', true);
    await pda.restart();
    expect((await pda.call('GET', STEPS)).json).toStrictEqual({ dismissed: ['address', 'backup'] });
    expect((await setDismissed('backup', false)).json).toStrictEqual({ dismissed: ['address'] });
    expect((await setDismissed('unknown', true)).status).toBe(400);
  });
});
