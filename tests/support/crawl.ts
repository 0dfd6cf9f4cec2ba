import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { aProposal } from '../../server/pda/sharing/debits/harness.test-support.ts';
import { randomContent, storeFile } from './files.ts';
import { runInProcess } from './run-command.ts';
import type { OwnerClient } from './import-over-http.ts';
import { until } from './server-process.ts';

// Fills a home with data of many kinds and reads it through the GET routes, to compare an account before and after a
// restore or transfer.

/** Sends a request and returns its JSON response. @throws {Error} if the status is 300 or higher */
export const requestJson = async <T>(server: OwnerClient, method: string, path: string, body?: unknown): Promise<T> => {
  const reply = await server.call(method, path, body === undefined ? {} : { json: body });
  expect(reply.status, `${method} ${path}: ${reply.text.slice(0, 300)}`).toBeLessThan(300);
  return reply.json as T;
};

/**
 * Stores records with earlier versions, moves and deletions, queries, a Data Debit, files and settings. Also checks
 * that no function can be installed while the server runs.
 */
export const fillHome = async (server: OwnerClient, home: string): Promise<void> => {
  const api = '/api/v2.6';
  await requestJson(
    server,
    'POST',
    `${api}/data/fit/steps`,
    Array.from({ length: 2000 }, (_, steps) => ({ steps, note: randomBytes(40).toString('hex') })),
  );
  await requestJson(server, 'POST', `${api}/data/calendar/events`, [
    { name: 'Lunch', when: { hour: 12 } },
    { name: 'Ünïcode', when: { hour: 1 } },
  ]);
  await requestJson(server, 'PUT', `${api}/owner/pinned-charts`, [
    { endpoint: 'fit/steps', chart: { kind: 'distribution', field: 'steps' } },
    { endpoint: 'calendar/events', chart: { kind: 'heat', aggregation: 'count' } },
  ]);
  await requestJson(server, 'PUT', `${api}/owner/record-views?endpoint=fit/steps`, [
    { name: 'Most steps', view: 'by=steps&dir=down' },
  ]);
  await requestJson(server, 'POST', `${api}/combinator/walks`, [{ endpoint: 'fit/steps' }]);
  await requestJson(server, 'POST', `${api}/data-bundle/all`, { steps: { endpoints: [{ endpoint: 'fit/steps' }] } });
  await requestJson(server, 'POST', `${api}/data-debit/lunch`, aProposal('lunch', { start: new Date().toISOString() }));
  await requestJson(server, 'GET', `${api}/data-debit/lunch/enable`);
  await requestJson(server, 'GET', `${api}/data-debit/lunch/values`);
  const [firstEvent] = await requestJson<{ recordId: string }[]>(server, 'GET', `${api}/data/calendar/events?take=1`);
  // Creates earlier versions of two records, one of which is deleted below.
  const [firstSteps] = await requestJson<{ recordId: string }[]>(server, 'GET', `${api}/data/fit/steps?take=1`);
  for (const steps of [1, 2])
    await requestJson(server, 'PUT', `${api}/data`, [
      { endpoint: 'fit/steps', recordId: firstSteps?.recordId, data: { steps } },
      {
        endpoint: 'calendar/events',
        recordId: firstEvent?.recordId,
        data: { name: 'Lunch', when: { hour: 12 + steps } },
      },
    ]);
  await requestJson(server, 'PUT', `${api}/owner/record-versions`, { days: 90 });
  for (const [from, to] of [
    ['fit/steps', 'fit/moved'],
    ['fit/moved', 'fit/steps'],
  ])
    await requestJson(server, 'POST', `${api}/owner/record-moves`, { from, to, records: [firstSteps?.recordId] });
  await requestJson(server, 'POST', `${api}/owner/deletions`, { records: [firstEvent?.recordId] });
  for (const name of ['letter.txt', 'photo.bin', 'gone.bin']) {
    const file = await storeFile(server, name, randomContent(200_000), { tags: ['one'] });
    if (name === 'photo.bin') await requestJson(server, 'PUT', `${api}/owner/map-file`, { fileId: file.fileId });
    if (name === 'gone.bin') await requestJson(server, 'DELETE', `${api}/files/file/${file.fileId}`);
  }
  writeFileSync(join(home, 'files', 'dropped.md'), '# by hand');
  await until(
    async () => (await server.call('POST', `${api}/files/search`, { json: {} })).text.includes('dropped'),
    'the dropped file is registered',
  );
  expect((await runInProcess(['function', 'install', 'examples/functions/template', '--home', home])).stderr).toMatch(
    /Another process/u,
  );
};

