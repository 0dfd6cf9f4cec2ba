import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importSPKI, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, type ApplicationInput } from '../../../../../tests/support/applications.ts';
import { errorOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { loginRequestSchema, loginResponseSchema, type LoginRequest } from '../../../../wire/applications.ts';
import { debitSchema, previewSchema } from '../../../../wire/debits.ts';
import { ledgerPageSchema, type LedgerRow } from '../../../../wire/ledger.ts';
import { sessionSchema } from '../../../../wire/owner.ts';
import { rowsOf } from '../../access-log/recording/access-recorder.test-support.ts';
import { ATTACK_URLS, REGISTERED_URLS } from './attacks.test-support.ts';

const REDIRECT = 'https://good.example/login/done';
/** The first characters of every token. */
const TOKEN_START = 'eyJ';
const roleWithDetail = (role: string, detail: string) => ({ role, detail });

const applicationWith = (id: string, changes: Partial<Parameters<typeof anApplication>[0]> = {}): ApplicationInput => {
  const application = anApplication({ id, roles: [roleWithDetail('namespaceread', 'fitness')], ...changes });
  return {
    ...application,
    kind: { ...REGISTERED_URLS.kind, kind: 'App' },
    setup: { ...REGISTERED_URLS.setup, kind: 'External' },
  };
};

/** Requests a Data Debit that starts in the future. */
const laterApplication: ApplicationInput = {
  ...applicationWith('later'),
  permissions: {
    dataRequired: {
      bundle: {
        name: 'later-data',
        bundle: {
          steps: { endpoints: [{ endpoint: 'fitness/steps' }] },
          weight: { endpoints: [{ endpoint: 'fitness/weight' }] },
        },
      },
      startDate: '2100-01-01T00:00:00Z',
    },
  },
};

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({
    config: {
      applications: [
        ...['target', 'Mixed.Case', 'first', 'stopped', 'newer', 'attacked'].map((id) => applicationWith(id)),
        applicationWith('walks', { data: ['fitness/steps'] }),
        laterApplication,
      ],
    },
  });
});
afterAll(() => pda.close());

const getLoginRequest = async (query: Record<string, string>): Promise<LoginRequest> => {
  const reply = await pda.call('GET', `/api/v2.6/owner/login-request?${new URLSearchParams(query).toString()}`);
  expect([reply.status, reply.text]).toStrictEqual([200, expect.not.stringContaining(TOKEN_START)]);
  return loginRequestSchema.parse(reply.json);
};
const login = (json: Record<string, unknown>) => pda.call('POST', '/api/v2.6/owner/login', { json });
const signIn = async (json: Record<string, unknown>): Promise<string> => {
  const reply = await login(json);
  expect([reply.status, reply.text]).toStrictEqual([200, expect.any(String)]);
  return loginResponseSchema.parse(reply.json).url;
};
const loginEntriesOf = async (application: string): Promise<LedgerRow[]> => {
  const rows = await rowsOf(pda, `application=${application}`);
  return rows.filter(({ action }) => action === 'login');
};
const sessionsOf = async (application: string) => {
  const reply = await pda.call('GET', '/api/v2.6/owner/sessions');
  return sessionSchema
    .array()
    .parse(reply.json)
    .filter((session) => session.application === application);
};
const tokenIn = (url: string): string => new URL(url).searchParams.get('token') ?? '';

