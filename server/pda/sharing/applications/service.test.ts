import { afterEach, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../tests/support/applications.ts';
import { errorOf } from '../../../../tests/support/test-pda.ts';
import { ownerApplicationSchema } from '../../../wire/applications.ts';
import { findApprovedPermission, findCurrentPermission } from '../../../wire/current-permission.ts';
import type { Permission } from '../../../wire/debits.ts';
import { sessionSchema } from '../../../wire/owner.ts';
import { FITNESS_ROLES, startWithApplications, applicationUrl, type ApplicationTest } from './harness.test-support.ts';

let applicationTest: ApplicationTest;
afterEach(() => applicationTest.pda.close());

describe('setting an application up', () => {
  it('approves its Data Debit and returns its status', async () => {
    applicationTest = await startWithApplications(anApplication({ roles: FITNESS_ROLES, data: ['fitness/steps'] }));
    expect(await applicationTest.item(applicationUrl('notes'))).toMatchObject({
      setup: false,
      enabled: false,
      active: false,
    });
    const item = await applicationTest.item(applicationUrl('notes', '/setup'));
    expect(item).toMatchObject({ setup: true, enabled: true, active: true, needsUpdating: false });
    expect(item).not.toHaveProperty('dependenciesEnabled');
    expect(await applicationTest.debit('app-notes')).toMatchObject({
      accepted: true,
      active: true,
      requestApplicationId: 'notes',
      requestClientName: 'The notes',
      permissionsActive: { bundle: { name: 'notes-data' }, purpose: 'To show your notes.', cancelAtPeriodEnd: false },
    });
    await applicationTest.store('fitness/steps', { count: 1 });
    const token = await setUpApplication(applicationTest.pda, 'notes');
    expect((await applicationTest.get('/api/v2.6/data-debit/app-notes/values', token)).json).toMatchObject({
      bundle: { 'fitness-steps': [{ data: { count: 1 } }] },
    });
  });

  it('has no effect when repeated without changes', async () => {
    applicationTest = await startWithApplications(anApplication({ roles: FITNESS_ROLES, data: ['fitness/steps'] }));
    await applicationTest.item(applicationUrl('notes', '/setup'));
    const stateBefore = [await applicationTest.debit('app-notes'), await applicationTest.ownerView('notes')];
    applicationTest.pda.clock.advance(60_000);
    await applicationTest.item(applicationUrl('notes', '/setup'));
    await applicationTest.approve('notes', { version: '1.0.0' });
    expect([await applicationTest.debit('app-notes'), await applicationTest.ownerView('notes')]).toStrictEqual(
      stateBefore,
    );
  });

  it('changes nothing if its Data Debit cannot be approved', async () => {
    applicationTest = await startWithApplications(
      anApplication({ roles: FITNESS_ROLES, data: ['fitness/steps'], bundleName: 'mine' }),
    );
    await applicationTest.pda.call('POST', '/api/v2.6/data-bundle/mine', {
      json: { a: { endpoints: [{ endpoint: 'a/b' }] } },
    });
    const reply = await applicationTest.get(applicationUrl('notes', '/setup'));
    expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'already_exists']);
    expect(await applicationTest.item(applicationUrl('notes'))).toMatchObject({ setup: false, enabled: false });
    expect(await applicationTest.debit('app-notes')).toBeUndefined();
    expect((await applicationTest.get(applicationUrl('notes', '/access-token'))).status).toBe(403);
  });

  it('succeeds for an application without any URL', async () => {
    const withoutUrls = { url: '', setup: { url: '' }, info: { termsUrl: '', graphics: { logo: { normal: '' } } } };
    applicationTest = await startWithApplications(anApplication({ ...withoutUrls, data: ['fitness/steps'] }));
    expect(await applicationTest.item(applicationUrl('notes', '/setup'))).toMatchObject({ setup: true, active: true });
  });

  it('reads the legacy format of a data request', async () => {
    const application = anApplication();
    const bundle = { name: 'old', bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps' }] } } };
    applicationTest = await startWithApplications({
      ...application,
      permissions: { rolesGranted: [], dataRequired: { bundle, rolling: true } },
    });
    expect(await applicationTest.item(applicationUrl('notes', '/setup'))).toMatchObject({ active: true });
    expect((await applicationTest.debit('app-notes'))?.permissionsActive?.bundle.name).toBe('old');
  });

  it('returns 404 for an unknown id', async () => {
    applicationTest = await startWithApplications();
    for (const suffix of ['', '/setup', '/disable', '/access-token', '/hmi'])
      expect([suffix, (await applicationTest.get(applicationUrl('unknown', suffix))).status]).toStrictEqual([
        suffix,
        404,
      ]);
    expect((await applicationTest.approve('unknown', { version: '1.0.0' })).status).toBe(404);
  });

  it('matches ids without regard to case', async () => {
    applicationTest = await startWithApplications(
      anApplication({ id: 'Notes', roles: FITNESS_ROLES, data: ['fitness/steps'] }),
    );
    const token = await setUpApplication(applicationTest.pda, 'nOTES');
    expect(await applicationTest.pda.pda.owner.authenticate(token)).toMatchObject({
      principal: { application: 'Notes' },
    });
    await applicationTest.publish(
      anApplication({ id: 'notes', version: '1.1.0', roles: FITNESS_ROLES, data: ['fitness/steps'] }),
    );
    expect(await applicationTest.item(applicationUrl('NOTES', '/setup'))).toMatchObject({
      setup: true,
      active: true,
      needsUpdating: false,
    });
    expect((await applicationTest.get('/api/v2.6/data/fitness/steps', token)).status).toBe(200);
  });

  it('rejects a version that is not the published one', async () => {
    applicationTest = await startWithApplications(anApplication({ version: '1.1.0' }));
    const reply = await applicationTest.approve('notes', { version: '1.0.0' });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([409, 'wrong_state']);
    expect(await applicationTest.item(applicationUrl('notes'))).toMatchObject({ setup: false });
    expect((await applicationTest.approve('notes', { version: '1.1.0' })).status).toBe(200);
  });

  it('rejects a changed definition with the same version', async () => {
    applicationTest = await startWithApplications(anApplication({ roles: FITNESS_ROLES }));
    const reviewedEdition = (await applicationTest.ownerView('notes')).edition;
    await applicationTest.publish(anApplication({ roles: [...FITNESS_ROLES, { role: 'owner' }] }));
    const currentEdition = (await applicationTest.ownerView('notes')).edition;
    const reply = await applicationTest.approve('notes', { version: '1.0.0', edition: reviewedEdition });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([409, 'wrong_state']);
    expect(await applicationTest.item(applicationUrl('notes'))).toMatchObject({ setup: false });
    expect((await applicationTest.approve('notes', { version: '1.0.0', edition: currentEdition })).status).toBe(200);
  });

  it('shares less with a narrowing, even after a restart and a repeated set-up', async () => {
    applicationTest = await startWithApplications(anApplication({ data: ['fitness/steps', 'fitness/weight'] }));
    const narrowing = { drop: [{ property: 'fitness-weight', entry: 0 }] };
    const reply = await applicationTest.approve('notes', { version: '1.0.0', narrowing });
    const view = ownerApplicationSchema.parse(reply.json);
    expect(Object.keys(view.approved?.data?.bundle ?? {})).toStrictEqual(['fitness-steps']);
    expect(view.item).toMatchObject({ active: true, needsUpdating: false });
    await applicationTest.publish(anApplication({ version: '1.0.1', data: ['fitness/steps', 'fitness/weight'] }));
    expect(await applicationTest.item(applicationUrl('notes', '/setup'))).toMatchObject({
      active: true,
      needsUpdating: false,
    });
    expect(Object.keys((await applicationTest.ownerView('notes')).approved?.data?.bundle ?? {})).toStrictEqual([
      'fitness-steps',
    ]);
    expect((await applicationTest.ownerView('notes')).approved?.version).toBe('1.0.1');
  });
});

