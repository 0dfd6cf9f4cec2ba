import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { hash as argon2 } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aPlug,
  startFakeExchange,
  type FakeExchange,
} from '../server/pda/network/exchange/fake-exchange.test-support.ts';
import { readPdaToken } from '../server/platform/auth/pda-token.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { tokenResponseSchema } from '../server/wire/owner.ts';
import { anApplication } from './support/applications.ts';
import type { Reply } from './support/http.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const HOUR_MS = 3_600_000;
const PASSWORD = 'a separate plug';
const hashCheaply = (password = PASSWORD): Promise<string> =>
  argon2(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });

const plugApplication = (id: string, namespace: string) => {
  const application = anApplication({ id, roles: [{ role: 'namespacewrite', detail: namespace }] });
  return { ...application, kind: { ...application.kind, kind: 'Data Plug' as const } };
};

let pda: TestPda;
let exchange: FakeExchange;

beforeAll(async () => {
  const ownApplication = plugApplication('homegrown', 'own');
  pda = await startTestPda({ network: { allowLoopback: true }, config: { applications: [ownApplication] } });
  exchange = await startFakeExchange(pda.clock);
  exchange.applications = [
    plugApplication('fitbit', 'fitbit'),
    plugApplication('bank', 'bank'),
    plugApplication('homegrown', 'own'),
    anApplication({ id: 'notes', roles: [{ role: 'owner' }] }),
  ];
  exchange.plugs = [
    aPlug({ passwordHash: await hashCheaply() }),
    aPlug({ name: 'Bank', applicationId: 'bank', passwordHash: hashSync(PASSWORD, 4) }),
    aPlug({ name: 'Homegrown', applicationId: 'homegrown', passwordHash: await hashCheaply() }),
    aPlug({ name: 'Notes', applicationId: 'notes', passwordHash: await hashCheaply() }),
    aPlug({ name: 'ADA', applicationId: 'fitbit2', passwordHash: await hashCheaply() }),
    aPlug({ name: 'Grace', applicationId: 'grace', passwordHash: await hashCheaply() }),
  ];
  await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: exchange.url } });
  await pda.pda.network.sync();
});
afterAll(async () => {
  await pda.close();
  await exchange.close();
});

const setUp = async (id: string): Promise<void> =>
  expect((await pda.call('GET', `/api/v2.6/applications/${id}/setup`)).status).toBe(200);
const signIn = async (username: string, password = PASSWORD): Promise<Reply> => {
  pda.clock.advance(2000);
  return pda.call('GET', '/users/access_token', { token: null, headers: { username, password } });
};
const tokenFor = async (username: string, password = PASSWORD): Promise<string> => {
  const reply = await signIn(username, password);
  expect(reply.status, reply.text).toBe(200);
  return tokenResponseSchema.parse(reply.json).accessToken;
};
const writeRecord = (token: string, namespace: string) =>
  pda.call('POST', `/api/v2.6/data/${namespace}/things`, { token, json: { a: 1 } });
/** Makes the PDA fetch the lists of the exchange again. */
const refresh = async (): Promise<void> => {
  pda.clock.advance(2 * HOUR_MS);
  await pda.pda.network.sync();
};
const changePlug = (name: string, changes: Partial<ReturnType<typeof aPlug>>): void => {
  exchange.plugs = exchange.plugs.map((plug) =>
    (plug as { name: string }).name === name ? { ...(plug as object), ...changes } : plug,
  );
};