describe('a sign-in request', () => {
  it('needs consent for an application that was never set up, and states the redirect URL', async () => {
    const request = await getLoginRequest({
      name: 'target',
      redirect: REDIRECT,
      fallback: 'https://good.example/failed',
    });
    expect(request).toMatchObject({
      state: 'consent',
      redirect: REDIRECT,
      reason: null,
      failureUrl: 'https://good.example/failed?error=access_denied&error_reason=user_cancelled',
      application: { item: { setup: false }, asks: { read: ['fitness'] } },
    });
    expect(request.registered).toContain(REDIRECT);
  });

  it.each([
    { application_id: 'target', redirect_uri: REDIRECT },
    { name: 'TARGET', redirect: REDIRECT },
    { name: 'mixed.case', redirect: REDIRECT },
  ])('accepts alternative parameter names, and ids regardless of case: %j', async (query) => {
    expect((await getLoginRequest(query)).state).toBe('consent');
  });

  it('returns the normalised redirect URL', async () => {
    expect((await getLoginRequest({ name: 'target', redirect: 'HTTPS://Good.example:443/login/done' })).redirect).toBe(
      REDIRECT,
    );
  });

  it.each([
    [{}, 'application_id_is_required'],
    [{ name: '' }, 'application_id_is_required'],
    [{ name: 'unknown', redirect: REDIRECT }, 'application_id_not_found'],
    [{ name: '../target', redirect: REDIRECT }, 'application_id_not_found'],
    [{ name: 'target' }, 'redirect_is_required'],
    [{ name: 'target', redirect: '' }, 'redirect_is_required'],
    [{ name: 'target', redirect: 'https://evil.example/' }, 'redirect_not_registered'],
  ])('is refused with an error reason if it is invalid: %j', async (query, reason) => {
    const request = await getLoginRequest(query);
    expect([request.state, request.reason, request.failureUrl]).toStrictEqual([
      'refused',
      `application_misconfigured/${reason}`,
      null,
    ]);
  });

  it('reports a missing redirect URL to a fallback URL at a registered origin', async () => {
    const fallback = 'https://good.example/failed';
    expect((await getLoginRequest({ name: 'target', fallback })).failureUrl).toBe(
      `${fallback}?error=application_misconfigured&error_reason=redirect_is_required`,
    );
    expect((await getLoginRequest({ name: 'target', fallback: 'https://evil.example/' })).failureUrl).toBeNull();
  });

  it('shows an unregistered redirect URL next to the registered ones, does not redirect, and is logged', async () => {
    // The access log may already have an entry that counts equal refusals in this hour.
    const previousCount = (await loginEntriesOf('target')).reduce((sum, { count }) => sum + count, 0);
    const request = await getLoginRequest({
      name: 'target',
      redirect: 'https://good.example@evil.example/\u202e',
      fallback: 'https://good.example/failed',
    });
    expect(request.redirect).toBe('https://good.example@evil.example/\\u{202e}');
    expect(request.registered).toContain(REDIRECT);
    expect(request.failureUrl).toBeNull();
    const rows = await loginEntriesOf('target');
    expect(rows[0]).toMatchObject({
      who: { kind: 'application', name: 'target' },
      outcome: 'refused',
      reason: 'redirect_not_registered',
      consent: null,
      records: 0,
      address: expect.stringContaining('127.0.0.1') as string,
      count: previousCount + 1,
    });
  });

  it('shares one log entry when it is repeated with an unregistered redirect', async () => {
    const entriesBefore = await loginEntriesOf('target');
    await Promise.all(
      Array.from({ length: 50 }, (_, times) =>
        getLoginRequest({ name: 'target', redirect: `https://evil.example/${times}` }),
      ),
    );
    const rows = await loginEntriesOf('target');
    expect(rows).toHaveLength(Math.max(1, entriesBefore.length));
    expect(rows[0]?.count).toBe(50 + entriesBefore.reduce((sum, { count }) => sum + count, 0));
  });

  it('is refused if a parameter is repeated', async () => {
    const queryWithRepetition = `name=target&redirect=${REDIRECT}&redirect=https://evil.example/`;
    expect((await pda.call('GET', `/api/v2.6/owner/login-request?${queryWithRepetition}`)).status).toBe(400);
  });

  it('requires a token', async () => {
    for (const path of ['GET /api/v2.6/owner/login-request?name=target', 'POST /api/v2.6/owner/login'] as const) {
      const [method = '', address = ''] = path.split(' ');
      expect((await pda.call(method, address, { token: null })).status).toBe(401);
    }
  });
});

