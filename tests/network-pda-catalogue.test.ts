import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeExchange, type FakeExchange } from '../server/pda/network/exchange/fake-exchange.test-support.ts';
import { z } from 'zod';
import { aProposal } from '../server/pda/sharing/debits/harness.test-support.ts';
import { applicationItemSchema, loginRequestSchema } from '../server/wire/applications.ts';
import { networkSchema } from '../server/wire/network.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const APPLICATIONS = '/api/v2.6/applications';

let pda: TestPda;
let exchange: FakeExchange;

beforeAll(async () => {
  const ownApplication = anApplication({ id: 'Diary', roles: [{ role: 'namespaceread', detail: 'own' }] });
  pda = await startTestPda({ network: { allowLoopback: true }, config: { applications: [ownApplication] } });
  exchange = await startFakeExchange(pda.clock);
  exchange.applications = [anApplication({ id: 'notes', roles: [{ role: 'namespaceread', detail: 'notes' }] })];
  await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: exchange.url } });
  await pda.pda.network.sync();
});
afterAll(async () => {
  await pda.close();
  await exchange.close();
});

const listItems = async () => z.array(applicationItemSchema).parse((await pda.call('GET', APPLICATIONS)).json);
const listIds = async (): Promise<string[]> => (await listItems()).map(({ application }) => application.id);
const readItem = async (id: string) =>
  applicationItemSchema.parse((await pda.call('GET', `${APPLICATIONS}/${id}`)).json);
/** Advances the clock until the lists of the exchange are due, and refreshes them. */
const refreshDueLists = async (): Promise<void> => {
  pda.clock.advance(2 * HOUR_MS);
  await pda.pda.network.sync();
};
const readListTime = async (): Promise<string | null | undefined> =>
  networkSchema.parse((await pda.call('GET', '/api/v2.6/owner/network')).json).exchange?.catalogueAt;
const overrideResponse = (status: number, body: string) =>
  exchange.overrides.set('GET /api/v2/applications', (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });

