import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { anApplication, setUpApplication } from '../../../../../tests/support/applications.ts';
import { startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { applicationItemSchema, ownerApplicationSchema } from '../../../../wire/applications.ts';
import { sessionSchema } from '../../../../wire/owner.ts';
import { startFakeService, type FakeService } from './fake-service.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

const MINUTE_MS = 60_000;
/** Age at which a cached outcome is unusable, so that a request waits for the new check. */
const STALE_MS = 6 * MINUTE_MS;
const ROLES = [{ role: 'namespaceread', detail: 'fitness' }];

let service: FakeService;
let pda: TestPda;
/** A URL at which no server listens. */
let unreachableUrl: string;
beforeAll(async () => {
  service = await startFakeService();
  const closedService = await startFakeService();
  unreachableUrl = closedService.url;
  await closedService.close();
});
afterAll(() => service.close());
beforeEach(() => {
  service.tokens.length = 0;
  service.responses.clear();
});
afterEach(() => pda.close());

const externalApplication = (id: string, path = `/${id}`, expectedStatus = 200) =>
  anApplication({ id, roles: ROLES, status: { kind: 'External', statusUrl: service.url + path, expectedStatus } });

const start = async (applications: unknown[], idsToSetUp: readonly string[]): Promise<void> => {
  pda = await startTestPda({ config: { applications }, network: { allowLoopback: true } });
  for (const id of idsToSetUp) await pda.call('GET', `/api/v2.6/applications/${id}/setup`);
};
const isActive = async (id: string): Promise<boolean> =>
  applicationItemSchema.parse((await pda.call('GET', `/api/v2.6/applications/${id}`)).json).active;
const statusOf = async (id: string) =>
  ownerApplicationSchema.parse((await pda.call('GET', `/api/v2.6/owner/applications/${id}`)).json).status;

describe('an application with External status', () => {
  it('is active if its service responds with the expected status code', async () => {
    service.responses.set('/teapot', 418);
    await start(
      [externalApplication('teapot', '/teapot', 418), externalApplication('other', '/teapot', 200)],
      ['teapot', 'other'],
    );
    expect([await isActive('teapot'), await isActive('other')]).toStrictEqual([true, false]);
    expect(await statusOf('other')).toMatchObject({ ok: false, problem: 'The server answered 418 instead of 200.' });
  });

  it('gets a token with which its service can send requests to the PDA', async () => {
    await start([externalApplication('notes')], []);
    await setUpApplication(pda, 'notes');
    await isActive('notes');
    const [token = ''] = service.tokens;
    expect((await pda.call('GET', '/api/v2.6/data/fitness/steps', { token })).status).toBe(200);
    expect((await pda.call('GET', '/api/v2.6/data/finance/steps', { token })).status).toBe(403);
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ application: 'notes', applicationVersion: '1.0.0', iss: expect.any(String) });
    expect(claims).not.toHaveProperty('accessScope');
  });

  it('counts as seen when its service calls the PDA, not when the PDA checks the service', async () => {
    await start([externalApplication('notes')], ['notes']);
    expect(await isActive('notes')).toBe(true);
    const sessionSummary = async () => {
      const reply = await pda.call('GET', '/api/v2.6/owner/applications/notes');
      const { lastSeen, sessions } = ownerApplicationSchema.parse(reply.json);
      return { lastSeen, sessions };
    };
    expect(service.tokens).toHaveLength(1);
    expect(await sessionSummary()).toStrictEqual({ lastSeen: null, sessions: 0 });
    pda.clock.advance(2 * MINUTE_MS);
    await isActive('notes');
    expect(await sessionSummary()).toStrictEqual({ lastSeen: null, sessions: 0 });

    await pda.call('GET', '/api/v2.6/data/fitness/steps', { token: service.tokens[0] ?? '' });
    const now = new Date(pda.clock.now()).toISOString();
    await expect.poll(sessionSummary).toStrictEqual({ lastSeen: now, sessions: 1 });
  });

  it('is checked only if it is set up and enabled', async () => {
    await start([externalApplication('notes'), externalApplication('mail')], ['mail']);
    await pda.call('GET', '/api/v2.6/applications/mail/disable');
    service.tokens.length = 0;
    await pda.call('GET', '/api/v2.6/applications');
    await pda.call('GET', '/api/v2.6/owner/applications');
    expect(service.tokens).toStrictEqual([]);
  });

  it.each([
    ['redirects', (url: string) => ({ statusUrl: `${url}/moved` }), /redirects/u],
    ['is unreachable', () => ({ statusUrl: unreachableUrl }), /could not be reached/u],
    ['would get its token unencrypted', () => ({ statusUrl: 'http://notes.example.com/' }), /not https/u],
    ['has no status URL', () => ({ statusUrl: '' }), /not set a status URL/u],
  ])('is not active if its service %s, and states why', async (_, status, problem) => {
    service.responses.set('/moved', (_request, response) => response.writeHead(302, { location: '/here' }).end());
    await start(
      [anApplication({ status: { kind: 'External', expectedStatus: 200, ...status(service.url) } })],
      ['notes'],
    );
    expect(await isActive('notes')).toBe(false);
    expect((await statusOf('notes'))?.problem).toMatch(problem);
  });

  it('is not checked at a loopback address outside of development mode', async () => {
    pda = await startTestPda({
      config: { applications: [externalApplication('notes')] },
      network: { allowLoopback: false },
    });
    await pda.call('GET', '/api/v2.6/applications/notes/setup');
    expect(await isActive('notes')).toBe(false);
    expect(service.tokens).toStrictEqual([]);
  });
});

