import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anApplication, tokenOf } from '../../../../../tests/support/applications.ts';
import { startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { applicationItemSchema, ownerApplicationSchema } from '../../../../wire/applications.ts';
import { sessionSchema } from '../../../../wire/owner.ts';
import { startFarEnd, type FarEnd } from './fake-service.test-support.ts';

const MINUTE = 60_000;
const ROLES = [{ role: 'namespaceread', detail: 'fitness' }];

let far: FarEnd;
let pda: TestPda;
/** A URL at which no server listens. */
let gone: string;
beforeAll(async () => {
  far = await startFarEnd();
  const closed = await startFarEnd();
  gone = closed.url;
  await closed.close();
});
afterAll(() => far.close());
beforeEach(() => {
  far.tokens.length = 0;
  far.answers.clear();
});
afterEach(() => pda.close());

const external = (id: string, path = `/${id}`, expectedStatus = 200) =>
  anApplication({ id, roles: ROLES, status: { kind: 'External', statusUrl: far.url + path, expectedStatus } });

const start = async (applications: unknown[], setUp: readonly string[]): Promise<void> => {
  pda = await startTestPda({ config: { applications }, network: { allowLoopback: true } });
  for (const id of setUp) await pda.call('GET', `/api/v2.6/applications/${id}/setup`);
};
const activeOf = async (id: string): Promise<boolean> =>
  applicationItemSchema.parse((await pda.call('GET', `/api/v2.6/applications/${id}`)).json).active;
const statusOf = async (id: string) =>
  ownerApplicationSchema.parse((await pda.call('GET', `/api/v2.6/owner/applications/${id}`)).json).status;

describe('an application with External status', () => {
  it('is active while its service answers exactly as its maker said', async () => {
    far.answers.set('/teapot', 418);
    await start([external('teapot', '/teapot', 418), external('other', '/teapot', 200)], ['teapot', 'other']);
    expect([await activeOf('teapot'), await activeOf('other')]).toStrictEqual([true, false]);
    expect(await statusOf('other')).toMatchObject({ ok: false, problem: 'It answered 418 where 200 was expected.' });
  });

  it('gets a token with the rights of the application, good for calling back', async () => {
    await start([external('notes')], []);
    await tokenOf(pda, 'notes');
    await activeOf('notes');
    const [token = ''] = far.tokens;
    expect((await pda.call('GET', '/api/v2.6/data/fitness/steps', { token })).status).toBe(200);
    expect((await pda.call('GET', '/api/v2.6/data/finance/steps', { token })).status).toBe(403);
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ application: 'notes', applicationVersion: '1.0.0', iss: expect.any(String) });
    expect(claims).not.toHaveProperty('accessScope');
  });

  it('was not here when it was only asked, and was when it calls back', async () => {
    await start([external('notes')], ['notes']);
    expect(await activeOf('notes')).toBe(true);
    const here = async () => {
      const reply = await pda.call('GET', '/api/v2.6/owner/applications/notes');
      const { lastSeen, sessions } = ownerApplicationSchema.parse(reply.json);
      return { lastSeen, sessions };
    };
    expect(far.tokens).toHaveLength(1);
    expect(await here()).toStrictEqual({ lastSeen: null, sessions: 0 });
    pda.clock.advance(2 * MINUTE);
    await activeOf('notes');
    expect(await here()).toStrictEqual({ lastSeen: null, sessions: 0 });

    await pda.call('GET', '/api/v2.6/data/fitness/steps', { token: far.tokens[0] ?? '' });
    const now = new Date(pda.clock.now()).toISOString();
    await expect.poll(here).toStrictEqual({ lastSeen: now, sessions: 1 });
  });

  it('is asked only when it is set up and enabled', async () => {
    await start([external('notes'), external('mail')], ['mail']);
    await pda.call('GET', '/api/v2.6/applications/mail/disable');
    far.tokens.length = 0;
    await pda.call('GET', '/api/v2.6/applications');
    await pda.call('GET', '/api/v2.6/owner/applications');
    expect(far.tokens).toStrictEqual([]);
  });

  it.each([
    ['leads elsewhere', (url: string) => ({ statusUrl: `${url}/moved` }), /leads elsewhere/u],
    ['is down', () => ({ statusUrl: gone }), /could not be reached/u],
    ['would get its token in the clear', () => ({ statusUrl: 'http://notes.example.com/' }), /not https/u],
    ['has no status address', () => ({ statusUrl: '' }), /no status address/u],
  ])('is not active when its service %s, and says why', async (_, status, problem) => {
    far.answers.set('/moved', (_request, response) => response.writeHead(302, { location: '/here' }).end());
    await start([anApplication({ status: { kind: 'External', expectedStatus: 200, ...status(far.url) } })], ['notes']);
    expect(await activeOf('notes')).toBe(false);
    expect((await statusOf('notes'))?.problem).toMatch(problem);
  });

  it('is not called on this machine or in this house, unless a developer says so', async () => {
    pda = await startTestPda({ config: { applications: [external('notes')] }, network: { allowLoopback: false } });
    await pda.call('GET', '/api/v2.6/applications/notes/setup');
    expect(await activeOf('notes')).toBe(false);
    expect(far.tokens).toStrictEqual([]);
  });
});

