import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { anApplication, setUpApplication } from './support/applications.ts';
import { killProcesses, newHome, removeFolders, startServer, type ServerProcess } from './support/server-process.ts';

const HOUR_MS = 3_600_000;
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

/** Signs the requester in: the issuer of a token is the address of the server, which changes with each start. */
const headersOf = async (server: ServerProcess): Promise<{ 'x-auth-token': string }> => ({
  'x-auth-token': await setUpApplication(server, 'requester'),
});
const statusOfValues = async (server: ServerProcess): Promise<number> =>
  (await server.call('GET', `/api/v2.6/data-debit/${KEY}/values`, { headers: await headersOf(server) })).status;

it('a paused Data Debit stays paused after the server is killed, and can be resumed', async () => {
  const home = await newHome();
  const applications = [anApplication({ id: 'requester', roles: [{ role: 'datadebit' }] })];
  writeFileSync(join(home, 'config.json'), JSON.stringify({ applications }));
  const server = await startServer(home);
  const createReply = await server.call('POST', `/api/v2.6/data-debit/${KEY}`, {
    json: REQUEST,
    headers: await headersOf(server),
  });
  expect(createReply.status, createReply.text).toBe(201);
  expect((await server.call('GET', `/api/v2.6/data-debit/${KEY}/enable`)).status).toBe(200);
  expect(await statusOfValues(server)).toBe(200);
  const until = new Date(Date.now() + HOUR_MS).toISOString();
  const pauseReply = await server.call('POST', `/api/v2.6/owner/debits/${KEY}/pause`, { json: { until } });
  expect(pauseReply.status, pauseReply.text).toBe(200);
  await server.kill();

  const afterRestart = await startServer(home);
  expect((await afterRestart.call('GET', `/api/v2.6/data-debit/${KEY}`)).json).toMatchObject({ pausedUntil: until });
  expect(await statusOfValues(afterRestart)).toBe(400);
  expect((await afterRestart.call('POST', `/api/v2.6/owner/debits/${KEY}/resume`)).status).toBe(200);
  await afterRestart.kill();

  const afterSecondRestart = await startServer(home);
  expect(await statusOfValues(afterSecondRestart)).toBe(200);
});
