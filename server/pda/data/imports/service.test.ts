import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { findInconsistencies } from '../../../../tests/support/database-check.ts';
import { openRequest, type Reply } from '../../../../tests/support/http.ts';
import {
  announceImport,
  waitForImport,
  exportEndpoint,
  parseImportJob,
  readImportJob,
  postToImport,
  startImport,
  sendImportChunk,
  uploadImport,
} from '../../../../tests/support/import-over-http.ts';
import { until } from '../../../../tests/support/server-process.ts';
import { dataAt, errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import type { ImportJob } from '../../../wire/imports.ts';
import { CHANGED_RECORDS_MAX_BYTES, COMPARED_ON_MAIN_THREAD_MAX_BYTES } from '../../../wire/work-limits.ts';
import { browsePageSchema } from '../../../wire/owner.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let pda: TestPda;

beforeAll(async () => {
  pda = await startTestPda();
});
afterEach(async () => {
  const imports = (await pda.call('GET', '/api/v2.6/owner/imports')).json as { importId: string }[];
  for (const { importId } of imports) await pda.call('DELETE', `/api/v2.6/owner/imports/${importId}`);
  for (const endpoint of [ENDPOINT, OTHER_ENDPOINT]) await pda.call('DELETE', `/api/v2.6/data/${endpoint}`);
  for (const name of listFiles()) rmSync(join(pda.home, 'imports', name));
});
afterAll(() => pda.close());

const ENDPOINT = 'in/all';
const OTHER_ENDPOINT = 'in/other';
const lines = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => `{"n":${(from + index) % 3000}}\n`).join('');
const uploadContent = (name: string, content: string): Promise<ImportJob> =>
  uploadImport(pda, name, Buffer.from(content));

const importContent = async (name: string, content: string, request: object): Promise<ImportJob> => {
  const { importId } = await uploadContent(name, content);
  const startReply = await startImport(pda, importId, { endpoint: ENDPOINT, ...request });
  expect(startReply.status, startReply.text).toBe(202);
  return waitForImport(pda, importId);
};

const preview = async (id: string, query = ''): Promise<Reply> =>
  pda.call('GET', `/api/v2.6/owner/imports/${id}/preview${query}`);

const expectFailure = (reply: Reply, status: number, code: string): void => {
  expect(reply.status, reply.text).toBe(status);
  expect(errorOf(reply).error).toBe(code);
};

const listFiles = (): string[] => readdirSync(join(pda.home, 'imports'));