/**
 * Documented paths that `crawl` omits, because their responses depend on the run or a request changes something. It
 * reads the contents of files and a part of the access log separately.
 */
const EXCLUDED_PATHS =
  /\/(?:enable|disable|setup|trigger|access-token|allowAccess\w*|restrictAccess\w*|picture|login-request|events|sessions|ledger|ledger-days|ledger-groups|weekly-summary|timeline|access_token|application_token|validate|status|backup|exports|archives|openapi\.json|version|preview|content|receipt|search-index)(?:\/|$)|\/owner$|\/exposure/u;

export type Responses = Map<string, string>;
type CrawlTarget = OwnerClient & { readonly port: number };

/**
 * Reads every documented GET route except `EXCLUDED_PATHS` with every known value of its parameters, and also the
 * contents of all files, a search for all files, the access log, the endpoints and the deletions.
 * @param accessLogEnd ISO time. Later entries of the access log are not read.
 * @param extraValues further values by parameter
 */
export const crawl = async (
  server: CrawlTarget,
  accessLogEnd: string,
  extraValues: Readonly<Record<string, readonly string[]>> = {},
): Promise<Responses> => {
  const document = await requestJson<{ paths: Record<string, Record<string, unknown>> }>(
    server,
    'GET',
    '/api/v2.6/openapi.json',
  );
  await until(
    async () => (await requestJson<{ watching: boolean }>(server, 'GET', '/api/v2.6/owner/files/summary')).watching,
    'the folder is watched',
  );
  const files = await requestJson<{ fileId: string }[]>(server, 'POST', '/api/v2.6/files/search', {});
  const parameterValues: Record<string, readonly string[]> = {
    namespace: ['fit', 'calendar'],
    endpoint: ['steps', 'events'],
    name: ['walks', 'all', 'lunch-bundle'],
    key: ['lunch'],
    fileId: files.map(({ fileId }) => fileId),
    recordId: (await requestJson<{ recordId: string }[]>(server, 'GET', '/api/v2.6/data/fit/steps?take=5')).map(
      ({ recordId }) => recordId,
    ),
    versionId: ['1', '3'],
    ...extraValues,
  };
  const responses: Responses = new Map();
  const paths = Object.entries(document.paths).flatMap(([path, methods]) =>
    'get' in methods && !EXCLUDED_PATHS.test(path) ? [path] : [],
  );
  expect(paths.length).toBeGreaterThan(35);
  const expand = (path: string): string[] => {
    const placeholder = /\{(?<name>\w+)\}/u.exec(path);
    if (placeholder === null) return [path];
    return (parameterValues[placeholder.groups?.['name'] ?? ''] ?? ['none']).flatMap((value) =>
      expand(path.replace(placeholder[0], value)),
    );
  };
  for (const path of paths.flatMap(expand)) responses.set(path, await readResponse(server, 'GET', path));
  for (const path of files.map(({ fileId }) => `/api/v2.6/files/content/${fileId}`))
    responses.set(path, await readResponse(server, 'GET', path));
  responses.set('search', await readResponse(server, 'POST', '/api/v2.6/files/search', {}));
  for (const path of [`ledger?to=${accessLogEnd}&take=200`, 'endpoints', 'deletions'])
    responses.set(path, await readResponse(server, 'GET', `/api/v2.6/owner/${path}`));
  return responses;
};

const readResponse = async (server: CrawlTarget, method: string, path: string, body?: unknown): Promise<string> => {
  const reply = await server.call(method, path, body === undefined ? {} : { json: body });
  expect(reply.status, path).toBeLessThan(500);
  // Ports, signed URLs, request ids, free space and folders differ between runs.
  const text = reply.text
    .replaceAll(`127.0.0.1:${server.port}`, 'HOST')
    .replaceAll(/"requestId":"[^"]+"|(?:expires|signature|by)=[^"&]+|"freeBytes":\d+|"folder":"[^"]+"/gu, '');
  return `${reply.status} ${path.includes('content') ? Buffer.from(reply.text).toString('base64') : text}`;
};
