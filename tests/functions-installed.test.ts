import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { feedItemSchema, type FeedItem } from '../server/wire/feed.ts';
import { functionRunPageSchema, ownerFunctionSchema, type FunctionRun } from '../server/wire/functions.ts';
import { findInconsistencies } from './support/database-check.ts';
import { copyExample, exampleZip, removePackages } from './support/function-packages.ts';
import type { OwnerClient } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { runInProcess } from './support/run-command.ts';
import { recordsOf } from './support/test-pda.ts';
import {
  killProcesses,
  newHome,
  removeFolders,
  runCommand,
  until,
  type CommandResult,
} from './support/server-process.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Installs the example functions on the command line or by upload, and runs them in the shipped sandbox on data that
// was received over HTTP.

const DAY_MS = 86_400_000;
/** Each test starts several sandbox processes. They have the lowest CPU priority and start late on a busy machine. */
const TIMEOUT_MS = 600_000;

afterEach(killProcesses);
afterEach(closeHomes);
afterAll(removeFolders);
afterAll(removePackages);

const runFunctionCommand = (home: string, ...args: string[]): Promise<CommandResult> =>
  runInProcess(['function', ...args, '--home', home]);

const uploadPackage = (server: OwnerClient, zip: Buffer) =>
  server.call('POST', '/api/v2.6/owner/functions/packages', {
    headers: { 'content-type': 'application/zip' },
    body: zip,
  });
const functionPath = (id: string): string => `/api/v2.6/she/function/${id}`;
const enable = async (server: OwnerClient, id: string): Promise<void> => {
  expect((await server.call('GET', `${functionPath(id)}/enable`)).json).toMatchObject({ status: { enabled: true } });
};
const trigger = async (server: OwnerClient, id: string): Promise<void> => {
  const reply = await server.call('GET', `${functionPath(id)}/trigger`);
  expect([reply.status, reply.json]).toMatchObject([200, { id }]);
};
const store = async (server: OwnerClient, endpoint: string, ...records: unknown[]): Promise<string[]> => {
  const reply = await server.call('POST', `/api/v2.6/data/${endpoint}`, { json: records });
  expect(reply.status).toBe(201);
  return recordsOf(reply).map(({ recordId }) => recordId ?? '');
};
const dataAt = async (server: OwnerClient, endpoint: string): Promise<unknown[]> =>
  recordsOf(await server.call('GET', `/api/v2.6/data/${endpoint}?take=1000`)).map(({ data }) => data);
const feedOf = async (server: OwnerClient, endpoint = ''): Promise<FeedItem[]> => {
  const reply = await server.call('GET', `/api/v2.6/she/feed${endpoint}`);
  return (reply.json as unknown[]).map((item) => feedItemSchema.parse(item));
};
const runsOf = async (server: OwnerClient, id: string): Promise<FunctionRun[]> =>
  functionRunPageSchema.parse((await server.call('GET', `${functionPath(id)}/runs`)).json).runs;
const readOwnerView = async (server: OwnerClient, id: string) =>
  ownerFunctionSchema.parse((await server.call('GET', `/api/v2.6/owner/functions/${id}`)).json);
const undo = async (server: OwnerClient, id: string): Promise<void> => {
  const run = (await runsOf(server, id)).find(({ recordsOut, undone }) => recordsOut > 0 && undone === null);
  const reply = await server.call('POST', `${functionPath(id)}/runs/${run?.runId}/undo`);
  expect([reply.status, reply.json]).toMatchObject([200, { undone: expect.any(String) as string }]);
};

