import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { hash as argon2 } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aPlug, startStandIn, type StandIn } from '../server/pda/network/exchange/fake-exchange.test-support.ts';
import { readPdaToken } from '../server/platform/auth/pda-token.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { tokenResponseSchema } from '../server/wire/owner.ts';
import { anApplication } from './support/applications.ts';
import type { Reply } from './support/http.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';

const HOUR = 3_600_000;
const PASSWORD = 'a plug of its own';
/** Of the least cost: what it takes is not what is tested here. */
const cheap = (password = PASSWORD): Promise<string> =>
  argon2(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });

const plugApplication = (id: string, namespace: string) => {
  const application = anApplication({ id, roles: [{ role: 'namespacewrite', detail: namespace }] });
  return { ...application, kind: { ...application.kind, kind: 'Data Plug' as const } };
};

let pda: TestPda;
let exchange: StandIn;

beforeAll(async () => {
  const own = plugApplication('homegrown', 'own');
  pda = await startTestPda({ network: { allowLoopback: true }, config: { applications: [own] } });
  exchange = await startStandIn(pda.clock);
  exchange.applications = [
    plugApplication('fitbit', 'fitbit'),
    plugApplication('bank', 'bank'),
    plugApplication('homegrown', 'own'),
    anApplication({ id: 'notes', roles: [{ role: 'owner' }] }),
  ];
  exchange.plugs = [
    aPlug({ passwordHash: await cheap() }),
    aPlug({ name: 'Bank', applicationId: 'bank', passwordHash: hashSync(PASSWORD, 4) }),
    aPlug({ name: 'Homegrown', applicationId: 'homegrown', passwordHash: await cheap() }),
    aPlug({ name: 'Notes', applicationId: 'notes', passwordHash: await cheap() }),
    aPlug({ name: 'ADA', applicationId: 'fitbit2', passwordHash: await cheap() }),
    aPlug({ name: 'Grace', applicationId: 'grace', passwordHash: await cheap() }),
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
const write = (token: string, namespace: string) =>
  pda.call('POST', `/api/v2.6/data/${namespace}/things`, { token, json: { a: 1 } });
/** Reads the lists again. */
const refresh = async (): Promise<void> => {
  pda.clock.advance(2 * HOUR);
  await pda.pda.network.sync();
};
const change = (name: string, changed: Partial<ReturnType<typeof aPlug>>): void => {
  exchange.plugs = exchange.plugs.map((plug) =>
    (plug as { name: string }).name === name ? { ...(plug as object), ...changed } : plug,
  );
};

describe('the account of a Data Plug', () => {
  it('is not there before the owner has set up its application', async () => {
    expect(errorOf(await signIn('Fitbit')).error).toBe('invalid_credentials');
  });

  it.each([
    ['argon2id', 'Fitbit', 'fitbit'],
    ['bcrypt', 'bank', 'bank'],
  ])('opens by its own password (%s), for what its application may do, and nothing else', async (_, name, id) => {
    await setUp(id);
    const token = await tokenFor(name);
    // One of its application: it says nothing to anybody else.
    expect(await readPdaToken(token)).toBeUndefined();
    expect((await write(token, id)).status).toBe(201);
    expect((await write(token, 'health')).status).toBe(403);
    expect((await pda.call('GET', `/api/v2.6/data/${id}/things`, { token })).status).toBe(403);
    expect((await pda.call('GET', '/api/v2.6/owner/network', { token })).status).toBe(403);
    expect(errorOf(await signIn(name, 'another password')).error).toBe('invalid_credentials');
  });

  it('is named in the ledger by its application', async () => {
    const { rows } = ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?application=fitbit')).json);
    expect(rows.map(({ action }) => action)).toContain('sign-in');
    expect(rows.every(({ who }) => who.kind === 'application' && who.name === 'fitbit')).toBe(true);
  });

  it('never comes before the owner or a person of that name', async () => {
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

  it('is not that of an application of config.json with the same id', async () => {
    await setUp('homegrown');
    expect(errorOf(await signIn('Homegrown')).error).toBe('invalid_credentials');
  });

  it('is only for an application of kind Data Plug', async () => {
    await setUp('notes');
    expect(errorOf(await signIn('Notes')).error).toBe('invalid_credentials');
  });

  it('signs in from its own network while others try its name, until the application is erased', async () => {
    const from = (address: string, password = PASSWORD): Promise<string> =>
      pda.pda.owner.signIn('Fitbit', password, { address, host: pda.host, local: false, userAgent: 'test' }).then(
        () => 'ok',
        (error: unknown) => String(Object(error).code),
      );
    pda.clock.advance(HOUR);
    expect(await from('203.0.113.7')).toBe('ok');
    for (let count = 0; count < 10; count += 1) await from(`198.51.100.${count}`, 'wrong');
    expect(await from('203.0.113.8')).toBe('rate_limited');
    expect(await from('203.0.113.7')).toBe('ok');
    const erasure = { kind: 'application', target: 'fitbit', typed: 'fitbit', password: OWNER.password };
    expect((await pda.call('POST', '/api/v2.6/owner/erasures', { json: erasure })).status).toBe(202);
    await pda.pda.erasure.settled();
    await setUp('fitbit');
    expect(await from('203.0.113.7')).toBe('rate_limited');
  });

  it('ends at once when the owner disables its application', async () => {
    const token = await tokenFor('Fitbit');
    await pda.call('GET', '/api/v2.6/applications/fitbit/disable');
    expect((await write(token, 'fitbit')).status).toBe(401);
    expect(errorOf(await signIn('Fitbit')).error).toBe('invalid_credentials');
    await setUp('fitbit');
    expect((await write(token, 'fitbit')).status).toBe(401);
  });

  it.each([
    ['is not approved any more', { approved: false }],
    ['is disconnected', { connected: false }],
    ['has no password', { passwordHash: undefined }],
    [
      'has a hash that would stop this PDA',
      { passwordHash: `$argon2id$v=19$m=4194304,t=99,p=1$${'a'.repeat(22)}$${'b'.repeat(43)}` },
    ],
    ['has a bcrypt hash without end', { passwordHash: `$2b$31$${'a'.repeat(53)}` }],
  ])('ends with all its tokens when it %s', async (_, changed) => {
    change('Fitbit', { approved: true, connected: true, passwordHash: await cheap() });
    await refresh();
    const token = await tokenFor('Fitbit');
    change('Fitbit', changed);
    await refresh();
    expect((await write(token, 'fitbit')).status).toBe(401);
    expect(errorOf(await signIn('Fitbit')).error).toBe('invalid_credentials');
  });

  it('changes its password with that of the exchange, and what the old one opened ends', async () => {
    change('Fitbit', { approved: true, connected: true, passwordHash: await cheap() });
    await refresh();
    const token = await tokenFor('Fitbit');
    change('Fitbit', { passwordHash: await cheap('its next password') });
    await refresh();
    expect((await write(token, 'fitbit')).status).toBe(401);
    expect(errorOf(await signIn('Fitbit')).error).toBe('invalid_credentials');
    await tokenFor('Fitbit', 'its next password');
  });

  it('is nobody’s when two plugs claim one application or one name', async () => {
    const rival = aPlug({ name: 'Rival', applicationId: 'FITBIT', passwordHash: await cheap('rival') });
    exchange.plugs = [...exchange.plugs, rival];
    await refresh();
    expect(errorOf(await signIn('Rival', 'rival')).error).toBe('invalid_credentials');
    expect(errorOf(await signIn('Fitbit', 'its next password')).error).toBe('invalid_credentials');
    exchange.plugs = exchange.plugs.filter((plug) => plug !== rival);
    await refresh();
    await tokenFor('Fitbit', 'its next password');
  });

  it('outlives an exchange that is down, and a restart; not one that is left', async () => {
    const token = await tokenFor('Fitbit', 'its next password');
    exchange.lies.set('GET /api/dataplugs', (_, response) => response.writeHead(503).end());
    await pda.restart();
    await refresh();
    expect((await write(token, 'fitbit')).status).toBe(201);
    exchange.lies.clear();
    pda.token = await pda.signIn();
    await pda.call('POST', '/api/v2.6/owner/network/leave');
    expect((await write(token, 'fitbit')).status).toBe(401);
    expect(errorOf(await signIn('Fitbit', 'its next password')).error).toBe('invalid_credentials');
  });

  it('is not handed to the plug of the same name at another exchange', async () => {
    const other = await startStandIn(pda.clock);
    other.applications = [plugApplication('fitbit', 'fitbit')];
    other.plugs = [aPlug({ passwordHash: await cheap('of another') })];
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: other.url } });
    await pda.pda.network.sync();
    expect(errorOf(await signIn('Fitbit', 'of another')).error).toBe('invalid_credentials');
    const seen = await pda.call('GET', '/api/v2.6/applications/fitbit');
    expect(seen.json).toMatchObject({ enabled: true, needsUpdating: true });
    await setUp('fitbit');
    await tokenFor('Fitbit', 'of another');
    await other.close();
  });

  it('ends with the exchange that config.json names no more', async () => {
    const first = await startStandIn(() => own.clock);
    first.applications = [plugApplication('bank', 'bank')];
    first.plugs = [aPlug({ name: 'Bank', applicationId: 'bank', passwordHash: await cheap() })];
    const config = { exchange: { url: first.url } };
    const own: TestPda = await startTestPda({ network: { allowLoopback: true }, config });
    const headers = { username: 'Bank', password: PASSWORD };
    const plugSignIn = () => own.call('GET', '/users/access_token', { token: null, headers });
    await own.call('POST', '/api/v2.6/owner/network/register');
    await own.pda.network.sync();
    await own.call('GET', '/api/v2.6/applications/bank/setup');
    const { accessToken: token } = tokenResponseSchema.parse((await plugSignIn()).json);
    writeFileSync(join(own.home, 'config.json'), '{}');
    await own.restart();
    expect(errorOf(await plugSignIn()).error).toBe('invalid_credentials');
    await own.pda.network.sync();
    expect((await own.call('POST', '/api/v2.6/data/bank/things', { token, json: {} })).status).toBe(401);
    await own.close();
    await first.close();
  });

  it('has a number of tries like everybody', async () => {
    const tried = await Promise.all(
      Array.from({ length: 14 }, () =>
        pda.call('GET', '/users/access_token', { token: null, headers: { username: 'Fitbit', password: 'no' } }),
      ),
    );
    expect(tried.map(({ status }) => status)).toContain(429);
  });
});
