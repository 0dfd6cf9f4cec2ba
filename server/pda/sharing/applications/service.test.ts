import { afterEach, describe, expect, it } from 'vitest';
import { anApplication, tokenOf } from '../../../../tests/support/applications.ts';
import { errorOf } from '../../../../tests/support/test-pda.ts';
import { ownerApplicationSchema } from '../../../wire/applications.ts';
import { sessionSchema } from '../../../wire/owner.ts';
import { FITNESS, startWith, url, type ApplicationTest } from './harness.test-support.ts';

let listed: ApplicationTest;
afterEach(() => listed.pda.close());

describe('setting an application up', () => {
  it('approves its Data Debit, stores its version, and returns its status', async () => {
    listed = await startWith(anApplication({ roles: FITNESS, data: ['fitness/steps'] }));
    expect(await listed.item(url('notes'))).toMatchObject({ setup: false, enabled: false, active: false });
    const item = await listed.item(url('notes', '/setup'));
    expect(item).toMatchObject({ setup: true, enabled: true, active: true, needsUpdating: false });
    expect(item).not.toHaveProperty('dependenciesEnabled');
    expect(await listed.debit('app-notes')).toMatchObject({
      accepted: true,
      active: true,
      requestApplicationId: 'notes',
      requestClientName: 'The notes',
      permissionsActive: { bundle: { name: 'notes-data' }, purpose: 'To show your notes.', cancelAtPeriodEnd: false },
    });
    await listed.store('fitness/steps', { count: 1 });
    const token = await tokenOf(listed.pda, 'notes');
    expect((await listed.get('/api/v2.6/data-debit/app-notes/values', token)).json).toMatchObject({
      bundle: { 'fitness-steps': [{ data: { count: 1 } }] },
    });
  });

  it('repeatedly without changes has no effect', async () => {
    listed = await startWith(anApplication({ roles: FITNESS, data: ['fitness/steps'] }));
    await listed.item(url('notes', '/setup'));
    const before = [await listed.debit('app-notes'), await listed.ownerView('notes')];
    listed.pda.clock.advance(60_000);
    await listed.item(url('notes', '/setup'));
    await listed.approve('notes', { version: '1.0.0' });
    expect([await listed.debit('app-notes'), await listed.ownerView('notes')]).toStrictEqual(before);
  });

  it('changes nothing if its Data Debit cannot be approved', async () => {
    listed = await startWith(anApplication({ roles: FITNESS, data: ['fitness/steps'], bundleName: 'mine' }));
    await listed.pda.call('POST', '/api/v2.6/data-bundle/mine', { json: { a: { endpoints: [{ endpoint: 'a/b' }] } } });
    const reply = await listed.get(url('notes', '/setup'));
    expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'already_exists']);
    expect(await listed.item(url('notes'))).toMatchObject({ setup: false, enabled: false });
    expect(await listed.debit('app-notes')).toBeUndefined();
    expect((await listed.get(url('notes', '/access-token'))).status).toBe(403);
  });

  it('works without any URL', async () => {
    const empty = { url: '', setup: { url: '' }, info: { termsUrl: '', graphics: { logo: { normal: '' } } } };
    listed = await startWith(anApplication({ ...empty, data: ['fitness/steps'] }));
    expect(await listed.item(url('notes', '/setup'))).toMatchObject({ setup: true, active: true });
  });

  it('reads the legacy format of a data request', async () => {
    const application = anApplication();
    const bundle = { name: 'old', bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps' }] } } };
    listed = await startWith({
      ...application,
      permissions: { rolesGranted: [], dataRequired: { bundle, rolling: true } },
    });
    expect(await listed.item(url('notes', '/setup'))).toMatchObject({ active: true });
    expect((await listed.debit('app-notes'))?.permissionsActive?.bundle.name).toBe('old');
  });

  it('with an unknown id is 404 on all routes', async () => {
    listed = await startWith();
    for (const call of ['', '/setup', '/disable', '/access-token', '/hmi'])
      expect([call, (await listed.get(url('who', call))).status]).toStrictEqual([call, 404]);
    expect((await listed.approve('who', { version: '1.0.0' })).status).toBe(404);
  });

  it('matches ids without regard to case', async () => {
    listed = await startWith(anApplication({ id: 'Notes', roles: FITNESS, data: ['fitness/steps'] }));
    const token = await tokenOf(listed.pda, 'nOTES');
    expect(await listed.pda.pda.owner.authenticate(token)).toMatchObject({ principal: { application: 'Notes' } });
    await listed.publish(anApplication({ id: 'notes', version: '1.1.0', roles: FITNESS, data: ['fitness/steps'] }));
    expect(await listed.item(url('NOTES', '/setup'))).toMatchObject({
      setup: true,
      active: true,
      needsUpdating: false,
    });
    expect((await listed.get('/api/v2.6/data/fitness/steps', token)).status).toBe(200);
  });

  it('rejects a version that this session was not shown', async () => {
    listed = await startWith(anApplication({ version: '1.1.0' }));
    const reply = await listed.approve('notes', { version: '1.0.0' });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([409, 'wrong_state']);
    expect(await listed.item(url('notes'))).toMatchObject({ setup: false });
    expect((await listed.approve('notes', { version: '1.1.0' })).status).toBe(200);
  });

  it('rejects a changed definition with the same version', async () => {
    listed = await startWith(anApplication({ roles: FITNESS }));
    const seen = (await listed.ownerView('notes')).edition;
    await listed.publish(anApplication({ roles: [...FITNESS, { role: 'owner' }] }));
    const now = (await listed.ownerView('notes')).edition;
    const reply = await listed.approve('notes', { version: '1.0.0', edition: seen });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([409, 'wrong_state']);
    expect(await listed.item(url('notes'))).toMatchObject({ setup: false });
    expect((await listed.approve('notes', { version: '1.0.0', edition: now })).status).toBe(200);
  });

  it('with a narrowing shares less, also after a restart and a repeated set-up', async () => {
    listed = await startWith(anApplication({ data: ['fitness/steps', 'fitness/weight'] }));
    const narrowing = { drop: [{ property: 'fitness-weight', entry: 0 }] };
    const reply = await listed.approve('notes', { version: '1.0.0', narrowing });
    const view = ownerApplicationSchema.parse(reply.json);
    expect(Object.keys(view.approved?.data?.bundle ?? {})).toStrictEqual(['fitness-steps']);
    expect(view.item).toMatchObject({ active: true, needsUpdating: false });
    await listed.publish(anApplication({ version: '1.0.1', data: ['fitness/steps', 'fitness/weight'] }));
    expect(await listed.item(url('notes', '/setup'))).toMatchObject({ active: true, needsUpdating: false });
    expect(Object.keys((await listed.ownerView('notes')).approved?.data?.bundle ?? {})).toStrictEqual([
      'fitness-steps',
    ]);
    expect((await listed.ownerView('notes')).approved?.version).toBe('1.0.1');
  });
});