describe('an application whose data the owner narrowed', () => {
  const narrowing = { drop: [{ property: 'fitness-weight', entry: 0 }] };
  const data = ['fitness/steps', 'fitness/weight'];

  it('states the narrowed data while its Data Debit is paused', async () => {
    applicationTest = await startWithApplications(anApplication({ data }));
    await applicationTest.approve('notes', { version: '1.0.0', narrowing });
    const until = '2100-01-01T00:00:00.000Z';
    await applicationTest.pda.call('POST', '/api/v2.6/owner/debits/app-notes/pause', { json: { until } });
    expect((await applicationTest.debit('app-notes'))?.pausedUntil).toBe(until);
    expect(Object.keys((await applicationTest.ownerView('notes')).approved?.data?.bundle ?? {})).toStrictEqual([
      'fitness-steps',
    ]);
  });

  it('shares all data after the owner has removed the exclusions', async () => {
    applicationTest = await startWithApplications(anApplication({ data }));
    await applicationTest.approve('notes', { version: '1.0.0', narrowing });
    await applicationTest.publish(anApplication({ version: '1.0.1', data }));
    await applicationTest.approve('notes', { version: '1.0.1', narrowing: { drop: [], keep: [] } });
    expect(Object.keys((await applicationTest.ownerView('notes')).approved?.data?.bundle ?? {})).toStrictEqual([
      'fitness-steps',
      'fitness-weight',
    ]);
  });

  it('keeps the exclusions of the approved version while the permission of an earlier version runs', async () => {
    const laterVersion = (version: string, roles: typeof FITNESS_ROLES = []) => {
      const application = anApplication({ version, roles, data });
      const bundle = { name: 'notes-data', bundle: {}, ...application.permissions.dataRetrieved };
      const dataRequired = { bundle, startDate: '2100-01-01T00:00:00Z' };
      return { ...application, permissions: { rolesGranted: roles, dataRequired } };
    };
    const propertiesOf = (permission: Permission | undefined) => Object.keys(permission?.bundle.bundle ?? {});
    applicationTest = await startWithApplications(anApplication({ data }));
    await applicationTest.approve('notes', { version: '1.0.0' });
    await applicationTest.publish(laterVersion('1.1.0'));
    await applicationTest.approve('notes', { version: '1.1.0', narrowing });
    const { permissions = [] } = (await applicationTest.debit('app-notes')) ?? {};
    expect(permissions.map(({ state }) => state)).toStrictEqual(['scheduled', 'running']);
    expect(propertiesOf(findApprovedPermission(permissions))).toStrictEqual(['fitness-steps']);
    // The application reads the data of the running permission.
    expect(propertiesOf(findCurrentPermission(permissions))).toStrictEqual(['fitness-steps', 'fitness-weight']);
    const { approved } = await applicationTest.ownerView('notes');
    expect(Object.keys(approved?.data?.bundle ?? {})).toStrictEqual(['fitness-steps', 'fitness-weight']);

    await applicationTest.publish(laterVersion('1.2.0', FITNESS_ROLES));
    await applicationTest.ownerView('notes');
    await applicationTest.item(applicationUrl('notes', '/setup'));
    const debit = await applicationTest.debit('app-notes');
    expect(propertiesOf(debit?.permissionsLatest)).toStrictEqual(['fitness-steps']);
  });

  it('updates the terms of its Data Debit when a new version is set up', async () => {
    applicationTest = await startWithApplications(anApplication({ data }));
    await applicationTest.approve('notes', { version: '1.0.0', narrowing });
    await applicationTest.publish(anApplication({ version: '1.0.1', data, info: { dataUsePurpose: 'To sell it.' } }));
    await applicationTest.item(applicationUrl('notes', '/setup'));
    expect(Object.keys((await applicationTest.ownerView('notes')).approved?.data?.bundle ?? {})).toStrictEqual([
      'fitness-steps',
    ]);
    expect((await applicationTest.debit('app-notes'))?.permissionsActive?.purpose).toBe('To sell it.');
  });

  it('updates the conditions of its Data Debit when a new version is set up, and keeps the narrowing', async () => {
    const versionWith = (version: string, endpoint: string) => {
      const application = anApplication({ version, data });
      const { dataRetrieved } = application.permissions;
      const conditions = { name: 'notes-conditions', bundle: { met: { endpoints: [{ endpoint }] } } };
      return {
        ...application,
        permissions: { dataRequired: { bundle: { name: 'notes-data', bundle: {}, ...dataRetrieved }, conditions } },
      };
    };
    applicationTest = await startWithApplications(versionWith('1.0.0', 'fitness/steps'));
    await applicationTest.approve('notes', { version: '1.0.0', narrowing });
    await applicationTest.publish(versionWith('1.1.0', 'fitness/sleep'));
    expect((await applicationTest.item(applicationUrl('notes'))).needsUpdating).toBe(true);
    await applicationTest.item(applicationUrl('notes', '/setup'));
    const active = (await applicationTest.debit('app-notes'))?.permissionsActive;
    expect(active?.conditions?.bundle).toStrictEqual({ met: { endpoints: [{ endpoint: 'fitness/sleep' }] } });
    expect(Object.keys(active?.bundle.bundle ?? {})).toStrictEqual(['fitness-steps']);
  });
});

