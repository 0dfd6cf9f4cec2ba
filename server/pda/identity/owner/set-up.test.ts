import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Reply } from '../../../../tests/support/http.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { tokenResponseSchema } from '../../../wire/owner.ts';
import { cpuMs } from '../../../../tests/support/cpu-time.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

const SETUP_PATH = '/api/v2.6/owner/setup';
const PUBLIC_HOST = 'ada.example';

let pda: TestPda;
const startWithoutOwner = (): Promise<TestPda> => startTestPda({ setUp: false, publicUrl: `https://${PUBLIC_HOST}` });
beforeAll(async () => {
  pda = await startWithoutOwner();
});
afterAll(() => pda.close());
// Resets the throttle.
beforeEach(() => pda.clock.advance(60_000));

const createSetupRequest = (change: Record<string, unknown> = {}): Record<string, unknown> => ({
  code: pda.pda.owner.setupCode() ?? '',
  ...OWNER,
  ...change,
});

describe('before the set-up', () => {
  it('the state is `waiting` on this machine', async () => {
    expect((await pda.call('GET', SETUP_PATH)).json).toStrictEqual({ state: 'waiting' });
  });

  it('routes that require the set-up respond with 409', async () => {
    const refusedRoutes = pda.pda.routes.filter((route) => route.beforeSetup !== true);
    expect(refusedRoutes.length).toBeGreaterThan(30);
    for (const { method, path } of refusedRoutes) {
      const reply = await pda.call(method, path.replaceAll(/[:*]\w+/gu, 'x'));
      expect([method, path, reply.status, errorOf(reply).error]).toStrictEqual([method, path, 409, 'not_set_up']);
    }
  });

  it('only set-up, password rating, restore, health, version and documentation are accessible', () => {
    const openRoutes = pda.pda.routes
      .filter((route) => route.beforeSetup === true)
      .map((route) => `${route.method} ${route.path}`);
    expect(openRoutes.toSorted()).toStrictEqual([
      'GET /api/v2.6/healthz',
      'GET /api/v2.6/openapi.json',
      'GET /api/v2.6/owner/setup',
      'GET /api/v2.6/version',
      'GET /docs',
      'GET /docs/',
      'GET /docs/*page',
      'GET /healthz',
      'POST /api/v2.6/owner/password-strength',
      'POST /api/v2.6/owner/restore',
      'POST /api/v2.6/owner/restore/list',
      'POST /api/v2.6/owner/setup',
    ]);
  });

  it('only the health check is accessible through the public address', async () => {
    const headers = { host: PUBLIC_HOST };
    expect((await pda.call('GET', '/healthz', { headers })).status).toBe(200);
    for (const { method, path } of pda.pda.routes.filter((route) => route.path !== '/healthz')) {
      const reply = await pda.call(method, path.replaceAll(/[:*]\w+/gu, 'x'), { headers });
      expect([method, path, reply.status, errorOf(reply).error]).toStrictEqual([method, path, 403, 'setup_only_local']);
    }
  });

  it('the PDA cannot be set up through its public address, even with the code', async () => {
    const reply = await pda.call('POST', SETUP_PATH, { headers: { host: PUBLIC_HOST }, json: createSetupRequest() });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([403, 'setup_only_local']);
    expect(pda.pda.owner.isSetUp()).toBe(false);
  });
});

const rate = (json: unknown, headers = {}) => pda.call('POST', '/api/v2.6/owner/password-strength', { json, headers });

describe('the strength of a password', () => {
  it.skipIf(!IS_THOROUGH_RUN)('is rated before the set-up on this machine, treating the name as a guess', async () => {
    expect((await rate({ password: 'correct horse battery staple' })).json).toMatchObject({ acceptable: true });
    expect((await rate({ password: 'grandmother', name: 'grandmother' })).json).toMatchObject({ acceptable: false });
  });

  it.skipIf(!IS_THOROUGH_RUN)('is rated quickly for the longest allowed passwords', async () => {
    const initialCpuUsage = process.cpuUsage();
    for (const password of ['a'.repeat(1000), 'pass1'.repeat(200), '😀'.repeat(500)])
      expect((await rate({ password })).status).toBe(200);
    expect(cpuMs(initialCpuUsage)).toBeLessThan(5000);
  });
});