describe('an upload', () => {
  const content = Buffer.from(lines(5000));

  it('resumes after a lost connection and completes', async () => {
    const { importId } = await announceImport(pda, 'numbers.ndjson', content.length);
    const head = [
      `PUT /api/v2.6/owner/imports/${importId}/content?offset=0 HTTP/1.1`,
      `host: ${pda.host}`,
      `x-auth-token: ${pda.token}`,
      'content-type: application/octet-stream',
      `content-length: ${content.length}`,
      '\r\n',
    ].join('\r\n');
    const firstBytes = content.subarray(0, 20_000);
    const connection = connect(pda.port, '127.0.0.1');
    connection.write(Buffer.concat([Buffer.from(head), firstBytes]));
    const uploadFile = join(pda.home, 'imports', importId);
    await until(() => (statSync(uploadFile, { throwIfNoEntry: false })?.size ?? 0) > 0, 'some bytes were received');
    connection.destroy();
    const job = await until(async () => {
      const currentJob = await readImportJob(pda, importId);
      return currentJob.received > 0 && currentJob;
    }, 'the progress is stored');
    expect(job).toMatchObject({ state: 'receiving' });
    expect(job.received).toBeLessThanOrEqual(firstBytes.length);
    const lastReply = await sendImportChunk(pda, importId, job.received, content.subarray(job.received));
    expect(parseImportJob(lastReply)).toMatchObject({ state: 'ready', received: content.length });
    await startImport(pda, importId, { endpoint: ENDPOINT, format: 'ndjson' });
    expect(await waitForImport(pda, importId)).toMatchObject({ state: 'done', added: 5000 });
    expect(await exportEndpoint(pda, ENDPOINT)).toBe(content.toString());
  });

  it('accepts chunks only in order and up to the announced size, and continues after a refused chunk', async () => {
    const { importId } = await announceImport(pda, 'numbers.ndjson', content.length);
    expectFailure(await sendImportChunk(pda, importId, 10, content), 409, 'wrong_state');
    expect((await sendImportChunk(pda, importId, 0, content.subarray(0, 100))).status).toBe(200);
    expectFailure(await sendImportChunk(pda, importId, 0, content), 409, 'wrong_state');
    const oversizedChunk = Buffer.concat([content, content, content]);
    expectFailure(await sendImportChunk(pda, importId, 100, oversizedChunk), 400, 'invalid_input');
    expect(await readImportJob(pda, importId), 'the oversized chunk is not stored').toMatchObject({
      state: 'receiving',
      received: 100,
    });
    expect((await sendImportChunk(pda, importId, 100, content.subarray(100))).status).toBe(200);
    expectFailure(await sendImportChunk(pda, importId, content.length, content), 409, 'wrong_state');
  });

  it('is rejected with too_large if its announced size is above the limit', async () => {
    const reply = await pda.call('POST', '/api/v2.6/owner/imports', { json: { fileName: 'x', size: 1e12 } });
    expectFailure(reply, 413, 'too_large');
  });

  it('is rejected with wrong_state if its file was deleted', async () => {
    const { importId } = await announceImport(pda, 'numbers.ndjson', content.length);
    await sendImportChunk(pda, importId, 0, content.subarray(0, 100));
    rmSync(join(pda.home, 'imports', importId));
    expectFailure(await sendImportChunk(pda, importId, 100, content.subarray(100)), 409, 'wrong_state');
  });

  it('cannot be previewed or run while it is incomplete or after it was cancelled', async () => {
    const { importId } = await announceImport(pda, 'numbers.ndjson', content.length);
    await sendImportChunk(pda, importId, 0, content.subarray(0, 100));
    const request = { endpoint: ENDPOINT, format: 'ndjson' };
    expectFailure(await startImport(pda, importId, request), 409, 'wrong_state');
    expectFailure(await preview(importId), 409, 'wrong_state');
    expect((await postToImport(pda, importId, 'cancel')).status).toBe(200);
    expect(listFiles()).toEqual([]);
    expectFailure(await startImport(pda, importId, request), 409, 'wrong_state');
    expectFailure(await preview(importId), 409, 'wrong_state');
    expectFailure(await sendImportChunk(pda, importId, 100, content.subarray(100)), 409, 'wrong_state');
  });

  it('is ready immediately if the file is empty, and adds nothing', async () => {
    const { importId, state } = await announceImport(pda, 'nothing.ndjson', 0);
    expect(state).toBe('ready');
    expect((await preview(importId)).json).toMatchObject({ elements: [] });
    await startImport(pda, importId, { endpoint: ENDPOINT, format: 'ndjson' });
    expect(await waitForImport(pda, importId)).toMatchObject({ state: 'done', added: 0 });
  });
});

describe('a preview', () => {
  it('shows format, columns with their types, and the first elements, and stores nothing', async () => {
    const { importId } = await uploadContent('people.csv', 'name,age,zip,since\nAda,36,01234,\nBob,4.5,99,yes\n');
    expect((await preview(importId)).json).toEqual({
      found: null,
      bank: null,
      format: 'csv',
      reason: expect.any(String),
      columns: [
        { name: 'name', type: 'text' },
        { name: 'age', type: 'number' },
        { name: 'zip', type: 'text' },
        { name: 'since', type: 'text' },
      ],
      rows: { count: 2, exact: true },
      lists: null,
      elements: [
        { name: 'Ada', age: 36, zip: '01234' },
        { name: 'Bob', age: 4.5, zip: '99', since: 'yes' },
      ],
      error: null,
    });
    expect((await preview(importId, '?format=ndjson')).json).toMatchObject({ format: 'ndjson', error: { line: 1 } });
    expect(await dataAt(pda, ENDPOINT)).toEqual([]);
  });

  it('reports the line of an error, and does not repeat it in the message', async () => {
    const { importId } = await uploadContent('broken.ndjson', '1\n2\n{\n');
    const { error } = (await preview(importId)).json as { error: { line: number; problem: string } };
    expect(error.line).toBe(3);
    expect(error.problem).not.toMatch(/line 3/iu);
  });

  it('reports an unknown format for a binary file', async () => {
    const { importId } = await uploadContent('noise.bin', '\u0000\u0001\u0002\u0000\u0003');
    expect((await preview(importId)).json).toMatchObject({ format: 'unknown', elements: [] });
  });

  it('fails with wrong_state if its file has been deleted', async () => {
    const { importId } = await uploadContent('a.ndjson', lines(10));
    rmSync(join(pda.home, 'imports', importId));
    expectFailure(await preview(importId), 409, 'wrong_state');
  });

  it('does not fail with an internal error if the import is removed at the same time', async () => {
    const { importId } = await uploadContent('a.ndjson', lines(10));
    const [previewReply, removalReply] = await Promise.all([
      preview(importId),
      pda.call('DELETE', `/api/v2.6/owner/imports/${importId}`),
    ]);
    expect([200, 404, 409]).toContain(previewReply.status);
    expect(removalReply.status).toBe(200);
  });
});