describe('signing in to an application', () => {
  it('sets up the reviewed version and returns the registered URL with a token', async () => {
    const url = await signIn({ name: 'first', redirect: 'https://GOOD.example/login/done', version: '1.0.0' });
    expect(url.startsWith(`${REDIRECT}?token=`)).toBe(true);
    const pem = (await pda.call('GET', '/publickey', { token: null })).text;
    const { payload, protectedHeader } = await jwtVerify(tokenIn(url), await importSPKI(pem, 'RS256'), {
      algorithms: ['RS256'],
      currentDate: new Date(pda.clock.now()),
    });
    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'JWT' });
    expect(payload).toMatchObject({ application: 'first', applicationVersion: '1.0.0', iss: pda.host });
    expect(payload['accessScope']).toBeUndefined();
    expect(await sessionsOf('first')).toMatchObject([{ kind: 'application', current: false }]);
    const rows = await loginEntriesOf('first');
    expect(rows).toMatchObject([
      {
        outcome: 'allowed',
        status: 200,
        reason: null,
        consent: { kind: 'application', name: 'first', detail: '1.0.0' },
      },
    ]);
    const data = await pda.call('GET', '/api/v2.6/data/fitness/steps', { token: tokenIn(url) });
    expect([data.status, data.json]).toStrictEqual([200, []]);
  });

  it('logs the set-up, but not a later sign-in, as a decision of the owner', async () => {
    await signIn({ name: 'first', redirect: REDIRECT });
    const reply = await pda.call('GET', '/api/v2.6/owner/ledger?who=owner&act=decision');
    expect(ledgerPageSchema.parse(reply.json).rows).toMatchObject([
      { action: 'POST /api/v2.6/owner/login', consent: { kind: 'application', name: 'first', detail: '' } },
    ]);
  });

  it('needs no consent the second time, even if the redirect URL has a different query', async () => {
    const redirect = 'https://good.example/app?a=1&token=old';
    expect((await getLoginRequest({ name: 'FIRST', redirect })).state).toBe('ready');
    const url = new URL(await signIn({ name: 'FIRST', redirect }));
    expect([url.origin + url.pathname, url.searchParams.get('a')]).toStrictEqual(['https://good.example/app', '1']);
    expect(url.searchParams.getAll('token')).toStrictEqual([expect.stringMatching(/^eyJ/u)]);
  });

  it('sets nothing up and issues no token without consent', async () => {
    const reply = await login({ name: 'target', redirect: REDIRECT });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([409, 'wrong_state']);
    expect(await sessionsOf('target')).toStrictEqual([]);
    expect((await getLoginRequest({ name: 'target', redirect: REDIRECT })).state).toBe('consent');
  });

  it('needs consent to the currently published version', async () => {
    const reply = await login({ name: 'target', redirect: REDIRECT, version: '0.9.0' });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([409, 'wrong_state']);
    expect((await getLoginRequest({ name: 'target', redirect: REDIRECT })).state).toBe('consent');
  });

  it('is refused for an unknown application or an invalid request', async () => {
    expect((await login({ name: 'unknown', redirect: REDIRECT })).status).toBe(404);
    expect((await login({ name: 'first' })).status).toBe(400);
    expect((await login({ name: 'first', redirect: REDIRECT, token: 'x' })).status).toBe(400);
    expect((await login({ name: 'first', redirect: REDIRECT, narrowing: { drop: [] } })).status).toBe(400);
  });

  it('needs no second consent before the start of the approved Data Debit, and keeps the narrowing', async () => {
    const narrowing = { drop: [{ property: 'weight', entry: 0 }] };
    await signIn({ name: 'later', redirect: REDIRECT, version: '1.0.0', narrowing });
    const request = await getLoginRequest({ name: 'later', redirect: REDIRECT });
    expect(request).toMatchObject({ state: 'ready', application: { item: { active: false } } });
    expect(Object.keys(request.application?.approved?.data?.bundle ?? {})).toStrictEqual(['steps']);
    await pda.call('GET', '/api/v2.6/applications/later/setup');
    const { application } = await getLoginRequest({ name: 'later', redirect: REDIRECT });
    expect(Object.keys(application?.approved?.data?.bundle ?? {})).toStrictEqual(['steps']);
    const debit = debitSchema.parse((await pda.call('GET', '/api/v2.6/data-debit/app-later')).json);
    expect(debit.permissions).toHaveLength(1);
  });

  it('needs consent again after the application was disabled, which revokes its tokens', async () => {
    const url = await signIn({ name: 'stopped', redirect: REDIRECT, version: '1.0.0' });
    await pda.call('GET', '/api/v2.6/applications/stopped/disable');
    expect((await pda.call('GET', '/api/v2.6/data/fitness/steps', { token: tokenIn(url) })).status).toBe(401);
    expect((await getLoginRequest({ name: 'stopped', redirect: REDIRECT })).state).toBe('consent');
    expect((await login({ name: 'stopped', redirect: REDIRECT })).status).toBe(409);
    await signIn({ name: 'stopped', redirect: REDIRECT, version: '1.0.0' });
    expect((await getLoginRequest({ name: 'stopped', redirect: REDIRECT })).state).toBe('ready');
  });

  it('needs consent again only if a new version requests more', async () => {
    await signIn({ name: 'newer', redirect: REDIRECT, version: '1.0.0' });
    const publish = async (version: string, roles: { role: string; detail: string }[]) => {
      const file = join(pda.home, 'config.json');
      const config = JSON.parse(readFileSync(file, 'utf8')) as { applications: ApplicationInput[] };
      const otherApplications = config.applications.filter(({ id }) => id !== 'newer');
      writeFileSync(
        file,
        JSON.stringify({ applications: [...otherApplications, applicationWith('newer', { version, roles })] }),
      );
      await pda.restart();
    };
    await publish('1.1.0', [roleWithDetail('namespaceread', 'fitness')]);
    expect((await getLoginRequest({ name: 'newer', redirect: REDIRECT })).state).toBe('ready');
    await publish('1.2.0', [roleWithDetail('namespaceread', 'fitness'), roleWithDetail('namespacewrite', 'fitness')]);
    expect((await getLoginRequest({ name: 'newer', redirect: REDIRECT })).state).toBe('consent');
    expect((await login({ name: 'newer', redirect: REDIRECT })).status).toBe(409);
    // The page was opened before the new version was published.
    expect((await login({ name: 'newer', redirect: REDIRECT, version: '1.1.0' })).status).toBe(409);
    await signIn({ name: 'newer', redirect: REDIRECT, version: '1.2.0' });
  });
});

