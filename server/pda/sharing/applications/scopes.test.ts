import { afterEach, describe, expect, it } from 'vitest';
import { anApplication, tokenOf } from '../../../../tests/support/applications.ts';
import { applicationItemSchema, applicationViewSchema } from '../../../wire/applications.ts';
import { FITNESS, startWith, url, type ApplicationTest } from './harness.test-support.ts';

let listed: ApplicationTest;
afterEach(() => listed.pda.close());

describe('the rights of an application are those that the owner approved', () => {
  const wider = () =>
    anApplication({ version: '1.1.0', roles: [...FITNESS, { role: 'namespaceread', detail: 'notes' }] });

  it('also when a later version requests more', async () => {
    listed = await startWith(anApplication({ roles: FITNESS }));
    const token = await tokenOf(listed.pda, 'notes');
    await listed.publish(wider());
    expect((await listed.get('/api/v2.6/data/notes/all', token)).status).toBe(403);
    expect((await listed.get('/api/v2.6/data/fitness/steps', token)).status).toBe(200);
    expect(await listed.item(url('notes'))).toMatchObject({ active: true, needsUpdating: true });
    const view = await listed.ownerView('notes');
    expect([view.asks.read, view.approved?.rights.read]).toStrictEqual([['fitness', 'notes'], ['fitness']]);
    await listed.approve('notes', { version: '1.1.0' });
    expect((await listed.get('/api/v2.6/data/notes/all', token)).status).toBe(200);
    expect(await listed.item(url('notes'))).toMatchObject({ needsUpdating: false });
  });

  it('also when a later version requests less, until the owner sets that up', async () => {
    listed = await startWith(wider());
    const token = await tokenOf(listed.pda, 'notes');
    await listed.publish(anApplication({ version: '1.2.0', roles: FITNESS }));
    expect(await listed.item(url('notes'))).toMatchObject({ needsUpdating: false });
    expect((await listed.get('/api/v2.6/data/notes/all', token)).status).toBe(200);
    await listed.get(url('notes', '/setup'));
    expect((await listed.get('/api/v2.6/data/notes/all', token)).status).toBe(403);
  });

  it('and an incompatible version is not active and needs an update', async () => {
    listed = await startWith(anApplication({ roles: FITNESS }));
    await listed.get(url('notes', '/setup'));
    await listed.publish(anApplication({ version: '2.0.0', compatibility: '1.10.0', roles: FITNESS }));
    expect(await listed.item(url('notes'))).toMatchObject({ enabled: true, active: false, needsUpdating: true });
    expect(await listed.item(url('notes', '/setup'))).toMatchObject({ active: true, needsUpdating: false });
  });

  it('and an application that is no longer published is still shown and can be disabled', async () => {
    listed = await startWith(anApplication({ roles: FITNESS }));
    const token = await tokenOf(listed.pda, 'notes');
    await listed.publish();
    expect((await listed.get('/api/v2.6/data/fitness/steps', token)).status).toBe(200);
    const [item] = applicationItemSchema.array().parse((await listed.get('/api/v2.6/applications')).json);
    expect(item).toMatchObject({ application: { id: 'notes' }, enabled: true });
    expect((await listed.get(url('notes', '/hmi'))).status).toBe(404);
    expect((await listed.get(url('notes', '/setup'))).status).toBe(404);
    expect(await listed.item(url('notes', '/disable'))).toMatchObject({ enabled: false });
    expect((await listed.get('/api/v2.6/data/fitness/steps', token)).status).toBe(401);
    expect((await listed.get('/api/v2.6/applications')).json).toStrictEqual([]);
  });

  it('and it is enabled but not active when the owner stops only its Data Debit', async () => {
    listed = await startWith(anApplication({ roles: FITNESS, data: ['fitness/steps'] }));
    await listed.get(url('notes', '/setup'));
    await listed.get('/api/v2.6/data-debit/app-notes/disable');
    expect(await listed.item(url('notes'))).toMatchObject({ enabled: true, active: false, needsUpdating: false });
    expect(await listed.item(url('notes', '/setup'))).toMatchObject({ active: true });
  });
});