describe('the template', { timeout: TIMEOUT_MS }, () => {
  it.skipIf(!IS_THOROUGH_RUN)('can be installed, tried, updated and removed on the command line', async () => {
    const home = await newHome();
    const folder = copyExample('template');
    const installResult = await runFunctionCommand(home, 'install', folder);
    expect(installResult).toMatchObject({ code: 0, stderr: '' });
    expect(installResult.stdout).toBe(
      'my-function 0.1.0 installed; it stores its records at my-function/word-counts\nit does not run until you enable it in the dashboard\n',
    );

    const firstServer = await openHome(home);
    const [firstId, secondId] = await store(
      firstServer,
      'diary/entries',
      { text: ' two  words ', pin: 1 },
      { text: 'one' },
    );
    expect(await dataAt(firstServer, 'my-function/word-counts')).toStrictEqual([]);
    // A dry run reads real records, so no other process may use the home.
    const refusal = await runFunctionCommand(home, 'try', folder);
    expect([refusal.code, refusal.stderr]).toStrictEqual([1, expect.stringContaining('Another process is using')]);
    await firstServer.close();
    const dryRun = await runCommand(['function', 'try', folder, '--home', home]);
    const data = [
      { note: firstId, words: 2 },
      { note: secondId, words: 1 },
    ];
    expect([dryRun.code, JSON.parse(dryRun.stdout)]).toStrictEqual([
      0,
      [{ namespace: 'my-function', endpoint: 'word-counts', data }],
    ]);
    expect(dryRun.stderr).toMatch(
      /^2 records in \(\d+ bytes\), 2 out, \d+ ms, \d+ MB peak memory; nothing was saved\n$/u,
    );

    const server = await openHome(home);
    expect(await dataAt(server, 'my-function/word-counts')).toStrictEqual([]);
    expect(await runsOf(server, 'my-function')).toStrictEqual([]);
    await enable(server, 'my-function');
    const [thirdId] = await store(server, 'diary/entries', { text: 'and now three' });
    const allCounts = [...data, { note: thirdId, words: 3 }];
    await until(async () => (await dataAt(server, 'my-function/word-counts')).length === 3, 'the function has run');
    expect(await dataAt(server, 'my-function/word-counts')).toStrictEqual(allCounts);
    const [run] = await runsOf(server, 'my-function');
    expect(run).toMatchObject({ reason: 'individual', outcome: 'done', recordsIn: 3, recordsOut: 3 });
    await server.close();

    expect((await runFunctionCommand(home, 'list')).stdout).toBe(
      'my-function\t0.1.0\tenabled\tindividual\tlocal\tmy-function/word-counts\n',
    );
    const updateResult = await runFunctionCommand(home, 'install', copyExample('template', '0.2.0'));
    expect(updateResult.stdout).toBe('my-function 0.2.0 installed; it stores its records at my-function/word-counts\n');
    expect((await runFunctionCommand(home, 'list')).stdout).toContain('my-function\t0.2.0\tenabled');

    const updatedServer = await openHome(home);
    const [fourthId] = await store(updatedServer, 'diary/entries', { text: 'four' });
    await until(
      async () => (await dataAt(updatedServer, 'my-function/word-counts')).length > 3,
      'the new version has run',
    );
    expect(await dataAt(updatedServer, 'my-function/word-counts')).toStrictEqual([
      ...allCounts,
      { note: fourthId, words: 1 },
    ]);
    expect((await runsOf(updatedServer, 'my-function'))[0]).toMatchObject({ version: '0.2.0', recordsIn: 1 });
    await undo(updatedServer, 'my-function');
    expect(await dataAt(updatedServer, 'my-function/word-counts')).toStrictEqual(allCounts);
    await updatedServer.close();

    expect(await runFunctionCommand(home, 'remove', 'my-function')).toMatchObject({
      code: 0,
      stdout: 'my-function removed; its records are kept\n',
    });
    expect((await runFunctionCommand(home, 'remove', 'my-function')).code).toBe(1);
    expect((await runFunctionCommand(home, 'list')).stdout).toBe(
      'my-function\t0.2.0\tremoved\tindividual\tlocal\tmy-function/word-counts\n',
    );
    const { stdout } = await runInProcess(['export', '--home', home, '--endpoint', 'my-function/word-counts']);
    expect(stdout).toBe(allCounts.map((count) => `${JSON.stringify(count)}\n`).join(''));
    expect(findInconsistencies(home)).toEqual([]);
  });
});

describe('feed-counter', { timeout: TIMEOUT_MS }, () => {
  it('is installed from a zip, counts new records without reading a field, and appears in the timeline', async () => {
    const server = await openHome(await newHome());
    expect((await uploadPackage(server, exampleZip('feed-counter'))).json).toMatchObject({
      writes: 'she/feed-counter',
    });
    await store(server, 'fitness/steps', { day: '2026-01-01', steps: 5 }, { day: '2026-01-02', steps: 6 });
    await enable(server, 'feed-counter');
    // The first new record starts the first run, which reads all existing records. The first period ends immediately.
    await store(server, 'rumpel/notablesv1', { message: 'a note' });
    const countedItems = await until(async () => {
      const items = await feedOf(server);
      return (
        items
          .flatMap(({ content }) => content?.text ?? [])
          .join('\n')
          .includes('Notes: 1') && items
      );
    }, 'the function has counted');
    const sum = countedItems
      .flatMap(({ content }) => content?.nestedStructure?.['sources'] ?? [])
      .reduce((total, { badge }) => total + Number(badge), 0);
    expect(sum).toBe(3);
    for (const item of countedItems) expect(item).toMatchObject({ source: 'feed-counter', types: ['insight'] });
    const dryRun = await server.call('POST', `${functionPath('feed-counter')}/dry-run`, { json: { useAll: true } });
    expect(dryRun.json).toMatchObject({ outcome: 'done', recordsIn: 3 });
    expect(JSON.stringify((dryRun.json as { input: { request: unknown } }).input.request)).not.toContain('note');

    // The next period ends in a day, but the owner can start a run.
    await store(server, 'twitter/tweets', { text: 'a tweet' });
    await trigger(server, 'feed-counter');
    const [newestItem] = await feedOf(server, '/she/feed-counter');
    expect(newestItem).toMatchObject({ title: { text: '1 new or changed record' }, content: { text: 'Tweets: 1' } });
    await undo(server, 'feed-counter');
    expect(await feedOf(server)).toStrictEqual(countedItems);
    await server.close();
  });
});

