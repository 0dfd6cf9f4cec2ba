import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { killProcesses, newHome, removeFolders, startServer, type ServerProcess } from './support/server-process.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const HOUR_MS = 3_600_000;
const SHORT_PAUSE_MS = 2000;
const KEY = 'walking-study';
const REQUEST = {
  dataDebitKey: KEY,
  bundle: { name: KEY, bundle: { all: { endpoints: [{ endpoint: 'fitness/steps' }] } } },
  start: '2026-01-01T00:00:00.000Z',
  period: 864_000_000,
  purpose: 'A test',
  cancelAtPeriodEnd: false,
  requestClientName: 'A test',
  requestClientUrl: 'https://requester.example/',
  requestClientLogoUrl: 'https://requester.example/logo.png',
  termsUrl: 'https://requester.example/terms',
  requestApplicationId: 'requester',
};

afterEach(killProcesses);
afterAll(removeFolders);

/**
 * Signs the requester in. A token names the address of the server, which changes with each start, so none is reused.
 * @returns the headers of its requests
 */
const signInRequester = async (server: ServerProcess): Promise<{ 'x-auth-token': string }> => ({
  'x-auth-token': await setUpApplication(server, 'requester'),
});
const statusOfValues = async (server: ServerProcess): Promise<number> =>
  (await server.call('GET', `/api/v2.6/data-debit/${KEY}/values`, { headers: await signInRequester(server) })).status;

/** Pauses an enabled Data Debit of a new PDA for `pauseMs` milliseconds, and kills the server. */
const pauseAndKill = async (pauseMs: number): Promise<{ home: string; until: string }> => {
  const home = await newHome();
  const applications = [anApplication({ id: 'requester', roles: [{ role: 'datadebit' }] })];
  writeFileSync(join(home, 'config.json'), JSON.stringify({ applications }));
  const server = await startServer(home);
  const createReply = await server.call('POST', `/api/v2.6/data-debit/${KEY}`, {
    json: REQUEST,
    headers: await signInRequester(server),
  });
  expect(createReply.status, createReply.text).toBe(201);
  expect((await server.call('GET', `/api/v2.6/data-debit/${KEY}/enable`)).status).toBe(200);
  expect(await statusOfValues(server)).toBe(200);
  const until = new Date(Date.now() + pauseMs).toISOString();
  const pauseReply = await server.call('POST', `/api/v2.6/owner/debits/${KEY}/pause`, { json: { until } });
  expect(pauseReply.status, pauseReply.text).toBe(200);
  await server.kill();
  return { home, until };
};

const resumptionsOf = async (server: ServerProcess) => {
  const { json } = await server.call('GET', `/api/v2.6/owner/ledger?debit=${KEY}`);
  return ledgerPageSchema.parse(json).rows.filter(({ action }) => action === 'debit-resumed');
};

it.skipIf(!IS_THOROUGH_RUN)(
  'a paused Data Debit stays paused after the server is killed, and can be resumed',
  async () => {
    const { home, until } = await pauseAndKill(HOUR_MS);
    const restartedServer = await startServer(home);
    expect((await restartedServer.call('GET', `/api/v2.6/data-debit/${KEY}`)).json).toMatchObject({
      pausedUntil: until,
    });
    expect(await statusOfValues(restartedServer)).toBe(400);
    expect((await restartedServer.call('POST', `/api/v2.6/owner/debits/${KEY}/resume`)).status).toBe(200);
    await restartedServer.kill();

    const server = await startServer(home);
    expect(await statusOfValues(server)).toBe(200);
  },
);

it.skipIf(!IS_THOROUGH_RUN)(
  'the access history has one entry for a pause that ended while the PDA was stopped, even after further kills',
  async () => {
    const { home, until } = await pauseAndKill(SHORT_PAUSE_MS);
    await setTimeout(Math.max(0, Date.parse(until) - Date.now()));
    for (let start = 1; start <= 3; start += 1) {
      const server = await startServer(home);
      await expect.poll(async () => (await resumptionsOf(server)).length).toBe(1);
      expect(await resumptionsOf(server)).toMatchObject([
        { who: { kind: 'pda', name: '' }, consent: { detail: until } },
      ]);
      await server.kill();
    }
  },
);
