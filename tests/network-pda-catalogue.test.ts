import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStandIn, type StandIn } from '../server/pda/network/exchange/fake-exchange.test-support.ts';
import { z } from 'zod';
import { applicationItemSchema, loginRequestSchema } from '../server/wire/applications.ts';
import { networkSchema } from '../server/wire/network.ts';
import { anApplication, tokenOf } from './support/applications.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';

const HOUR = 3_600_000;
const APPLICATIONS = '/api/v2.6/applications';

let pda: TestPda;
let exchange: StandIn;

beforeAll(async () => {
  const own = anApplication({ id: 'Diary', roles: [{ role: 'namespaceread', detail: 'own' }] });
  pda = await startTestPda({ network: { allowLoopback: true }, config: { applications: [own] } });
  exchange = await startStandIn(pda.clock);
  exchange.applications = [anApplication({ id: 'notes', roles: [{ role: 'namespaceread', detail: 'notes' }] })];
  await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: exchange.url } });
  await pda.pda.network.sync();
});
afterAll(async () => {
  await pda.close();
  await exchange.close();
});

const items = async () => z.array(applicationItemSchema).parse((await pda.call('GET', APPLICATIONS)).json);
const ids = async (): Promise<string[]> => (await items()).map(({ application }) => application.id);
const item = async (id: string) => applicationItemSchema.parse((await pda.call('GET', `${APPLICATIONS}/${id}`)).json);
/** Reads the lists when their time has come. */
const later = async (): Promise<void> => {
  pda.clock.advance(2 * HOUR);
  await pda.pda.network.sync();
};
const catalogueAt = async (): Promise<string | null | undefined> =>
  networkSchema.parse((await pda.call('GET', '/api/v2.6/owner/network')).json).exchange?.catalogueAt;
const answer = (status: number, body: string) =>
  exchange.lies.set('GET /api/v2/applications', (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });

