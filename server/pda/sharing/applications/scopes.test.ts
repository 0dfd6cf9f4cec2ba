import { afterEach, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../tests/support/applications.ts';
import { applicationItemSchema, applicationViewSchema } from '../../../wire/applications.ts';
import { FITNESS_ROLES, startWithApplications, applicationUrl, type ApplicationTest } from './harness.test-support.ts';

let applicationTest: ApplicationTest;
afterEach(() => applicationTest.pda.close());

describe('an application that is set up', () => {
  const withMoreRights = () =>
    anApplication({ version: '1.1.0', roles: [...FITNESS_ROLES, { role: 'namespaceread', detail: 'notes' }] });

  it('keeps its rights when a later version requests more, until the owner approves it', async () => {
    applicationTest = await startWithApplications(anApplication({ roles: FITNESS_ROLES }));
    const token = await setUpApplication(applicationTest.pda, 'notes');
    await applicationTest.publish(withMoreRights());
    expect((await applicationTest.get('/api/v2.6/data/notes/all', token)).status).toBe(403);
    expect((await applicationTest.get('/api/v2.6/data/fitness/steps', token)).status).toBe(200);
    expect(await applicationTest.item(applicationUrl('notes'))).toMatchObject({ active: true, needsUpdating: true });
    const view = await applicationTest.ownerView('notes');
    expect([view.asks.read, view.approved?.rights.read]).toStrictEqual([['fitness', 'notes'], ['fitness']]);
    await applicationTest.approve('notes', { version: '1.1.0' });
    expect((await applicationTest.get('/api/v2.6/data/notes/all', token)).status).toBe(200);
    expect(await applicationTest.item(applicationUrl('notes'))).toMatchObject({ needsUpdating: false });
  });

  it('keeps its rights when a later version requests less, until the owner sets it up', async () => {
    applicationTest = await startWithApplications(withMoreRights());
    const token = await setUpApplication(applicationTest.pda, 'notes');
    await applicationTest.publish(anApplication({ version: '1.2.0', roles: FITNESS_ROLES }));
    expect(await applicationTest.item(applicationUrl('notes'))).toMatchObject({ needsUpdating: false });
    expect((await applicationTest.get('/api/v2.6/data/notes/all', token)).status).toBe(200);
    await applicationTest.get(applicationUrl('notes', '/setup'));
    expect((await applicationTest.get('/api/v2.6/data/notes/all', token)).status).toBe(403);
  });

  it('is inactive when an incompatible version is published, until the next set-up', async () => {
    applicationTest = await startWithApplications(anApplication({ roles: FITNESS_ROLES }));
    await applicationTest.get(applicationUrl('notes', '/setup'));
    await applicationTest.publish(anApplication({ version: '2.0.0', compatibility: '1.10.0', roles: FITNESS_ROLES }));
    expect(await applicationTest.item(applicationUrl('notes'))).toMatchObject({
      enabled: true,
      active: false,
      needsUpdating: true,
    });
    expect(await applicationTest.item(applicationUrl('notes', '/setup'))).toMatchObject({
      active: true,
      needsUpdating: false,
    });
  });

  it('can be disabled if it is no longer published', async () => {
    applicationTest = await startWithApplications(anApplication({ roles: FITNESS_ROLES }));
    const token = await setUpApplication(applicationTest.pda, 'notes');
    await applicationTest.publish();
    expect((await applicationTest.get('/api/v2.6/data/fitness/steps', token)).status).toBe(200);
    const [item] = applicationItemSchema.array().parse((await applicationTest.get('/api/v2.6/applications')).json);
    expect(item).toMatchObject({ application: { id: 'notes' }, enabled: true });
    expect((await applicationTest.get(applicationUrl('notes', '/hmi'))).status).toBe(404);
    expect((await applicationTest.get(applicationUrl('notes', '/setup'))).status).toBe(404);
    expect(await applicationTest.item(applicationUrl('notes', '/disable'))).toMatchObject({ enabled: false });
    expect((await applicationTest.get('/api/v2.6/data/fitness/steps', token)).status).toBe(401);
    expect((await applicationTest.get('/api/v2.6/applications')).json).toStrictEqual([]);
  });

  it('is inactive when the owner stops only its Data Debit, until the next set-up', async () => {
    applicationTest = await startWithApplications(anApplication({ roles: FITNESS_ROLES, data: ['fitness/steps'] }));
    await applicationTest.get(applicationUrl('notes', '/setup'));
    await applicationTest.get('/api/v2.6/data-debit/app-notes/disable');
    expect(await applicationTest.item(applicationUrl('notes'))).toMatchObject({
      enabled: true,
      active: false,
      needsUpdating: false,
    });
    expect(await applicationTest.item(applicationUrl('notes', '/setup'))).toMatchObject({ active: true });
  });
});

describe('the token of an application', () => {
  it('permits reads and writes only in the namespace of its roles', async () => {
    applicationTest = await startWithApplications(anApplication({ roles: FITNESS_ROLES }));
    const token = await setUpApplication(applicationTest.pda, 'notes');
    const response = await applicationTest.pda.call('POST', '/api/v2.6/data/fitness/steps', {
      token,
      json: { count: 1 },
    });
    expect(response.status).toBe(201);
    expect((await applicationTest.get('/api/v2.6/data/fitness/steps', token)).json).toMatchObject([
      { data: { count: 1 } },
    ]);
    expect((await applicationTest.get('/api/v2.6/data/finance/steps', token)).status).toBe(403);
    const refusedWrite = await applicationTest.pda.call('POST', '/api/v2.6/data/finance/steps', { token, json: 1 });
    expect(refusedWrite.status).toBe(403);
    expect((await applicationTest.get('/users/access_token/validate', token)).json).toStrictEqual({
      message: 'Authenticated',
    });
  });

  it('contains the application and the approved version, and no scopes', async () => {
    applicationTest = await startWithApplications(anApplication({ version: '1.2.3' }));
    const token = await setUpApplication(applicationTest.pda, 'notes');
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;
    const { userId } = Object((await applicationTest.get('/api/v2.6/owner')).json) as { userId: string };
    expect(claims).toMatchObject({
      application: 'notes',
      applicationVersion: '1.2.3',
      sub: userId,
      iss: applicationTest.pda.host,
    });
    expect([claims['accessScope'], claims['resource']]).toStrictEqual([undefined, undefined]);
  });

  it('is issued only to the owner', async () => {
    applicationTest = await startWithApplications(
      anApplication({ roles: [{ role: 'owner' }, { role: 'retrieveapplicationtoken', detail: 'notes' }] }),
    );
    const token = await setUpApplication(applicationTest.pda, 'notes');
    expect((await applicationTest.get(applicationUrl('notes', '/access-token'), token)).status).toBe(403);
    expect(
      (await applicationTest.pda.call('GET', applicationUrl('notes', '/access-token'), { token: null })).status,
    ).toBe(401);
  });

  it('is renewed with each response, and expires after 30 days', async () => {
    applicationTest = await startWithApplications(anApplication({ roles: FITNESS_ROLES }));
    let token = await setUpApplication(applicationTest.pda, 'notes');
    for (let day = 0; day < 15; day += 1) {
      applicationTest.pda.clock.advance(47 * 3_600_000);
      const reply = await applicationTest.get('/api/v2.6/data/fitness/steps', token);
      expect([day, reply.status]).toStrictEqual([day, 200]);
      token = String(reply.headers['x-auth-token'] ?? token);
    }
    applicationTest.pda.clock.advance(24 * 3_600_000);
    expect((await applicationTest.get('/api/v2.6/data/fitness/steps', token)).status).toBe(401);
  });

  it('with the role `owner`, gives access to data and queries, but not to actions reserved for the owner', async () => {
    applicationTest = await startWithApplications(anApplication({ id: 'browser', roles: [{ role: 'Owner' }] }));
    const token = await setUpApplication(applicationTest.pda, 'browser');
    await applicationTest.store('fitness/steps', 1);
    expect((await applicationTest.get('/api/v2.6/data/fitness/steps', token)).json).toMatchObject([{ data: 1 }]);
    expect((await applicationTest.pda.call('POST', '/api/v2.6/data/notes/all', { token, json: 2 })).status).toBe(201);
    expect((await applicationTest.get('/api/v2.6/combinator', token)).status).toBe(200);
    for (const path of ['/api/v2.6/owner', '/api/v2.6/applications', '/users/application_token?name=x&resource=y'])
      expect([path, (await applicationTest.get(path, token)).status]).toStrictEqual([path, 403]);
  });
});

describe('the owner’s view of an application', () => {
  it('shows requested and approved rights, redirect URLs and sessions', async () => {
    applicationTest = await startWithApplications(
      anApplication({ roles: [...FITNESS_ROLES, { role: 'verified', detail: 'email' }], data: ['fitness/steps'] }),
    );
    expect(await applicationTest.ownerView('notes')).toMatchObject({
      asks: { read: ['fitness'], write: ['fitness'], actsAsOwner: false, other: ['verified email'] },
      asksData: { name: 'notes-data' },
      approved: null,
      debitKey: null,
      sessions: 0,
      lastSeen: null,
      status: null,
    });
    const token = await setUpApplication(applicationTest.pda, 'notes');
    applicationTest.pda.clock.advance(120_000);
    await applicationTest.get('/api/v2.6/data/fitness/steps', token);
    const ownerView = await applicationTest.ownerView('notes');
    expect(ownerView).toMatchObject({
      approved: { version: '1.0.0', rights: { read: ['fitness'] }, data: { name: 'notes-data' } },
      debitKey: 'app-notes',
      sessions: 1,
      addresses: ['https://notes.example.com/callback', 'https://notes.example.com/'],
    });
    expect(ownerView.lastSeen).toBe(new Date(applicationTest.pda.clock.now()).toISOString());
    expect((await applicationTest.get('/api/v2.6/owner/applications')).json).toStrictEqual([ownerView]);
  });

  it('shows which endpoints and Data Debits its token can reach, and how many records it cannot', async () => {
    applicationTest = await startWithApplications(
      anApplication({ roles: [...FITNESS_ROLES, { role: 'namespacewrite', detail: 'inbox' }], data: ['bank/all'] }),
    );
    await applicationTest.store('fitness/steps', [1, 2, 3]);
    await applicationTest.store('inbox/mail', [1]);
    await applicationTest.store('bank/all', [1, 2]);
    await applicationTest.store('diary/all', [1, 2, 3, 4]);
    const view = async () =>
      applicationViewSchema.parse((await applicationTest.get('/api/v2.6/owner/applications/notes/view')).json);
    expect(await view()).toStrictEqual({ endpoints: [], hidden: { endpoints: 4, records: 10 }, debits: [] });
    await applicationTest.get(applicationUrl('notes', '/setup'));
    expect(await view()).toStrictEqual({
      endpoints: [
        { endpoint: 'fitness/steps', records: 3, read: true, write: true },
        { endpoint: 'inbox/mail', records: 1, read: false, write: true },
      ],
      hidden: { endpoints: 2, records: 6 },
      debits: [{ dataDebitKey: 'app-notes', state: 'enabled' }],
    });
  });

  it('shows the time of the newest record at its status endpoint', async () => {
    const status = { recentDataCheckEndpoint: '/fitness/steps' };
    applicationTest = await startWithApplications(
      anApplication({ status }),
      anApplication({ id: 'other', status: { recentDataCheckEndpoint: 'a/b' } }),
    );
    expect(await applicationTest.item(applicationUrl('notes'))).not.toHaveProperty('mostRecentData');
    await applicationTest.store('fitness/steps', 1);
    applicationTest.pda.clock.advance(5000);
    await applicationTest.store('fitness/steps', 2);
    expect((await applicationTest.item(applicationUrl('notes'))).mostRecentData).toBe(
      new Date(applicationTest.pda.clock.now()).toISOString(),
    );
    expect(await applicationTest.item(applicationUrl('other'))).not.toHaveProperty('mostRecentData');
  });
});

describe('the public description of an application', () => {
  it('contains what its developer published, nothing about the owner, and no callback URL', async () => {
    applicationTest = await startWithApplications(
      anApplication({ roles: FITNESS_ROLES, info: { callbackUrl: 'https://notes.example.com/secret' } }),
    );
    const replyBefore = await applicationTest.get(applicationUrl('notes', '/hmi'));
    expect(replyBefore.json).toMatchObject({ id: 'notes', info: { name: 'The notes' } });
    expect(replyBefore.text).not.toContain('secret');
    await applicationTest.get(applicationUrl('notes', '/setup'));
    expect((await applicationTest.get(applicationUrl('notes', '/hmi'))).text).toBe(replyBefore.text);
  });

  it('is hidden from anonymous callers if config.json lists the application', async () => {
    applicationTest = await startWithApplications(anApplication({ roles: FITNESS_ROLES }));
    const [listedReply, unknownReply] = await Promise.all(
      ['notes', 'other'].map((id) => applicationTest.get(applicationUrl(id, '/hmi'), null)),
    );
    expect([listedReply?.status, unknownReply?.status]).toStrictEqual([404, 404]);
    const token = await setUpApplication(applicationTest.pda, 'notes');
    expect((await applicationTest.get(applicationUrl('notes', '/hmi'), token)).status).toBe(200);
  });
});