describe('an application that requests data', () => {
  const narrowing = { keep: [{ property: 'fitness-steps', entry: 0, fields: ['day'] }] };
  const preview = (id: string, json: Record<string, unknown>) =>
    pda.call('POST', `/api/v2.6/owner/applications/${id}/preview`, { json });
  const expectedPreview = {
    leaving: 1,
    records: [{ endpoint: 'fitness/steps', data: { day: 'Monday', steps: 8000 } }],
  };

  it('has a preview of the shared data before the approval, with the narrowing applied', async () => {
    await pda.call('POST', '/api/v2.6/data/fitness/steps', { json: { day: 'Monday', steps: 8000 } });
    expect((await preview('walks', {})).json).toMatchObject({ properties: [expectedPreview] });
    const narrowedPreview = previewSchema.parse((await preview('walks', { narrowing })).json);
    expect(narrowedPreview.properties[0]?.records).toMatchObject([{ data: { day: 'Monday' } }]);
    expect(JSON.stringify(narrowedPreview.properties[0]?.records)).not.toContain('8000');
    expect((await preview('target', {})).status).toBe(404);
    expect((await preview('walks', { take: 501 })).status).toBe(400);
    expect((await getLoginRequest({ name: 'walks', redirect: REDIRECT })).state).toBe('consent');
  });

  it('gets the narrowed data, and needs consent again after its Data Debit was disabled', async () => {
    const token = tokenIn(await signIn({ name: 'walks', redirect: REDIRECT, version: '1.0.0', narrowing }));
    const values = await pda.call('GET', '/api/v2.6/data-debit/app-walks/values', { token });
    expect(values.json).toMatchObject({ bundle: { 'fitness-steps': [{ data: { day: 'Monday' } }] } });
    expect(values.text).not.toContain('8000');
    expect((await getLoginRequest({ name: 'walks', redirect: REDIRECT })).state).toBe('ready');
    await pda.call('GET', '/api/v2.6/data-debit/app-walks/disable');
    expect((await getLoginRequest({ name: 'walks', redirect: REDIRECT })).state).toBe('consent');
    expect((await login({ name: 'walks', redirect: REDIRECT })).status).toBe(409);
  });
});

describe('an unregistered redirect URL', () => {
  it('gets no token from the sign-in request or the sign-in', async () => {
    await signIn({ name: 'attacked', redirect: REDIRECT, version: '1.0.0' });
    const sessionCount = (await sessionsOf('attacked')).length;
    const attack = async (redirect: string) => {
      const queryString = new URLSearchParams({ name: 'attacked', redirect, fallback: redirect }).toString();
      const request = await pda.call('GET', `/api/v2.6/owner/login-request?${queryString}`);
      const loginReply = await login({ name: 'attacked', redirect, version: '1.0.0' });
      return {
        redirect,
        state: loginRequestSchema.parse(request.json).state,
        isRefused: [400, 403].includes(loginReply.status),
        hasToken: (request.text + loginReply.text).includes(TOKEN_START),
      };
    };
    expect(await Promise.all(ATTACK_URLS.map(attack))).toStrictEqual(
      ATTACK_URLS.map((redirect) => ({ redirect, state: 'refused', isRefused: true, hasToken: false })),
    );
    expect(await sessionsOf('attacked')).toHaveLength(sessionCount);
  });
});