describe('the applications that an exchange has published', () => {
  it('are known beside those of config.json', async () => {
    expect(await ids()).toEqual(['Diary', 'notes']);
  });

  it('are asked for again with the tag of the list, and only when their time has come', async () => {
    const asked = () => exchange.calls.filter((call) => call === 'GET /api/v2/applications').length;
    const before = asked();
    await pda.pda.network.sync();
    expect(asked()).toBe(before);
    const at = await catalogueAt();
    await later();
    expect(asked()).toBe(before + 1);
    expect(await catalogueAt()).not.toBe(at);
    expect(await ids()).toEqual(['Diary', 'notes']);
  });

  it('never take the place of one of config.json, however the id is written', async () => {
    exchange.applications = [
      ...exchange.applications,
      anApplication({ id: 'DIARY', version: '9.0.0', roles: [{ role: 'owner' }] }),
    ];
    await later();
    expect(await ids()).toEqual(['Diary', 'notes']);
    expect((await item('diary')).application.info.version).toBe('1.0.0');
  });

  it('are left out one by one where they are not valid, or named twice', async () => {
    exchange.applications = [
      { ...anApplication({ id: 'broken' }), info: 7 },
      null,
      ...exchange.applications,
      anApplication({ id: 'Notes', version: '2.0.0', roles: [{ role: 'owner' }] }),
      anApplication({ id: 'maps' }),
    ];
    await later();
    expect(await ids()).toEqual(['Diary', 'notes', 'maps']);
    expect((await item('notes')).application.info.version).toBe('1.0.0');
  });

  it('give no right by being changed: what the owner approved stays what it was', async () => {
    const token = await tokenOf(pda, 'notes');
    const read = (namespace: string) => pda.call('GET', `/api/v2.6/data/${namespace}/page`, { token });
    expect((await read('notes')).status).toBe(200);
    // The very same version, asking for everything.
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
    await later();
    pda.token = await pda.signIn();
    expect((await read('health')).status).toBe(403);
    expect((await read('notes')).status).toBe(200);
    expect(await item('notes')).toMatchObject({ enabled: true, needsUpdating: true });
  });

  it('stay what they were when the exchange answers nonsense, too much, or not at all', async () => {
    const problems: unknown[] = [];
    for (const [status, body] of [
      [500, 'oops'],
      [200, '{"not":"a list"}'],
      [200, 'no JSON'],
      [200, JSON.stringify(Array.from({ length: 2001 }, () => 1))],
      [200, `[${' '.repeat(4_100_000)}]`],
    ] as const) {
      answer(status, body);
      await later();
      expect(await ids()).toEqual(['Diary', 'notes']);
      problems.push(body.length);
    }
    exchange.lies.set('GET /api/v2/applications', (_, response) => response.destroy());
    await later();
    expect(await ids()).toEqual(['Diary', 'notes']);
    expect(problems).toHaveLength(5);
  });

  it('are there after a restart while the exchange cannot be reached; an enabled one works', async () => {
    await pda.restart();
    expect(await ids()).toEqual(['Diary', 'notes']);
    expect((await item('notes')).enabled).toBe(true);
    exchange.lies.clear();
  });

  it('are asked for when the owner looks, behind the page’s back', async () => {
    exchange.applications = [anApplication({ id: 'notes' }), anApplication({ id: 'fresh' })];
    pda.clock.advance(2 * 60_000);
    await pda.call('GET', '/api/v2.6/owner/applications');
    await expect.poll(ids).toEqual(['Diary', 'notes', 'fresh']);
  });

  it('are not asked for by a token check, however old the list is', async () => {
    pda.token = await pda.signIn();
    const token = await tokenOf(pda, 'notes');
    pda.clock.advance(50 * HOUR);
    const before = exchange.calls.length;
    expect((await pda.call('GET', '/users/access_token/validate', { token })).status).toBe(200);
    expect(exchange.calls.length).toBe(before);
  });

  it('go with the exchange that is given up; what is set up goes on', async () => {
    pda.token = await pda.signIn();
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: null } });
    expect(await ids()).toEqual(['Diary', 'notes']);
    expect((await item('notes')).enabled).toBe(true);
    expect(errorOf(await pda.call('GET', `${APPLICATIONS}/fresh`)).error).toBe('not_found');
    await pda.pda.network.sync();
    expect(await ids()).toEqual(['Diary', 'notes']);
  });

  it('take no token elsewhere than the owner has agreed to, without being asked', async () => {
    exchange.lies.clear();
    exchange.applications = [anApplication({ id: 'trips' })];
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: exchange.url } });
    await later();
    pda.token = await pda.signIn();
    await tokenOf(pda, 'trips');
    const journey = async (redirect: string) => {
      const query = new URLSearchParams({ name: 'trips', redirect }).toString();
      const request = await pda.call('GET', `/api/v2.6/owner/login-request?${query}`);
      const login = await pda.call('POST', '/api/v2.6/owner/login', { json: { name: 'trips', redirect } });
      return [loginRequestSchema.parse(request.json).state, login.status];
    };
    expect(await journey('https://trips.example.com/callback')).toEqual(['ready', 200]);
    // The very same version with the same rights, run by somebody else.
    exchange.applications = [
      anApplication({ id: 'trips', setup: { validRedirectUris: ['https://evil.example.net/'] } }),
    ];
    await later();
    pda.token = await pda.signIn();
    expect(await journey('https://evil.example.net/')).toEqual(['consent', 409]);
  });

  it('of another exchange get their rights for themselves: what the namesake has open ends', async () => {
    const token = await tokenOf(pda, 'trips');
    const other = await startStandIn(pda.clock);
    other.applications = [anApplication({ id: 'trips', roles: [{ role: 'namespaceread', detail: 'health' }] })];
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: other.url } });
    await pda.pda.network.sync();
    const valid = async () => (await pda.call('GET', '/users/access_token/validate', { token })).status;
    expect(await valid()).toBe(200);
    // Another exchange publishes something else under this id: the owner has to see it before setting it up.
    await item('trips');
    const read = await pda.call('GET', '/api/v2.6/data/health/page', { token: await tokenOf(pda, 'trips') });
    expect([read.status, await valid()]).toEqual([200, 401]);
    await other.close();
  });
});