describe('applications published by an exchange', () => {
  it('are listed together with applications from config.json', async () => {
    expect(await listIds()).toEqual(['Diary', 'notes']);
  });

  it('are requested again only when they are due', async () => {
    const countListRequests = () => exchange.requests.filter((call) => call === 'GET /api/v2/applications').length;
    const previousCount = countListRequests();
    await pda.pda.network.sync();
    expect(countListRequests()).toBe(previousCount);
    const listTime = await readListTime();
    await refreshDueLists();
    expect(countListRequests()).toBe(previousCount + 1);
    expect(await readListTime()).not.toBe(listTime);
    expect(await listIds()).toEqual(['Diary', 'notes']);
  });

  it('are requested again within their interval after the clock is set back', async () => {
    const countListRequests = () => exchange.requests.filter((call) => call === 'GET /api/v2/applications').length;
    const yearMs = 365 * 24 * HOUR_MS;
    pda.clock.advance(yearMs);
    await pda.pda.network.sync();
    const previousCount = countListRequests();
    pda.clock.advance(-yearMs);
    await refreshDueLists();
    expect(countListRequests()).toBe(previousCount + 1);
  });

  it('never replace an application from config.json, even if the ids differ only in case', async () => {
    exchange.applications = [
      ...exchange.applications,
      anApplication({ id: 'DIARY', version: '9.0.0', roles: [{ role: 'owner' }] }),
    ];
    await refreshDueLists();
    expect(await listIds()).toEqual(['Diary', 'notes']);
    expect((await readItem('diary')).application.info.version).toBe('1.0.0');
  });

  it('are left out individually if they are invalid or duplicates', async () => {
    exchange.applications = [
      { ...anApplication({ id: 'broken' }), info: 7 },
      null,
      ...exchange.applications,
      anApplication({ id: 'Notes', version: '2.0.0', roles: [{ role: 'owner' }] }),
      anApplication({ id: 'maps' }),
    ];
    await refreshDueLists();
    expect(await listIds()).toEqual(['Diary', 'notes', 'maps']);
    expect((await readItem('notes')).application.info.version).toBe('1.0.0');
  });

  it('gain no rights when the exchange changes their definition: the approved rights remain', async () => {
    const token = await setUpApplication(pda, 'notes');
    const readPage = (namespace: string) => pda.call('GET', `/api/v2.6/data/${namespace}/page`, { token });
    expect((await readPage('notes')).status).toBe(200);
    // The exchange publishes the same version, which now requests all rights.
    exchange.applications = [
      anApplication({
        id: 'notes',
        roles: [
          { role: 'namespaceread', detail: 'notes' },
          { role: 'namespaceread', detail: 'health' },
          { role: 'owner' },
        ],
      }),
    ];
    await refreshDueLists();
    pda.token = await pda.signIn();
    expect((await readPage('health')).status).toBe(403);
    expect((await readPage('notes')).status).toBe(200);
    expect(await readItem('notes')).toMatchObject({ enabled: true, needsUpdating: true });
  });

  it('stay unchanged when the exchange sends an invalid or oversized response, or none', async () => {
    for (const [status, body] of [
      [500, 'oops'],
      [200, '{"not":"a list"}'],
      [200, 'no JSON'],
      [200, JSON.stringify(Array.from({ length: 2001 }, () => 1))],
      [200, `[${' '.repeat(4_100_000)}]`],
    ] as const) {
      overrideResponse(status, body);
      await refreshDueLists();
      expect(await listIds()).toEqual(['Diary', 'notes']);
    }
    exchange.overrides.set('GET /api/v2/applications', (_, response) => response.destroy());
    await refreshDueLists();
    expect(await listIds()).toEqual(['Diary', 'notes']);
  });

  it('are available after a restart while the exchange cannot be reached', async () => {
    await pda.restart();
    expect(await listIds()).toEqual(['Diary', 'notes']);
    expect((await readItem('notes')).enabled).toBe(true);
    exchange.overrides.clear();
  });

  it('are refreshed in the background when the owner opens the list of applications', async () => {
    exchange.applications = [anApplication({ id: 'notes' }), anApplication({ id: 'fresh' })];
    pda.clock.advance(2 * MINUTE_MS);
    await pda.call('GET', '/api/v2.6/owner/applications');
    await expect.poll(listIds).toEqual(['Diary', 'notes', 'fresh']);
  });

  it('are listed for the owner within a minute of their publication', async () => {
    exchange.applications = [...exchange.applications, anApplication({ id: 'newest' })];
    pda.clock.advance(MINUTE_MS);
    await expect.poll(listIds).toEqual(['Diary', 'notes', 'fresh', 'newest']);
  });

  it('are not refreshed by a token check, regardless of their age', async () => {
    // Completes the check of the lists at the start, so that its requests are not counted.
    await pda.restart();
    await pda.pda.network.sync();
    pda.token = await pda.signIn();
    const token = await setUpApplication(pda, 'notes');
    pda.clock.advance(50 * HOUR_MS);
    const previousCount = exchange.requests.length;
    expect((await pda.call('GET', '/users/access_token/validate', { token })).status).toBe(200);
    expect(exchange.requests.length).toBe(previousCount);
  });

  it('are removed when the owner leaves the exchange, except for enabled ones', async () => {
    pda.token = await pda.signIn();
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: null } });
    expect(await listIds()).toEqual(['Diary', 'notes']);
    expect((await readItem('notes')).enabled).toBe(true);
    expect(errorOf(await pda.call('GET', `${APPLICATIONS}/fresh`)).error).toBe('not_found');
    await pda.pda.network.sync();
    expect(await listIds()).toEqual(['Diary', 'notes']);
  });

  it('receive tokens at a new redirect address only after the owner’s consent', async () => {
    exchange.overrides.clear();
    exchange.applications = [anApplication({ id: 'trips' })];
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: exchange.url } });
    await refreshDueLists();
    pda.token = await pda.signIn();
    await setUpApplication(pda, 'trips');
    const signInAtRedirect = async (redirect: string) => {
      const query = new URLSearchParams({ name: 'trips', redirect }).toString();
      const requestReply = await pda.call('GET', `/api/v2.6/owner/login-request?${query}`);
      const loginReply = await pda.call('POST', '/api/v2.6/owner/login', { json: { name: 'trips', redirect } });
      return [loginRequestSchema.parse(requestReply.json).state, loginReply.status];
    };
    expect(await signInAtRedirect('https://trips.example.com/callback')).toEqual(['ready', 200]);
    // The exchange publishes the same version with the same rights, but a different redirect address.
    exchange.applications = [
      anApplication({ id: 'trips', setup: { validRedirectUris: ['https://evil.example.net/'] } }),
    ];
    await refreshDueLists();
    pda.token = await pda.signIn();
    expect(await signInAtRedirect('https://evil.example.net/')).toEqual(['consent', 409]);
  });

  it('need a new approval at another exchange, which ends the sessions and Data Debits of the previous application', async () => {
    exchange.applications = [anApplication({ id: 'trips', roles: [{ role: 'datadebit' }] })];
    await refreshDueLists();
    pda.token = await pda.signIn();
    const token = await setUpApplication(pda, 'trips');
    const debitPath = '/api/v2.6/data-debit/extra';
    await pda.call('POST', debitPath, { token, json: aProposal('extra') });
    await pda.call('GET', `${debitPath}/enable`);
    const readValuesStatus = async (reader: string) =>
      (await pda.call('GET', `${debitPath}/values`, { token: reader })).status;
    expect(await readValuesStatus(token)).toBe(200);
    const otherExchange = await startFakeExchange(pda.clock);
    otherExchange.applications = [anApplication({ id: 'trips', roles: [{ role: 'namespaceread', detail: 'health' }] })];
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: otherExchange.url } });
    await pda.pda.network.sync();
    const validate = async () => (await pda.call('GET', '/users/access_token/validate', { token })).status;
    expect(await validate()).toBe(200);
    // The other exchange publishes a different application under this id.
    expect(await readItem('trips')).toMatchObject({ enabled: true, needsUpdating: true });
    const newToken = await setUpApplication(pda, 'trips');
    const readReply = await pda.call('GET', '/api/v2.6/data/health/page', { token: newToken });
    expect([readReply.status, await validate()]).toEqual([200, 401]);
    expect(await readValuesStatus(newToken)).toBe(400);
    await otherExchange.close();
  });
});