describe('Data Plug account', () => {
  it('does not exist before the owner enables its application', async () => {
    expect(errorOf(await signIn('Fitbit')).error).toBe('invalid_credentials');
  });

  it.each([
    ['argon2id', 'Fitbit', 'fitbit'],
    ['bcrypt', 'bank', 'bank'],
  ])(
    'signs in with its own password (hashed with %s) and has only the rights of its application',
    async (_, name, id) => {
      await setUp(id);
      const token = await tokenFor(name);
      // The token belongs to the application and is not a PDA token.
      expect(await readPdaToken(token)).toBeUndefined();
      expect((await writeRecord(token, id)).status).toBe(201);
      expect((await writeRecord(token, 'health')).status).toBe(403);
      expect((await pda.call('GET', `/api/v2.6/data/${id}/things`, { token })).status).toBe(403);
      expect((await pda.call('GET', '/api/v2.6/owner/network', { token })).status).toBe(403);
      expect(errorOf(await signIn(name, 'another password')).error).toBe('invalid_credentials');
    },
  );

  it('appears in the access log with its application', async () => {
    const { rows } = ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?application=fitbit')).json);
    expect(rows.map(({ action }) => action)).toContain('sign-in');
    expect(rows.every(({ who }) => who.kind === 'application' && who.name === 'fitbit')).toBe(true);
  });

  it('never takes precedence over the owner or a user with the same name', async () => {
    exchange.applications = [
      ...exchange.applications,
      plugApplication('fitbit2', 'f2'),
      plugApplication('grace', 'grace'),
    ];
    await refresh();
    pda.token = await pda.signIn();
    await setUp('fitbit2');
    await setUp('grace');
    await tokenFor('grace');
    const user = { name: 'grace', password: 'a much longer phrase' };
    expect((await pda.call('POST', '/users/user', { json: user })).status).toBe(201);
    for (const name of ['ada', 'ADA', 'Ada', 'grace', 'Grace', 'GRACE'])
      expect(errorOf(await signIn(name)).error, name).toBe('invalid_credentials');
    expect((await signIn(OWNER.name, OWNER.password)).status).toBe(200);
    expect((await signIn('Grace', user.password)).status).toBe(200);
  });

  it('gives no access to an application from config.json with the same id', async () => {
    await setUp('homegrown');
    expect(errorOf(await signIn('Homegrown')).error).toBe('invalid_credentials');
  });

  it('requires an application of kind Data Plug', async () => {
    await setUp('notes');
    expect(errorOf(await signIn('Notes')).error).toBe('invalid_credentials');
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'can sign in from its known network while others guess its password, until the application is erased',
    async () => {
      const signInFrom = (address: string, password = PASSWORD): Promise<string> =>
        pda.pda.owner.signIn('Fitbit', password, { address, host: pda.host, local: false, userAgent: 'test' }).then(
          () => 'ok',
          (error: unknown) => String(Object(error).code),
        );
      pda.clock.advance(HOUR_MS);
      expect(await signInFrom('203.0.113.7')).toBe('ok');
      for (let count = 0; count < 10; count += 1) await signInFrom(`198.51.100.${count}`, 'wrong');
      expect(await signInFrom('203.0.113.8')).toBe('rate_limited');
      expect(await signInFrom('203.0.113.7')).toBe('ok');
      const erasure = { kind: 'application', target: 'fitbit', typed: 'fitbit', password: OWNER.password };
      expect((await pda.call('POST', '/api/v2.6/owner/erasures', { json: erasure })).status).toBe(202);
      await pda.pda.erasure.waitUntilIdle();
      await setUp('fitbit');
      expect(await signInFrom('203.0.113.7')).toBe('rate_limited');
    },
  );

  it('stops working immediately when the owner disables its application', async () => {
    const token = await tokenFor('Fitbit');
    await pda.call('GET', '/api/v2.6/applications/fitbit/disable');
    expect((await writeRecord(token, 'fitbit')).status).toBe(401);
    expect(errorOf(await signIn('Fitbit')).error).toBe('invalid_credentials');
    await setUp('fitbit');
    expect((await writeRecord(token, 'fitbit')).status).toBe(401);
  });

  it.each([
    ['is no longer approved', { approved: false }],
    ['is disconnected', { connected: false }],
    ['has no password', { passwordHash: undefined }],
    [
      'has a hash that would exhaust this PDA',
      { passwordHash: `$argon2id$v=19$m=4194304,t=99,p=1$${'a'.repeat(22)}$${'b'.repeat(43)}` },
    ],
    ['has a bcrypt hash of excessive cost', { passwordHash: `$2b$31$${'a'.repeat(53)}` }],
  ])('stops working, along with all its tokens, when it %s', async (_, changes) => {
    changePlug('Fitbit', { approved: true, connected: true, passwordHash: await hashCheaply() });
    await refresh();
    const token = await tokenFor('Fitbit');
    changePlug('Fitbit', changes);
    await refresh();
    expect((await writeRecord(token, 'fitbit')).status).toBe(401);
    expect(errorOf(await signIn('Fitbit')).error).toBe('invalid_credentials');
  });

  it('adopts a password change at the exchange, and ends the sessions of the old password', async () => {
    changePlug('Fitbit', { approved: true, connected: true, passwordHash: await hashCheaply() });
    await refresh();
    const token = await tokenFor('Fitbit');
    changePlug('Fitbit', { passwordHash: await hashCheaply('its next password') });
    await refresh();
    expect((await writeRecord(token, 'fitbit')).status).toBe(401);
    expect(errorOf(await signIn('Fitbit')).error).toBe('invalid_credentials');
    await tokenFor('Fitbit', 'its next password');
  });

  it('cannot be used while two plugs have the same application', async () => {
    const rival = aPlug({ name: 'Rival', applicationId: 'FITBIT', passwordHash: await hashCheaply('rival') });
    exchange.plugs = [...exchange.plugs, rival];
    await refresh();
    expect(errorOf(await signIn('Rival', 'rival')).error).toBe('invalid_credentials');
    expect(errorOf(await signIn('Fitbit', 'its next password')).error).toBe('invalid_credentials');
    exchange.plugs = exchange.plugs.filter((plug) => plug !== rival);
    await refresh();
    await tokenFor('Fitbit', 'its next password');
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'remains usable while the exchange is down and after a restart, and stops working when the owner leaves the exchange',
    async () => {
      const token = await tokenFor('Fitbit', 'its next password');
      exchange.overrides.set('GET /api/dataplugs', (_, response) => response.writeHead(503).end());
      await pda.restart();
      await refresh();
      expect((await writeRecord(token, 'fitbit')).status).toBe(201);
      exchange.overrides.clear();
      pda.token = await pda.signIn();
      await pda.call('POST', '/api/v2.6/owner/network/leave');
      expect((await writeRecord(token, 'fitbit')).status).toBe(401);
      expect(errorOf(await signIn('Fitbit', 'its next password')).error).toBe('invalid_credentials');
    },
  );

  it('is not restored by a list that the PDA requested before the owner left the exchange', async () => {
    await pda.call('POST', '/api/v2.6/owner/network/register');
    await pda.pda.network.sync();
    let respond = (): void => undefined;
    const requestReceived = new Promise<void>((resolve) => {
      exchange.overrides.set('GET /api/dataplugs', (_, response) => {
        respond = () => void response.end(JSON.stringify([...exchange.plugs, aPlug({ name: 'New' })]));
        resolve();
      });
    });
    pda.clock.advance(2 * HOUR_MS);
    const sync = pda.pda.network.sync();
    await requestReceived;
    await pda.call('POST', '/api/v2.6/owner/network/leave');
    respond();
    await sync;
    exchange.overrides.clear();
    expect(errorOf(await signIn('Fitbit', 'its next password')).error).toBe('invalid_credentials');
    // The list that was not stored must not delay the next read, even if the PDA can register only later.
    exchange.overrides.set('POST /api/users/registerPda', (_, response) => response.writeHead(503).end());
    await pda.call('POST', '/api/v2.6/owner/network/register');
    exchange.overrides.clear();
    pda.clock.advance(HOUR_MS / 10);
    await pda.pda.network.sync();
    await tokenFor('Fitbit', 'its next password');
  });

  it('is looked up at a new exchange soon after the registration there, even if a request to the previous exchange was pending', async () => {
    const otherExchange = await startFakeExchange(pda.clock);
    otherExchange.overrides.set('POST /api/users/registerPda', (_, response) => response.writeHead(503).end());
    let respond = (): void => undefined;
    const requestReceived = new Promise<void>((resolve) => {
      exchange.overrides.set('GET /api/dataplugs', (_, response) => {
        respond = () => void response.end('[]');
        resolve();
      });
    });
    pda.clock.advance(2 * HOUR_MS);
    const sync = pda.pda.network.sync();
    await requestReceived;
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: otherExchange.url } });
    respond();
    await sync;
    exchange.overrides.clear();
    otherExchange.overrides.clear();
    pda.clock.advance(HOUR_MS / 10);
    await pda.pda.network.sync();
    expect(otherExchange.requests).toContain('GET /api/dataplugs');
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: exchange.url } });
    await pda.pda.network.sync();
    await otherExchange.close();
  });

  it('passes to the plug with the same name at another exchange only after a new approval', async () => {
    const otherExchange = await startFakeExchange(pda.clock);
    otherExchange.applications = [plugApplication('fitbit', 'fitbit')];
    otherExchange.plugs = [aPlug({ passwordHash: await hashCheaply('of another') })];
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: otherExchange.url } });
    await pda.pda.network.sync();
    expect(errorOf(await signIn('Fitbit', 'of another')).error).toBe('invalid_credentials');
    const application = await pda.call('GET', '/api/v2.6/applications/fitbit');
    expect(application.json).toMatchObject({ enabled: true, needsUpdating: true });
    await setUp('fitbit');
    await tokenFor('Fitbit', 'of another');
    await otherExchange.close();
  });

  it.skipIf(!IS_THOROUGH_RUN)('stops working when its exchange is removed from config.json', async () => {
    const configuredExchange = await startFakeExchange(() => configuredPda.clock);
    configuredExchange.applications = [plugApplication('bank', 'bank')];
    configuredExchange.plugs = [aPlug({ name: 'Bank', applicationId: 'bank', passwordHash: await hashCheaply() })];
    const config = { exchange: { url: configuredExchange.url } };
    const configuredPda: TestPda = await startTestPda({ network: { allowLoopback: true }, config });
    const headers = { username: 'Bank', password: PASSWORD };
    const signInAsPlug = () => configuredPda.call('GET', '/users/access_token', { token: null, headers });
    await configuredPda.call('POST', '/api/v2.6/owner/network/register');
    await configuredPda.pda.network.sync();
    await configuredPda.call('GET', '/api/v2.6/applications/bank/setup');
    const { accessToken: token } = tokenResponseSchema.parse((await signInAsPlug()).json);
    writeFileSync(join(configuredPda.home, 'config.json'), '{}');
    await configuredPda.restart();
    expect(errorOf(await signInAsPlug()).error).toBe('invalid_credentials');
    await configuredPda.pda.network.sync();
    expect((await configuredPda.call('POST', '/api/v2.6/data/bank/things', { token, json: {} })).status).toBe(401);
    await configuredPda.close();
    await configuredExchange.close();
  });

  it('has a limited number of password attempts', async () => {
    const replies = await Promise.all(
      Array.from({ length: 14 }, () =>
        pda.call('GET', '/users/access_token', { token: null, headers: { username: 'Fitbit', password: 'no' } }),
      ),
    );
    expect(replies.map(({ status }) => status)).toContain(429);
  });
});