describe('setting up', () => {
  it('refuses passwords that are easy to guess, without repeating them in the response', async () => {
    for (const password of ['', 'password', '12345678', 'ada', 'aaaaaaaaaaaaaaaa', 'qwertyuiop']) {
      const reply = await pda.call('POST', SETUP_PATH, { json: createSetupRequest({ password }) });
      expect([password, reply.status, errorOf(reply).error]).toStrictEqual([password, 400, 'invalid_input']);
      if (password.length > 8) expect(reply.text).not.toContain(password);
    }
    expect(pda.pda.owner.isSetUp()).toBe(false);
  });

  it('refuses names that are not a lower-case DNS label of at most 62 characters', async () => {
    for (const name of ['', 'Ada', '-ada', 'ada-', 'a b', 'ada.example', 'é', 'a'.repeat(63)]) {
      const reply = await pda.call('POST', SETUP_PATH, { json: createSetupRequest({ name }) });
      expect([name, reply.status]).toStrictEqual([name, 400]);
    }
  });

  it('creates a new unguessable code at each start', async () => {
    const previousCode = pda.pda.owner.setupCode();
    await pda.restart();
    expect(pda.pda.owner.setupCode()).not.toBe(previousCode);
    expect(pda.pda.owner.setupCode()).toMatch(/^[\w-]{24}$/u);
  });

  it('refuses wrong codes and allows a burst of ten attempts, then one every two seconds', async () => {
    const code = pda.pda.owner.setupCode() ?? '';
    const invalidCodes = [
      '',
      code.slice(1),
      `${code}x`,
      code.toUpperCase(),
      `${code} `,
      '0',
      'null',
      'ä',
      code.slice(0, -1),
      '😀',
    ];
    for (const guess of invalidCodes) {
      const reply = await pda.call('POST', SETUP_PATH, { json: createSetupRequest({ code: guess }) });
      expect([guess, reply.status, errorOf(reply).error]).toStrictEqual([guess, 403, 'invalid_setup_code']);
    }
    const limitedReply = await pda.call('POST', SETUP_PATH, { json: createSetupRequest() });
    expect([limitedReply.status, errorOf(limitedReply).error, limitedReply.headers['retry-after']]).toStrictEqual([
      429,
      'rate_limited',
      '2',
    ]);
    pda.clock.advance(2000);
    expect((await pda.call('POST', SETUP_PATH, { json: createSetupRequest() })).status).toBe(201);
  });
});

describe('after the set-up', () => {
  let firstRequest: Record<string, unknown>;
  let reply: Reply;
  beforeAll(async () => {
    await pda.close();
    pda = await startWithoutOwner();
    firstRequest = createSetupRequest();
    reply = await pda.call('POST', SETUP_PATH, { json: firstRequest });
  });

  it('the owner is signed in', async () => {
    expect(reply.status).toBe(201);
    const { accessToken, userId } = tokenResponseSchema.parse(reply.json);
    expect(decodeJwt(accessToken)).toMatchObject({ sub: userId, iss: pda.host, accessScope: 'owner' });
    expect((await pda.call('GET', '/api/v2.6/owner', { token: accessToken })).json).toMatchObject({
      name: OWNER.name,
      userId,
    });
    expect((await pda.call('GET', SETUP_PATH, { headers: { host: PUBLIC_HOST } })).json).toStrictEqual({
      state: 'done',
      name: OWNER.name,
      profile: false,
    });
  });

  it('a second set-up is refused, with the same code and with an empty code', async () => {
    expect(pda.pda.owner.setupCode()).toBeUndefined();
    for (const setUpRequest of [firstRequest, { ...firstRequest, name: 'eve', code: '' }]) {
      const repeatedReply = await pda.call('POST', SETUP_PATH, { json: setUpRequest });
      expect([repeatedReply.status, errorOf(repeatedReply).error]).toStrictEqual([409, 'wrong_state']);
    }
    expect(pda.pda.owner.profile()?.name).toBe(OWNER.name);
  });

  it('the session stays valid after a restart', async () => {
    await pda.restart();
    const { accessToken: token } = tokenResponseSchema.parse(reply.json);
    expect((await pda.call('GET', '/users/access_token/validate', { token })).status).toBe(200);
  });

  it('only the owner can rate passwords', async () => {
    expect((await rate({ password: 'x' })).status).toBe(401);
    const { accessToken: token } = tokenResponseSchema.parse(reply.json);
    const response = await pda.call('POST', '/api/v2.6/owner/password-strength', { token, json: { password: 'x' } });
    expect(response.json).toMatchObject({ score: 0, acceptable: false });
  });
});

describe('two concurrent set-ups', () => {
  it.skipIf(!IS_THOROUGH_RUN)('create one owner, and the other request is refused', async () => {
    await pda.close();
    pda = await startWithoutOwner();
    const replies = await Promise.all(
      ['ada', 'eve'].map((name) => pda.call('POST', SETUP_PATH, { json: createSetupRequest({ name }) })),
    );
    expect(new Set(replies.map((reply) => reply.status))).toStrictEqual(new Set([201, 409]));
    const winnerIndex = replies.findIndex((reply) => reply.status === 201);
    expect(pda.pda.owner.profile()?.name).toBe(['ada', 'eve'][winnerIndex]);
    expect(pda.pda.owner.keys()).toHaveLength(1);
  });
});