describe('the token of an application', () => {
  it('reads and writes only in its namespace', async () => {
    listed = await startWith(anApplication({ roles: FITNESS }));
    const token = await tokenOf(listed.pda, 'notes');
    const stored = await listed.pda.call('POST', '/api/v2.6/data/fitness/steps', { token, json: { count: 1 } });
    expect(stored.status).toBe(201);
    expect((await listed.get('/api/v2.6/data/fitness/steps', token)).json).toMatchObject([{ data: { count: 1 } }]);
    expect((await listed.get('/api/v2.6/data/finance/steps', token)).status).toBe(403);
    expect((await listed.get('/users/access_token/validate', token)).json).toStrictEqual({ message: 'Authenticated' });
  });

  it('contains the application and the approved version, and no scopes', async () => {
    listed = await startWith(anApplication({ version: '1.2.3' }));
    const token = await tokenOf(listed.pda, 'notes');
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
    const { userId } = Object((await listed.get('/api/v2.6/owner')).json) as { userId: string };
    expect(claims).toMatchObject({
      application: 'notes',
      applicationVersion: '1.2.3',
      sub: userId,
      iss: listed.pda.host,
    });
    expect([claims['accessScope'], claims['resource']]).toStrictEqual([undefined, undefined]);
  });

  it('is issued only to the owner', async () => {
    listed = await startWith(
      anApplication({ roles: [{ role: 'owner' }, { role: 'retrieveapplicationtoken', detail: 'notes' }] }),
    );
    const token = await tokenOf(listed.pda, 'notes');
    expect((await listed.get(url('notes', '/access-token'), token)).status).toBe(403);
    expect((await listed.pda.call('GET', url('notes', '/access-token'), { token: null })).status).toBe(401);
  });

  it('is renewed with each response, and expires after 30 days', async () => {
    listed = await startWith(anApplication({ roles: FITNESS }));
    let token = await tokenOf(listed.pda, 'notes');
    for (let day = 0; day < 15; day += 1) {
      listed.pda.clock.advance(47 * 3_600_000);
      const reply = await listed.get('/api/v2.6/data/fitness/steps', token);
      expect([day, reply.status]).toStrictEqual([day, 200]);
      token = String(reply.headers['x-auth-token'] ?? token);
    }
    listed.pda.clock.advance(24 * 3_600_000);
    expect((await listed.get('/api/v2.6/data/fitness/steps', token)).status).toBe(401);
  });

  it('with the role owner reaches all data and queries, and no action reserved to the owner', async () => {
    listed = await startWith(anApplication({ id: 'browser', roles: [{ role: 'Owner' }] }));
    const token = await tokenOf(listed.pda, 'browser');
    await listed.store('fitness/steps', 1);
    expect((await listed.get('/api/v2.6/data/fitness/steps', token)).json).toMatchObject([{ data: 1 }]);
    expect((await listed.pda.call('POST', '/api/v2.6/data/notes/all', { token, json: 2 })).status).toBe(201);
    expect((await listed.get('/api/v2.6/combinator', token)).status).toBe(200);
    for (const path of ['/api/v2.6/owner', '/api/v2.6/applications', '/users/application_token?name=x&resource=y'])
      expect([path, (await listed.get(path, token)).status]).toStrictEqual([path, 403]);
  });
});