describe('the outcome of a check', () => {
  it('is good for a minute, then it is looked at again', async () => {
    await start([external('notes')], ['notes']);
    const before = far.tokens.length;
    far.answers.set('/notes', 500);
    pda.clock.advance(MINUTE - 1);
    expect([await activeOf('notes'), far.tokens.length]).toStrictEqual([true, before]);
    pda.clock.advance(1);
    expect([await activeOf('notes'), far.tokens.length]).toStrictEqual([false, before + 1]);
  });

  it('is refreshed when the application is set up', async () => {
    far.answers.set('/notes', 500);
    await start([external('notes')], ['notes']);
    expect(await activeOf('notes')).toBe(false);
    far.answers.set('/notes', 200);
    expect(await activeOf('notes')).toBe(false);
    expect((await pda.call('GET', '/api/v2.6/applications/notes/setup')).json).toMatchObject({ active: true });
  });

  it('is reported to open pages when a background check finds a change', async () => {
    await start([external('notes')], ['notes']);
    const heard: string[] = [];
    // The minute is also one for other rooms, which may have something to tell.
    pda.pda.events.onTopic((topic) => void (topic === 'applications' && heard.push(topic)));
    far.answers.set('/notes', 500);
    pda.clock.advance(MINUTE);
    await activeOf('notes');
    await expect.poll(() => heard).toStrictEqual(['applications']);
  });

  it('is shared by all who ask at the same moment', async () => {
    await start([external('notes')], ['notes']);
    pda.clock.advance(10 * MINUTE);
    far.tokens.length = 0;
    await Promise.all(Array.from({ length: 10 }, () => pda.call('GET', '/api/v2.6/applications')));
    expect(far.tokens).toHaveLength(1);
  });

  it('costs one session, not one for each check, and a new one before the token is over', async () => {
    await start([external('notes')], ['notes']);
    const sessions = async () =>
      (
        await pda.call('GET', '/api/v2.6/owner/sessions').then((reply) => sessionSchema.array().parse(reply.json))
      ).filter(({ kind }) => kind === 'application').length;
    for (let check = 0; check < 5; check += 1) {
      pda.clock.advance(2 * MINUTE);
      await activeOf('notes');
    }
    expect(new Set(far.tokens).size).toBe(1);
    expect(await sessions()).toBe(1);
    pda.clock.advance(49 * 60 * MINUTE);
    await activeOf('notes');
    expect(new Set(far.tokens).size).toBe(2);
  });

  it('goes out with a new token after the sessions were ended', async () => {
    await start([external('notes')], ['notes']);
    await pda.call('DELETE', '/api/v2.6/owner/sessions?except=current');
    pda.clock.advance(2 * MINUTE);
    expect(await activeOf('notes')).toBe(true);
    expect(new Set(far.tokens).size).toBe(2);
    const call = { token: far.tokens.at(-1) ?? '' };
    expect((await pda.call('GET', '/users/access_token/validate', call)).status).toBe(200);
  });

  it('answers from the last check while the service hangs', async () => {
    await start([external('notes')], ['notes']);
    far.answers.set('/notes', 'hang');
    pda.clock.advance(MINUTE);
    expect(await activeOf('notes')).toBe(true);
    // A check that had been waited for would have timed out and said false.
    await expect.poll(() => far.hanging()).toBe(1);
  });
});

describe('the list', () => {
  it('of 200 applications, 20 of them with a service that hangs, waits for one, and is at hand after that', async () => {
    const hanging = Array.from({ length: 20 }, (_, index) => external(`hanging-${index}`, '/hang'));
    const sound = Array.from({ length: 20 }, (_, index) => external(`sound-${index}`, '/sound'));
    const rest = Array.from({ length: 160 }, (_, index) => anApplication({ id: `rest-${index}`, roles: ROLES }));
    await start([...hanging, ...sound, ...rest], []);
    await Promise.all(
      [...hanging, ...sound, ...rest].map(({ id }) => pda.call('GET', `/api/v2.6/applications/${id}/setup`)),
    );
    far.answers.set('/hang', 'hang');
    pda.clock.advance(10 * MINUTE);

    const list = async () => {
      const reply = await pda.call('GET', '/api/v2.6/applications');
      return applicationItemSchema.array().parse(reply.json);
    };
    const first = await list();
    expect(first).toHaveLength(200);
    const inactive = first.filter(({ active }) => !active).map(({ application }) => application.id);
    expect(inactive.toSorted()).toStrictEqual(hanging.map(({ id }) => id).toSorted());
    expect(far.mostHanging(), 'all of them are checked at the same time').toBe(20);

    const asked = far.tokens.length;
    const again = await list();
    expect(again).toStrictEqual(first);
    expect(far.tokens.length, 'no service is asked again').toBe(asked);
  });
});