describe('activity-summary', { timeout: TIMEOUT_MS }, () => {
  it.skipIf(!IS_THOROUGH_RUN)('reads whole days in each run, and adds each day to the timeline once', async () => {
    const home = await newHome();
    expect((await runFunctionCommand(home, 'install', copyExample('activity-summary'))).code).toBe(0);
    const server = await openHome(home);
    const now = Date.now();
    const dayOf = (daysAgo: number): string => new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10);
    const days = Array.from({ length: 20 }, (_, index) => dayOf(20 - index));
    await store(server, 'fitness/steps', ...days.map((day) => ({ day, steps: 4000, secret: 'heart' })));
    await enable(server, 'activity-summary');
    await trigger(server, 'activity-summary');
    const readSummarisedDays = async (): Promise<string[]> =>
      (await dataAt(server, 'she/activity-summary')).map((item) => (item as { day: string }).day).toSorted();
    const firstDays = await readSummarisedDays();
    // The first run reports the last fourteen completed days. If midnight UTC passes before it, the last of these days
    // has no records.
    expect([13, 14]).toContain(firstDays.length);
    expect(days.slice(-firstDays.length)).toStrictEqual(firstDays);
    const feed = await feedOf(server);
    expect(feed).toHaveLength(firstDays.length);
    expect(feed[0]).toMatchObject({
      title: { text: '4 000 steps' },
      content: { text: 'Same as on a usual day (4 000).' },
      date: { unix: Date.parse(days.at(-1) ?? '') / 1000 + 86_399 },
    });
    const [run] = await runsOf(server, 'activity-summary');
    expect(run).toMatchObject({ outcome: 'done', recordsIn: 20, recordsOut: firstDays.length });

    const uploadReply = await uploadPackage(server, exampleZip('activity-summary', '1.1.0'));
    expect(uploadReply.json).toMatchObject({
      version: '1.1.0',
      reads: 'all',
      asksForMore: false,
      writes: 'she/activity-summary',
    });
    // The current day is not complete, and completed days are not reported again.
    await store(server, 'fitness/steps', { day: dayOf(0), steps: 1 });
    await trigger(server, 'activity-summary');
    const [secondRun] = await runsOf(server, 'activity-summary');
    expect(secondRun).toMatchObject({ version: '1.1.0', outcome: 'done' });
    expect(secondRun?.recordsIn).toBeGreaterThanOrEqual(7);
    expect(new Set(await readSummarisedDays()).size).toBe((await readSummarisedDays()).length);
    expect((await readOwnerView(server, 'activity-summary')).configuration?.info.version).toBe('1.1.0');
    const removalReply = await server.call('DELETE', '/api/v2.6/owner/functions/activity-summary');
    expect(removalReply.status).toBe(200);
    expect(await feedOf(server)).not.toStrictEqual([]);
    expect((await server.call('GET', `${functionPath('activity-summary')}/trigger`)).status).toBe(400);
    await server.close();
    expect(findInconsistencies(home)).toEqual([]);
  });
});

describe('keywords', { timeout: TIMEOUT_MS }, () => {
  it.skipIf(!IS_THOROUGH_RUN)('tags each new text in all of its endpoints without copying the texts', async () => {
    const home = await newHome();
    const server = await openHome(home);
    expect((await uploadPackage(server, exampleZip('keywords'))).status).toBe(201);
    await enable(server, 'keywords');
    const [note] = await store(server, 'rumpel/notablesv1', {
      message: 'The garden was wonderful, garden and friends',
    });
    const [entry] = await store(server, 'diary/entries', { text: 'A terrible journey' });
    await until(async () => (await dataAt(server, 'keywords/texts')).length === 2, 'both are tagged');
    const [tweet] = await store(server, 'twitter/tweets', { text: 'Bread and milk', user: 'person' });
    await until(async () => (await dataAt(server, 'keywords/texts')).length === 3, 'all are tagged');
    const tags = await dataAt(server, 'keywords/texts');
    expect(tags).toMatchObject([
      { text: { endpoint: 'rumpel/notablesv1', recordId: note }, sounds: 'glad' },
      { text: { endpoint: 'diary/entries', recordId: entry }, keywords: ['terrible', 'journey'], sounds: 'sad' },
      { text: { endpoint: 'twitter/tweets', recordId: tweet }, keywords: ['bread', 'milk'], sounds: 'even' },
    ]);
    expect((tags[0] as { keywords: string[] }).keywords[0]).toBe('garden');
    expect(JSON.stringify(tags)).not.toMatch(/garden and friends|terrible journey|bread and milk/iu);
    // Tags are not timeline entries.
    expect(await feedOf(server)).toStrictEqual([]);
    await undo(server, 'keywords');
    expect(await dataAt(server, 'keywords/texts')).toStrictEqual(tags.slice(0, 2));
    await server.close();
    expect(findInconsistencies(home)).toEqual([]);
  });
});