describe('running an import', () => {
  it('reads columns with the chosen types', async () => {
    const content = 'id,ok,note,zip\n1,yes,a,01\n2,no,b,02\n';
    const columnTypes = { id: 'text', ok: 'boolean', note: 'skip', zip: 'number' };
    const job = await importContent('chosen.csv', content, { format: 'csv', columnTypes });
    expect(job).toMatchObject({ state: 'done', added: 2, error: null });
    expect(await dataAt(pda, ENDPOINT)).toEqual([
      { id: '1', ok: true, zip: 1 },
      { id: '2', ok: false, zip: 2 },
    ]);
  });

  it('names the import in the origin of its records', async () => {
    const { importId } = await importContent('one.ndjson', lines(1), { format: 'ndjson' });
    const page = browsePageSchema.parse((await pda.call('GET', `/api/v2.6/owner/records?endpoint=${ENDPOINT}`)).json);
    expect(page.records.map(({ origin }) => origin)).toEqual([
      { kind: 'import', name: 'one.ndjson', import: importId },
    ]);
  });

  it('starts only once for concurrent requests', async () => {
    const { importId } = await uploadContent('numbers.ndjson', lines(2000));
    const request = { endpoint: ENDPOINT, format: 'ndjson' };
    const replies = await Promise.all(Array.from({ length: 4 }, () => startImport(pda, importId, request)));
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([202, 409, 409, 409]);
    expect(await waitForImport(pda, importId)).toMatchObject({ state: 'done', added: 2000 });
    expect(await dataAt(pda, ENDPOINT)).toHaveLength(2000);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'adds nothing for a file that was imported before, and only new elements of a file that grew',
    async () => {
      expect(await importContent('a.ndjson', lines(2500), { format: 'ndjson' })).toMatchObject({
        added: 2500,
        skipped: 0,
      });
      expect(await importContent('a.ndjson', lines(2500), { format: 'ndjson' })).toMatchObject({
        added: 0,
        skipped: 2500,
      });
      expect(await importContent('a.ndjson', lines(2600), { format: 'ndjson' })).toMatchObject({
        added: 100,
        skipped: 2500,
      });
      expect(await exportEndpoint(pda, ENDPOINT)).toBe(lines(2600));
      expect(findInconsistencies(pda.home)).toEqual([]);
    },
  );

  it('skips large elements that are equal to existing records', async () => {
    const text = 'x'.repeat(COMPARED_ON_MAIN_THREAD_MAX_BYTES);
    await pda.call('POST', `/api/v2.6/data/${ENDPOINT}`, { json: { a: text, b: 1 } });
    const content = `{"b":1.0,"a":"${text}"}\n{"a":"${text}","b":2}\n`;
    const request = { format: 'ndjson' };
    expect(await importContent('large.ndjson', content, request)).toMatchObject({ added: 1, skipped: 1 });
    expect(await importContent('large.ndjson', content, request)).toMatchObject({ added: 0, skipped: 2 });
  });

  it('fails at an invalid line, keeps the elements before it, and can be undone', async () => {
    const invalidJson = `${lines(1500)}{"n":\n${lines(10)}`;
    const job = await importContent('broken.ndjson', invalidJson, { format: 'ndjson' });
    expect(job).toMatchObject({ state: 'failed', added: 1500, error: { line: 1501 } });
    expect(job.error?.problem).not.toMatch(/line/iu);
    expect(await exportEndpoint(pda, ENDPOINT)).toBe(lines(1500));
    expect((await postToImport(pda, job.importId, 'undo')).status).toBe(200);
    expect(await dataAt(pda, ENDPOINT)).toEqual([]);
    expect(listFiles()).toEqual([]);
  });

  it('keeps its records when cancelled, resumes when run again, and stores no duplicates', async () => {
    const content = lines(15_000);
    const { importId } = await uploadContent('long.ndjson', content);
    const request = { endpoint: ENDPOINT, format: 'ndjson' };
    await startImport(pda, importId, request);
    await until(async () => (await readImportJob(pda, importId)).added > 0, 'the run has stored records');
    const cancelledJob = parseImportJob(await postToImport(pda, importId, 'cancel'));
    expect(cancelledJob).toMatchObject({ state: 'cancelled', skipped: 0 });
    expect(cancelledJob.added).toBeLessThan(15_000);
    expect(await dataAt(pda, ENDPOINT)).toHaveLength(cancelledJob.added);
    await startImport(pda, importId, request);
    expect(await waitForImport(pda, importId)).toMatchObject({ state: 'done', added: 15_000, skipped: 0 });
    expect((await exportEndpoint(pda, ENDPOINT)) === content).toBe(true);
    expectFailure(await postToImport(pda, importId, 'cancel'), 409, 'wrong_state');
  });

  it('starts from the first element if its records were deleted or the endpoint differs', async () => {
    const { importId } = await uploadContent('broken.ndjson', `${lines(600)}{`);
    await startImport(pda, importId, { endpoint: ENDPOINT, format: 'ndjson' });
    expect(await waitForImport(pda, importId)).toMatchObject({ state: 'failed', added: 600 });
    await pda.call('DELETE', `/api/v2.6/data/${ENDPOINT}`);
    await startImport(pda, importId, { endpoint: ENDPOINT, format: 'ndjson' });
    expect(await waitForImport(pda, importId)).toMatchObject({ state: 'failed', added: 600 });
    await startImport(pda, importId, { endpoint: OTHER_ENDPOINT, format: 'ndjson' });
    expect(await waitForImport(pda, importId)).toMatchObject({ state: 'failed', added: 600, endpoint: OTHER_ENDPOINT });
    expect(await dataAt(pda, ENDPOINT)).toHaveLength(600);
  });

  it('resumes after a restart', async () => {
    const { importId } = await uploadContent('long.ndjson', lines(10_000));
    await startImport(pda, importId, { endpoint: ENDPOINT, format: 'ndjson' });
    await until(async () => (await readImportJob(pda, importId)).added > 0, 'the run has stored records');
    await pda.restart();
    expect(await waitForImport(pda, importId)).toMatchObject({ state: 'done', added: 10_000, skipped: 0 });
    expect((await exportEndpoint(pda, ENDPOINT)) === lines(10_000)).toBe(true);
  });
});

describe('undoing an import', () => {
  it('removes exactly the records that the import added, even if another request deletes some of them', async () => {
    await pda.call('POST', `/api/v2.6/data/${ENDPOINT}`, { json: [{ mine: 1 }, { n: 5 }] });
    const job = await importContent('a.ndjson', lines(2000), { format: 'ndjson' });
    expect(job).toMatchObject({ added: 1999, skipped: 1 });
    await pda.call('POST', `/api/v2.6/data/${ENDPOINT}`, { json: { mine: 2 } });
    const records = (await pda.call('GET', `/api/v2.6/data/${ENDPOINT}?take=5000`)).json as { recordId: string }[];
    const undoReply = postToImport(pda, job.importId, 'undo');
    const deletedIds = records.slice(1000, 1010).map((record) => record.recordId);
    await Promise.all(deletedIds.map((id) => pda.call('DELETE', `/api/v2.6/data?records=${id}`)));
    expect(parseImportJob(await undoReply)).toMatchObject({ state: 'undone' });
    expect(await dataAt(pda, ENDPOINT)).toEqual([{ mine: 1 }, { n: 5 }, { mine: 2 }]);
    expectFailure(await postToImport(pda, job.importId, 'undo'), 409, 'wrong_state');
    expect(findInconsistencies(pda.home)).toEqual([]);
  });

  it.skipIf(!IS_THOROUGH_RUN)('removes large records that one transaction could not remove together', async () => {
    const contents = [900_000, 9_200_000].map((length) => JSON.stringify({ text: 'x'.repeat(length) }));
    expect(contents.join('').length).toBeGreaterThan(CHANGED_RECORDS_MAX_BYTES);
    const job = await importContent('a.ndjson', contents.join('\n'), { format: 'ndjson' });
    expect(job).toMatchObject({ added: 2 });
    expect(await pda.pda.imports.undo(job.importId)).toMatchObject({ state: 'undone' });
    expect(await dataAt(pda, ENDPOINT)).toEqual([]);
  });

  it('completes if the whole endpoint is deleted at the same time, and leaves the database consistent', async () => {
    const job = await importContent('a.ndjson', lines(2000), { format: 'ndjson' });
    const { records, deletions, imports } = pda.pda;
    const remove = records.remove.bind(records);
    const removeSpy = vi.spyOn(records, 'remove').mockImplementationOnce(async (...parameters) => {
      await deletions.deleteEndpoint(ENDPOINT, { kind: 'owner', name: 'owner' });
      return remove(...parameters);
    });
    expect(await imports.undo(job.importId)).toMatchObject({ state: 'undone' });
    removeSpy.mockRestore();
    expect(await dataAt(pda, ENDPOINT)).toEqual([]);
    expect(findInconsistencies(pda.home)).toEqual([]);
  });

  it('rejects a run, an undo and a removal while it is in progress', async () => {
    const { importId } = await uploadContent('a.ndjson', `${lines(20)}broken`);
    const request = { endpoint: ENDPOINT, format: 'ndjson' } as const;
    expect(await waitForImport(pda, parseImportJob(await startImport(pda, importId, request)).importId)).toMatchObject({
      state: 'failed',
      added: 20,
    });
    const { records, imports } = pda.pda;
    const remove = records.remove.bind(records);
    const failures: unknown[] = [];
    const removeSpy = vi.spyOn(records, 'remove').mockImplementationOnce(async (...parameters) => {
      for (const begin of [() => imports.run(importId, request), () => imports.undo(importId)])
        failures.push(await begin().catch(({ code }: { code: string }) => code));
      failures.push(await imports.remove(importId).catch(({ code }: { code: string }) => code));
      return remove(...parameters);
    });
    expect(await imports.undo(importId)).toMatchObject({ state: 'undone' });
    removeSpy.mockRestore();
    expect(failures).toEqual(['wrong_state', 'wrong_state', 'wrong_state']);
    expect(await dataAt(pda, ENDPOINT)).toEqual([]);
  });
});

describe('cancelling an import', () => {
  it('stops a run that is being started, and keeps the records stored so far', async () => {
    const { importId } = await uploadContent('a.ndjson', lines(50_000));
    const { imports } = pda.pda;
    const pendingRun = imports.run(importId, { endpoint: ENDPOINT, format: 'ndjson' });
    expect(await imports.cancel(importId)).toMatchObject({ state: 'cancelled' });
    await pendingRun;
    expect(await imports.cancel(importId).catch(({ code }: { code: string }) => code)).toBe('wrong_state');
    const { added } = await readImportJob(pda, importId);
    expect(await dataAt(pda, ENDPOINT)).toHaveLength(added);
    expect(added).toBeLessThan(50_000);
  });
});

describe('removing an import', () => {
  it('is rejected while the import is being started', async () => {
    const { importId } = await uploadContent('a.ndjson', lines(10));
    const { imports } = pda.pda;
    const pendingRun = imports.run(importId, { endpoint: ENDPOINT, format: 'ndjson' });
    await expect(imports.remove(importId)).rejects.toMatchObject({ code: 'wrong_state' });
    expect(await pendingRun).toMatchObject({ state: 'running' });
    expect(await waitForImport(pda, importId)).toMatchObject({ state: 'done', added: 10 });
  });

  it('deletes its file and keeps its records', async () => {
    const job = await importContent('broken.ndjson', '1\n{', { format: 'ndjson' });
    expect(listFiles()).toEqual([job.importId]);
    expect((await pda.call('DELETE', `/api/v2.6/owner/imports/${job.importId}`)).status).toBe(200);
    expect(listFiles()).toEqual([]);
    expectFailure(await pda.call('GET', `/api/v2.6/owner/imports/${job.importId}`), 404, 'not_found');
    expect(await dataAt(pda, ENDPOINT)).toEqual([1]);
  });
});

describe('a restart', () => {
  it('deletes leftover files of finished and unknown imports', async () => {
    const job = await importContent('done.ndjson', '1\n', { format: 'ndjson' });
    const { importId } = await uploadContent('waiting.ndjson', '2\n');
    for (const name of [job.importId, 'unknown']) writeFileSync(join(pda.home, 'imports', name), 'left');
    await pda.restart();
    await until(() => listFiles().length === 1, 'the leftover files are deleted');
    expect(existsSync(join(pda.home, 'imports', importId))).toBe(true);
  });
});

describe('an import from the command line', () => {
  it('can be undone through the API, but neither run again nor previewed', async () => {
    const file = join(pda.home, 'list.ndjson');
    writeFileSync(file, '1\n2\n{');
    const job = await pda.pda.imports.importFile(file, ENDPOINT, {});
    expect(job).toMatchObject({ state: 'failed', added: 2, fileName: 'list.ndjson' });
    expectFailure(await startImport(pda, job.importId, { endpoint: ENDPOINT, format: 'ndjson' }), 409, 'wrong_state');
    expectFailure(await preview(job.importId), 409, 'wrong_state');
    expect((await postToImport(pda, job.importId, 'undo')).status).toBe(200);
    expect(await dataAt(pda, ENDPOINT)).toEqual([]);
    expect(existsSync(file), "the owner's file stays").toBe(true);
  });
});

describe('an export', () => {
  it('omits records that are stored during the export, because the CSV header may lack their columns', async () => {
    await pda.call('POST', `/api/v2.6/data/${ENDPOINT}`, { json: [{ a: 1 }, { b: 2 }] });
    let text = '';
    for await (const chunk of pda.pda.exports.stream(ENDPOINT, 'csv')) {
      if (text === '') await pda.call('POST', `/api/v2.6/data/${ENDPOINT}`, { json: { c: 3 } });
      text += chunk;
    }
    expect(text).toBe('a,b\r\n1,\r\n,2\r\n');
  });

  it('returns 404 for a URL that was used, is unknown or has expired', async () => {
    await pda.call('POST', `/api/v2.6/data/${ENDPOINT}`, { json: 1 });
    const createUrl = async (): Promise<string> =>
      (
        (await pda.call('POST', '/api/v2.6/owner/exports', { json: { endpoint: ENDPOINT, format: 'ndjson' } }))
          .json as { url: string }
      ).url;
    const usedUrl = await createUrl();
    expect((await pda.call('GET', usedUrl, { token: null })).text).toBe('1\n');
    expectFailure(await pda.call('GET', usedUrl), 404, 'not_found');
    expectFailure(await pda.call('GET', '/api/v2.6/owner/exports/guessed'), 404, 'not_found');
    const expiredUrl = await createUrl();
    pda.clock.advance(61_000);
    expectFailure(await pda.call('GET', expiredUrl), 404, 'not_found');
  });

  const SESSIONS = '/api/v2.6/owner/sessions';

  it('ends with the session that requested it: unused URLs return 404 and running downloads are aborted', async () => {
    // Exceeds the buffers of a connection whose client does not read.
    const largeTexts = Array.from({ length: 800 }, () => 'x'.repeat(10_000));
    for (let round = 0; round < 3; round += 1)
      expect((await pda.call('POST', `/api/v2.6/data/${ENDPOINT}`, { json: largeTexts })).status).toBe(201);
    const token = await pda.signIn();
    const createUrl = async (format = 'ndjson'): Promise<string> => {
      const reply = await pda.call('POST', '/api/v2.6/owner/exports', { json: { endpoint: ENDPOINT, format }, token });
      return (reply.json as { url: string }).url;
    };
    const open = async (url: string): Promise<IncomingMessage> => {
      const response = await openRequest(`http://127.0.0.1:${pda.port}${url}`, { headers: { host: pda.host } });
      expect(response.statusCode).toBe(200);
      return response;
    };
    // `open` resolves before the client reads the body.
    const downloads = [await open(await createUrl()), await open(await createUrl('csv'))];
    const unusedUrl = await createUrl();
    const deletion = await pda.call('DELETE', `${SESSIONS}?except=current`);
    expect(deletion.status, deletion.text).toBe(200);
    expectFailure(await pda.call('GET', unusedUrl), 404, 'not_found');
    for (const response of downloads) {
      const outcome = await buffer(response).then(
        () => 'complete',
        (error: Error) => error.message,
      );
      expect(outcome).toBe('aborted');
    }
  });

  it('can still be downloaded after another session has ended', async () => {
    await pda.call('POST', `/api/v2.6/data/${ENDPOINT}`, { json: 1 });
    const body = { json: { endpoint: ENDPOINT, format: 'ndjson' } };
    const { url } = (await pda.call('POST', '/api/v2.6/owner/exports', body)).json as { url: string };
    await pda.signIn();
    await pda.call('DELETE', `${SESSIONS}?except=current`);
    expect((await pda.call('GET', url, { token: null })).text).toBe('1\n');
  });
});
