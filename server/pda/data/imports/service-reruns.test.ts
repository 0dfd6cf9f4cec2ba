import { mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findInconsistencies } from '../../../../tests/support/database-check.ts';
import {
  parseImportJob,
  postToImport,
  startImport,
  uploadImport,
  waitForImport,
} from '../../../../tests/support/import-over-http.ts';
import { dataAt, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { Failure } from '../../../platform/failure.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

/** 20 elements, followed by an invalid one. */
const BROKEN_CONTENT = `${Array.from({ length: 20 }, (_, n) => `{"n":${n}}\n`).join('')}broken`;

const upload = async (name: string, content: string): Promise<string> =>
  (await uploadImport(pda, name, Buffer.from(content))).importId;

const runUntilFailure = async (importId: string, endpoint: string): Promise<void> => {
  await startImport(pda, importId, { endpoint, format: 'ndjson' });
  expect(await waitForImport(pda, importId)).toMatchObject({ state: 'failed', endpoint, added: 20, kinds: [] });
};

it('resumes an import only once for concurrent requests', async () => {
  const importId = await upload('broken.ndjson', BROKEN_CONTENT);
  await runUntilFailure(importId, 'in/concurrent');
  const { imports } = pda.pda;
  const runAgain = (): Promise<{ state: string }> =>
    imports
      .run(importId, { endpoint: 'in/concurrent', format: 'ndjson' })
      .catch(({ code }: { code: string }) => ({ state: code }));
  const outcomes = await Promise.all([runAgain(), runAgain()]);
  expect(outcomes.map(({ state }) => state)).toEqual(['running', 'wrong_state']);
  expect(await waitForImport(pda, importId)).toMatchObject({ state: 'failed', added: 20 });
});

describe('an interrupted import whose records were deleted starts from the first element', () => {
  const deleteRecords = async (endpoint: string, count: number): Promise<void> => {
    const reply = await pda.call('GET', `/api/v2.6/data/${endpoint}?take=${count}&ordering=descending`);
    const records = reply.json as { recordId: string }[];
    const query = records.map(({ recordId }) => `records=${recordId}`).join('&');
    expect((await pda.call('DELETE', `/api/v2.6/data?${query}`)).status).toBe(200);
  };

  it('even if the endpoint has other records', async () => {
    const endpoint = 'in/with-others';
    await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: Array.from({ length: 30 }, (_, n) => ({ mine: n })) });
    const importId = await upload('broken.ndjson', BROKEN_CONTENT);
    await runUntilFailure(importId, endpoint);
    await deleteRecords(endpoint, 20);
    await runUntilFailure(importId, endpoint);
    expect(await dataAt(pda, endpoint)).toHaveLength(50);
  });

  it('even if it is run from the command line', async () => {
    const endpoint = 'in/local';
    const file = join(pda.home, 'local.ndjson');
    writeFileSync(file, Array.from({ length: 500 }, (_, n) => `{"n":${n}}\n`).join(''));
    const { imports } = pda.pda;
    const controller = new AbortController();
    const options = { signal: controller.signal, onProgress: () => controller.abort('stopping') };
    expect(await imports.importFile(file, endpoint, options)).toMatchObject({ state: 'running', added: 200 });
    await pda.call('DELETE', `/api/v2.6/data/${endpoint}`);
    expect(await imports.importFile(file, endpoint, {})).toMatchObject({ state: 'done', added: 500 });
    expect(await dataAt(pda, endpoint)).toHaveLength(500);
  });
});

it('undoing an import removes the records of all its runs, even if they are at different endpoints', async () => {
  const importId = await upload('broken.ndjson', BROKEN_CONTENT);
  const endpoints = ['in/first', 'in/second', 'in/third'];
  for (const endpoint of endpoints) await runUntilFailure(importId, endpoint);
  expect((await postToImport(pda, importId, 'undo')).status).toBe(200);
  for (const endpoint of endpoints) expect(await dataAt(pda, endpoint)).toEqual([]);
  expect(findInconsistencies(pda.home)).toEqual([]);
});

it('undoing an import removes the records of kinds that the last run did not import', async () => {
  const event = ['BEGIN:VEVENT', 'UID:1', 'SUMMARY:Meeting', 'DTSTART:20240301T080000Z', 'END:VEVENT'];
  const task = ['BEGIN:VTODO', 'UID:2', 'SUMMARY:Shopping', 'END:VTODO'];
  const calendar = ['BEGIN:VCALENDAR', ...event, ...task, 'END:VCALENDAR'].join('\r\n');
  const importId = await upload('all.ics', calendar);
  const { imports, records } = pda.pda;
  const store = records.writeWithCompleteIndexes.bind(records);
  const storeSpy = vi.spyOn(records, 'writeWithCompleteIndexes').mockImplementationOnce(async (...parameters) => {
    await store(...parameters);
    throw new Failure('out_of_disk', 'The disk is full.');
  });
  await startImport(pda, importId, { format: 'known', kinds: ['calendar/events', 'calendar/tasks'] });
  expect(await waitForImport(pda, importId)).toMatchObject({ state: 'failed', added: 2 });
  storeSpy.mockRestore();
  await startImport(pda, importId, { format: 'known', kinds: ['calendar/tasks'] });
  expect(await waitForImport(pda, importId)).toMatchObject({
    state: 'done',
    added: 0,
    skipped: 1,
    kinds: [{ endpoint: 'calendar/tasks', added: 0, same: 1, changed: 0 }],
  });
  expect(await imports.undo(importId)).toMatchObject({ state: 'undone' });
  for (const endpoint of ['calendar/events', 'calendar/tasks']) expect(await dataAt(pda, endpoint)).toEqual([]);
});

it('an import is undone even if its file cannot be deleted', async () => {
  const importId = await upload('broken.ndjson', BROKEN_CONTENT);
  await runUntilFailure(importId, 'in/undeletable');
  const file = join(pda.home, 'imports', importId);
  rmSync(file);
  mkdirSync(file);
  const reply = await postToImport(pda, importId, 'undo');
  rmdirSync(file);
  expect(parseImportJob(reply)).toMatchObject({ state: 'undone' });
  expect(await dataAt(pda, 'in/undeletable')).toEqual([]);
});