describe('the owner’s view of an application', () => {
  it('shows requested and approved rights, redirect URLs and sessions', async () => {
    listed = await startWith(
      anApplication({ roles: [...FITNESS, { role: 'verified', detail: 'email' }], data: ['fitness/steps'] }),
    );
    expect(await listed.ownerView('notes')).toMatchObject({
      asks: { read: ['fitness'], write: ['fitness'], actsAsOwner: false, other: ['verified email'] },
      asksData: { name: 'notes-data' },
      approved: null,
      debitKey: null,
      sessions: 0,
      lastSeen: null,
      status: null,
    });
    const token = await tokenOf(listed.pda, 'notes');
    listed.pda.clock.advance(120_000);
    await listed.get('/api/v2.6/data/fitness/steps', token);
    const shown = await listed.ownerView('notes');
    expect(shown).toMatchObject({
      approved: { version: '1.0.0', rights: { read: ['fitness'] }, data: { name: 'notes-data' } },
      debitKey: 'app-notes',
      sessions: 1,
      addresses: ['https://notes.example.com/callback', 'https://notes.example.com/'],
    });
    expect(shown.lastSeen).toBe(new Date(listed.pda.clock.now()).toISOString());
    expect((await listed.get('/api/v2.6/owner/applications')).json).toStrictEqual([shown]);
  });

  it('shows what its token can reach, and how much is hidden', async () => {
    listed = await startWith(
      anApplication({ roles: [...FITNESS, { role: 'namespacewrite', detail: 'inbox' }], data: ['bank/all'] }),
    );
    await listed.store('fitness/steps', [1, 2, 3]);
    await listed.store('inbox/mail', [1]);
    await listed.store('bank/all', [1, 2]);
    await listed.store('diary/all', [1, 2, 3, 4]);
    const view = async () =>
      applicationViewSchema.parse((await listed.get('/api/v2.6/owner/applications/notes/view')).json);
    expect(await view()).toStrictEqual({ endpoints: [], hidden: { endpoints: 4, records: 10 }, debits: [] });
    await listed.get(url('notes', '/setup'));
    expect(await view()).toStrictEqual({
      endpoints: [
        { endpoint: 'fitness/steps', records: 3, read: true, write: true },
        { endpoint: 'inbox/mail', records: 1, read: false, write: true },
      ],
      hidden: { endpoints: 2, records: 6 },
      debits: [{ dataDebitKey: 'app-notes', state: 'enabled' }],
    });
  });

  it('shows the time of its newest data', async () => {
    const endpoint = { recentDataCheckEndpoint: '/fitness/steps' };
    listed = await startWith(
      anApplication({ status: endpoint }),
      anApplication({ id: 'other', status: { recentDataCheckEndpoint: 'a/b' } }),
    );
    expect(await listed.item(url('notes'))).not.toHaveProperty('mostRecentData');
    await listed.store('fitness/steps', 1);
    listed.pda.clock.advance(5000);
    await listed.store('fitness/steps', 2);
    expect((await listed.item(url('notes'))).mostRecentData).toBe(new Date(listed.pda.clock.now()).toISOString());
    expect(await listed.item(url('other'))).not.toHaveProperty('mostRecentData');
  });
});

describe('the public description of an application', () => {
  it('contains what its developer published, nothing about the owner, and no callback URL', async () => {
    listed = await startWith(
      anApplication({ roles: FITNESS, info: { callbackUrl: 'https://notes.example.com/secret' } }),
    );
    const before = await listed.get(url('notes', '/hmi'));
    expect(before.json).toMatchObject({ id: 'notes', info: { name: 'The notes' } });
    expect(before.text).not.toContain('secret');
    await listed.get(url('notes', '/setup'));
    expect((await listed.get(url('notes', '/hmi'))).text).toBe(before.text);
  });

  it('is hidden from anonymous callers if config.json lists the application', async () => {
    listed = await startWith(anApplication({ roles: FITNESS }));
    const [listedOne, unknown] = await Promise.all(['notes', 'other'].map((id) => listed.get(url(id, '/hmi'), null)));
    expect([listedOne?.status, unknown?.status]).toStrictEqual([404, 404]);
    const token = await tokenOf(listed.pda, 'notes');
    expect((await listed.get(url('notes', '/hmi'), token)).status).toBe(200);
  });
});