describe('an application with dependencies', () => {
  it('states whether they are enabled, and does not set them up', async () => {
    const dependencies = { plugs: ['bank'], tools: ['chart'] };
    listed = await startWith(
      anApplication({ dependencies }),
      anApplication({ id: 'bank' }),
      anApplication({ id: 'chart' }),
    );
    expect((await listed.item(url('notes', '/setup'))).dependenciesEnabled).toBe(false);
    expect(await listed.item(url('bank'))).toMatchObject({ setup: false });
    await listed.get(url('bank', '/setup'));
    await listed.get(url('chart', '/setup'));
    expect((await listed.item(url('notes'))).dependenciesEnabled).toBe(true);
    await listed.get(url('bank', '/disable'));
    expect((await listed.item(url('notes'))).dependenciesEnabled).toBe(false);
  });
});

describe('disabling an application', () => {
  it('immediately ends its tokens, sessions and all its Data Debits', async () => {
    listed = await startWith(anApplication({ roles: [...FITNESS, { role: 'datadebit' }], data: ['fitness/steps'] }));
    const token = await tokenOf(listed.pda, 'notes');
    const other = {
      dataDebitKey: 'extra',
      bundle: { name: 'extra', bundle: { a: { endpoints: [{ endpoint: 'a/b' }] } } },
      start: '2026-01-01T00:00:00Z',
      period: 3600,
      purpose: 'More',
      cancelAtPeriodEnd: false,
      termsUrl: 'https://notes.example.com/terms',
      requestClientName: 'Notes',
      requestClientUrl: 'https://notes.example.com/',
      requestClientLogoUrl: 'https://notes.example.com/logo.png',
    };
    expect((await listed.pda.call('POST', '/api/v2.6/data-debit/extra', { token, json: other })).status).toBe(201);
    await listed.get('/api/v2.6/data-debit/extra/enable');
    expect((await listed.get('/api/v2.6/data-debit/extra/values', token)).status).toBe(200);

    expect(await listed.item(url('notes', '/disable'))).toMatchObject({ setup: true, enabled: false, active: false });
    for (const path of [
      '/api/v2.6/data/fitness/steps',
      '/api/v2.6/data-debit/extra/values',
      '/users/access_token/validate',
    ])
      expect([path, (await listed.get(path, token)).status]).toStrictEqual([path, 401]);
    expect([(await listed.debit('extra'))?.state, (await listed.debit('app-notes'))?.state]).toStrictEqual([
      'disabled',
      'disabled',
    ]);
    expect((await listed.get(url('notes', '/access-token'))).status).toBe(403);
    const sessions = sessionSchema.array().parse((await listed.get('/api/v2.6/owner/sessions')).json);
    expect(sessions.filter(({ kind }) => kind === 'application')).toStrictEqual([]);
  });

  it('revokes its tokens permanently, also after another set-up', async () => {
    listed = await startWith(anApplication({ roles: FITNESS, data: ['fitness/steps'] }));
    const token = await tokenOf(listed.pda, 'notes');
    await listed.get(url('notes', '/disable'));
    await listed.pda.restart();
    expect(await listed.item(url('notes'))).toMatchObject({ setup: true, enabled: false });
    const fresh = await tokenOf(listed.pda, 'notes');
    expect(await listed.item(url('notes'))).toMatchObject({ enabled: true, active: true });
    expect((await listed.get('/api/v2.6/data/fitness/steps', token)).status).toBe(401);
    expect((await listed.get('/api/v2.6/data/fitness/steps', fresh)).status).toBe(200);
  });

  it('has no effect if it is not set up or already disabled', async () => {
    listed = await startWith(anApplication());
    expect(await listed.item(url('notes', '/disable'))).toMatchObject({ setup: false, enabled: false });
    await listed.get(url('notes', '/setup'));
    await listed.get(url('notes', '/disable'));
    expect(await listed.item(url('notes', '/disable'))).toMatchObject({ setup: true, enabled: false });
  });

  it('during a token request leaves no valid token, also after another set-up', async () => {
    listed = await startWith(anApplication({ roles: FITNESS }));
    const { applications, owner } = listed.pda.pda;
    const from = { address: '127.0.0.1', host: listed.pda.host, local: true, userAgent: 'test' };
    for (let round = 0; round < 10; round += 1) {
      await applications.setUp('notes');
      // Signing takes longer than the write, so the token is ready after the application was disabled.
      const [, made] = await Promise.allSettled([
        applications.disable('notes'),
        applications.accessToken('notes', from),
      ]);
      await applications.setUp('notes');
      if (made.status === 'rejected') continue;
      expect((await owner.authenticate(made.value.accessToken)).principal.kind).toBe('visitor');
    }
  });
});

describe('a change of an application', () => {
  it('is reported to open pages once it is durable', async () => {
    listed = await startWith(anApplication());
    const heard: string[] = [];
    const stop = listed.pda.pda.events.onTopic((topic) => heard.push(topic));
    await listed.get(url('notes', '/setup'));
    await listed.get(url('notes', '/setup'));
    await listed.get(url('notes', '/disable'));
    stop();
    expect(heard.filter((topic) => topic === 'applications')).toHaveLength(2);
  });
});