describe('the outcome of a status check', () => {
  it('is cached for one minute', async () => {
    await start([externalApplication('notes')], ['notes']);
    const tokenCountBefore = service.tokens.length;
    service.responses.set('/notes', 500);
    pda.clock.advance(MINUTE_MS - 1);
    expect([await isActive('notes'), service.tokens.length]).toStrictEqual([true, tokenCountBefore]);
    pda.clock.advance(1);
    // On a slow machine, the first response may contain the previous outcome while the check is in progress.
    await expect.poll(() => isActive('notes')).toBe(false);
    expect(service.tokens).toHaveLength(tokenCountBefore + 1);
  });

  it('is refreshed by a set-up', async () => {
    service.responses.set('/notes', 500);
    await start([externalApplication('notes')], ['notes']);
    expect(await isActive('notes')).toBe(false);
    service.responses.set('/notes', 200);
    expect(await isActive('notes')).toBe(false);
    expect((await pda.call('GET', '/api/v2.6/applications/notes/setup')).json).toMatchObject({ active: true });
  });

  it('is reported to open pages when a background check finds a change', async () => {
    await start([externalApplication('notes')], ['notes']);
    const events: string[] = [];
    // Other services may also publish events in this minute.
    pda.pda.events.onTopic((topic) => void (topic === 'applications' && events.push(topic)));
    service.responses.set('/notes', 500);
    pda.clock.advance(MINUTE_MS);
    await isActive('notes');
    await expect.poll(() => events).toStrictEqual(['applications']);
  });

  it('is shared by concurrent requests', async () => {
    await start([externalApplication('notes')], ['notes']);
    pda.clock.advance(10 * MINUTE_MS);
    service.tokens.length = 0;
    await Promise.all(Array.from({ length: 10 }, () => pda.call('GET', '/api/v2.6/applications')));
    expect(service.tokens).toHaveLength(1);
  });

  it('is obtained with one session for all checks, and with a new one before the token expires', async () => {
    await start([externalApplication('notes')], ['notes']);
    const sessionCount = async () =>
      (
        await pda.call('GET', '/api/v2.6/owner/sessions').then((reply) => sessionSchema.array().parse(reply.json))
      ).filter(({ kind }) => kind === 'application').length;
    for (let check = 0; check < 5; check += 1) {
      pda.clock.advance(STALE_MS);
      await isActive('notes');
    }
    expect(new Set(service.tokens).size).toBe(1);
    expect(await sessionCount()).toBe(1);
    pda.clock.advance(49 * 60 * MINUTE_MS);
    await isActive('notes');
    expect(new Set(service.tokens).size).toBe(2);
  });

  it('is obtained with a new token after the sessions were ended', async () => {
    await start([externalApplication('notes')], ['notes']);
    await pda.call('DELETE', '/api/v2.6/owner/sessions?except=current');
    pda.clock.advance(STALE_MS);
    expect(await isActive('notes')).toBe(true);
    expect(new Set(service.tokens).size).toBe(2);
    const token = service.tokens.at(-1) ?? '';
    expect((await pda.call('GET', '/users/access_token/validate', { token })).status).toBe(200);
  });

  it('is the outcome of the last check while the service hangs', async () => {
    await start([externalApplication('notes')], ['notes']);
    service.responses.set('/notes', 'hang');
    pda.clock.advance(MINUTE_MS);
    expect(await isActive('notes')).toBe(true);
    // If the response had waited for the check, the check would have timed out with a negative outcome.
    await expect.poll(() => service.pendingCount()).toBe(1);
  });
});

describe('the list of applications', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'checks 20 hanging services at the same time, and then uses the cached outcomes',
    async () => {
      const hangingApplications = Array.from({ length: 20 }, (_, index) =>
        externalApplication(`hanging-${index}`, '/hang'),
      );
      const healthyApplications = Array.from({ length: 20 }, (_, index) =>
        externalApplication(`healthy-${index}`, '/healthy'),
      );
      const uncheckedApplications = Array.from({ length: 160 }, (_, index) =>
        anApplication({ id: `unchecked-${index}`, roles: ROLES }),
      );
      await start([...hangingApplications, ...healthyApplications, ...uncheckedApplications], []);
      await Promise.all(
        [...hangingApplications, ...healthyApplications, ...uncheckedApplications].map(({ id }) =>
          pda.call('GET', `/api/v2.6/applications/${id}/setup`),
        ),
      );
      service.responses.set('/hang', 'hang');
      pda.clock.advance(10 * MINUTE_MS);
      const timeouts: AbortController[] = [];
      const timeoutSpy = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
        const controller = new AbortController();
        timeouts.push(controller);
        return controller.signal;
      });

      const list = async () => {
        const reply = await pda.call('GET', '/api/v2.6/applications');
        return applicationItemSchema.array().parse(reply.json);
      };
      const listing = list();
      expect(new Set(await Promise.all(healthyApplications.map(({ id }) => isActive(id))))).toStrictEqual(
        new Set([true]),
      );
      await expect
        .poll(() => service.pendingCount(), { message: 'all hanging services are checked at the same time' })
        .toBe(20);
      for (const controller of timeouts) controller.abort(new DOMException('', 'TimeoutError'));
      timeoutSpy.mockRestore();
      const firstList = await listing;
      expect(firstList).toHaveLength(200);
      const inactiveIds = firstList.filter(({ active }) => !active).map(({ application }) => application.id);
      expect(inactiveIds.toSorted()).toStrictEqual(hangingApplications.map(({ id }) => id).toSorted());

      const requestCount = service.tokens.length;
      const secondList = await list();
      expect(secondList).toStrictEqual(firstList);
      expect(service.tokens.length, 'no service is checked again').toBe(requestCount);
    },
  );
});