describe('an application with dependencies', () => {
  it('states whether the dependencies are enabled, and does not set them up', async () => {
    const dependencies = { plugs: ['bank'], tools: ['chart'] };
    applicationTest = await startWithApplications(
      anApplication({ dependencies }),
      anApplication({ id: 'bank' }),
      anApplication({ id: 'chart' }),
    );
    expect((await applicationTest.item(applicationUrl('notes', '/setup'))).dependenciesEnabled).toBe(false);
    expect(await applicationTest.item(applicationUrl('bank'))).toMatchObject({ setup: false });
    await applicationTest.get(applicationUrl('bank', '/setup'));
    await applicationTest.get(applicationUrl('chart', '/setup'));
    expect((await applicationTest.item(applicationUrl('notes'))).dependenciesEnabled).toBe(true);
    await applicationTest.get(applicationUrl('bank', '/disable'));
    expect((await applicationTest.item(applicationUrl('notes'))).dependenciesEnabled).toBe(false);
  });
});

describe('disabling an application', () => {
  it('immediately revokes its tokens and ends its sessions and all its Data Debits', async () => {
    applicationTest = await startWithApplications(
      anApplication({ roles: [...FITNESS_ROLES, { role: 'datadebit' }], data: ['fitness/steps'] }),
    );
    const token = await setUpApplication(applicationTest.pda, 'notes');
    const proposal = {
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
    expect(
      (await applicationTest.pda.call('POST', '/api/v2.6/data-debit/extra', { token, json: proposal })).status,
    ).toBe(201);
    await applicationTest.get('/api/v2.6/data-debit/extra/enable');
    expect((await applicationTest.get('/api/v2.6/data-debit/extra/values', token)).status).toBe(200);

    expect(await applicationTest.item(applicationUrl('notes', '/disable'))).toMatchObject({
      setup: true,
      enabled: false,
      active: false,
    });
    for (const path of [
      '/api/v2.6/data/fitness/steps',
      '/api/v2.6/data-debit/extra/values',
      '/users/access_token/validate',
    ])
      expect([path, (await applicationTest.get(path, token)).status]).toStrictEqual([path, 401]);
    expect([
      (await applicationTest.debit('extra'))?.state,
      (await applicationTest.debit('app-notes'))?.state,
    ]).toStrictEqual(['disabled', 'disabled']);
    expect((await applicationTest.get(applicationUrl('notes', '/access-token'))).status).toBe(403);
    const sessions = sessionSchema.array().parse((await applicationTest.get('/api/v2.6/owner/sessions')).json);
    expect(sessions.filter(({ kind }) => kind === 'application')).toStrictEqual([]);
  });

  it('revokes its tokens permanently, even if it is set up again', async () => {
    applicationTest = await startWithApplications(anApplication({ roles: FITNESS_ROLES, data: ['fitness/steps'] }));
    const token = await setUpApplication(applicationTest.pda, 'notes');
    await applicationTest.get(applicationUrl('notes', '/disable'));
    await applicationTest.pda.restart();
    expect(await applicationTest.item(applicationUrl('notes'))).toMatchObject({ setup: true, enabled: false });
    const newToken = await setUpApplication(applicationTest.pda, 'notes');
    expect(await applicationTest.item(applicationUrl('notes'))).toMatchObject({ enabled: true, active: true });
    expect((await applicationTest.get('/api/v2.6/data/fitness/steps', token)).status).toBe(401);
    expect((await applicationTest.get('/api/v2.6/data/fitness/steps', newToken)).status).toBe(200);
  });

  it('has no effect if it is not set up or already disabled', async () => {
    applicationTest = await startWithApplications(anApplication());
    expect(await applicationTest.item(applicationUrl('notes', '/disable'))).toMatchObject({
      setup: false,
      enabled: false,
    });
    await applicationTest.get(applicationUrl('notes', '/setup'));
    await applicationTest.get(applicationUrl('notes', '/disable'));
    expect(await applicationTest.item(applicationUrl('notes', '/disable'))).toMatchObject({
      setup: true,
      enabled: false,
    });
  });

  it('leaves no valid token from a concurrent token request, even after the next set-up', async () => {
    applicationTest = await startWithApplications(anApplication({ roles: FITNESS_ROLES }));
    const { applications, owner } = applicationTest.pda.pda;
    const origin = { address: '127.0.0.1', host: applicationTest.pda.host, local: true, userAgent: 'test' };
    for (let round = 0; round < 10; round += 1) {
      await applications.setUp('notes');
      // Signing takes longer than the write, so the token is ready after the application was disabled.
      const [, tokenResult] = await Promise.allSettled([
        applications.disable('notes'),
        applications.issueAccessToken('notes', origin),
      ]);
      await applications.setUp('notes');
      if (tokenResult.status === 'rejected') continue;
      expect((await owner.authenticate(tokenResult.value.accessToken)).principal.kind).toBe('visitor');
    }
  });
});

describe('a change of an application', () => {
  it('is reported to open pages, unlike a set-up that changes nothing', async () => {
    applicationTest = await startWithApplications(anApplication());
    const events: string[] = [];
    const unsubscribe = applicationTest.pda.pda.events.onTopic((topic) => events.push(topic));
    await applicationTest.get(applicationUrl('notes', '/setup'));
    await applicationTest.get(applicationUrl('notes', '/setup'));
    await applicationTest.get(applicationUrl('notes', '/disable'));
    unsubscribe();
    expect(events.filter((topic) => topic === 'applications')).toHaveLength(2);
  });
});
