import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnDatabases } from '../../platform/postgres/database.test-support.ts';
import type { DataPlug } from '../../wire/data-plugs.ts';
import {
  startTestExchange,
  type RegisteredTestPda,
  type TestAccount,
  type TestExchange,
} from '../exchange.test-support.ts';

const HASH = '$argon2id$v=19$m=8,t=1,p=1$1XZ8SGpDQs+5jvqavCVaPg$bLg27iuYTNQ5RSlr/sTtXNfYBah1dxsQ3IMedINoz1s';
const OTHER_HASH = `$2b$10$${'a'.repeat(53)}`;

describeOnDatabases('Data Plugs', (database) => {
  let exchange: TestExchange;
  let admin: TestAccount;
  let owner: TestAccount;
  let otherOwner: TestAccount;
  let pda: RegisteredTestPda;

  beforeAll(async () => {
    exchange = await startTestExchange({ database: await database.createDatabase() });
    admin = await exchange.createAccount(['administrator']);
    owner = await exchange.createAccount(['dataPlug'], 'Plugger');
    otherOwner = await exchange.createAccount(['dataPlug', 'developer']);
    pda = await exchange.insertRegisteredPda('ada.example.org');
  });
  afterAll(() => exchange.close());

  const newPlug = (name: string, change: object = {}) => ({
    name,
    description: `Imports the data of ${name}.\nEvery day.`,
    url: `https://${name.toLowerCase()}.example/connect`,
    illustrationUrl: `https://${name.toLowerCase()}.example/logo.png`,
    passwordHash: HASH,
    approved: true,
    owner: 'plugger',
    ...change,
  });
  const post = (json: object, token = admin.token) => exchange.call('POST', '/api/dataplugs', { token, json });
  const register = async (name: string, change: object = {}): Promise<DataPlug> => {
    const response = await post(newPlug(name, change));
    expect(response.status, response.text).toBe(201);
    return response.json as DataPlug;
  };
  const put = ({ uuid }: DataPlug, json: object, { token }: { token: string }) =>
    exchange.call('PUT', `/api/dataplugs/${uuid}`, { token, json });
  const connect = ({ uuid }: DataPlug, { token }: { token: string } = owner, query = '') =>
    exchange.call('GET', `/api/dataplugs/${uuid}/connect${query}`, { token });
  const listFor = async (token: string): Promise<Map<string, DataPlug>> => {
    const response = await exchange.call('GET', '/api/dataplugs', { token });
    expect(response.status).toBe(200);
    return new Map((response.json as DataPlug[]).map((plug) => [plug.name, plug]));
  };
  const getApplication = async (id: string): Promise<unknown> =>
    (await exchange.call('GET', `/api/v2/applications/${id}`)).json;

  it('are registered by an administrator together with the application that owners set up', async () => {
    const plug = await register('Steps', { namespace: 'walking' });
    expect(plug).toEqual({
      uuid: plug.uuid,
      providerId: owner.userId,
      created: new Date(exchange.clock.now()).toISOString(),
      name: 'Steps',
      description: 'Imports the data of Steps.\nEvery day.',
      url: 'https://steps.example/connect',
      illustrationUrl: 'https://steps.example/logo.png',
      passwordHash: HASH,
      approved: true,
      connected: false,
      applicationId: 'steps',
    });
    expect(await getApplication('steps')).toMatchObject({
      id: 'steps',
      kind: { kind: 'Data Plug', url: plug.url },
      info: {
        name: 'Steps',
        published: true,
        headline: 'Imports the data of Steps.',
        graphics: { logo: { normal: plug.illustrationUrl } },
      },
      permissions: { rolesGranted: [{ role: 'namespacewrite', detail: 'walking' }] },
      setup: { kind: 'Internal' },
      status: { kind: 'Internal', compatibility: '1.0.0' },
    });
    const audit = await exchange.call('GET', '/api/audit', { token: admin.token });
    expect(audit.json).toContainEqual(
      expect.objectContaining({ who: admin.name, what: 'plug.registered', subject: 'Steps' }),
    );
  });

  it('are refused with a duplicate name, an owner without the role, invalid fields or a used application id; nothing is stored', async () => {
    await register('Taken');
    expect((await post(newPlug('TAKEN'))).json).toMatchObject({ error: 'already_exists' });
    const developer = await exchange.createAccount(['developer']);
    for (const invalidOwner of ['unknown', developer.name])
      expect((await post(newPlug('Orphan', { owner: invalidOwner }))).json).toMatchObject({ error: 'invalid_input' });
    for (const invalidFields of [
      { name: 'no-dash' },
      { url: 'javascript:alert(1)' },
      { passwordHash: 'plain' },
      { owner: undefined },
    ])
      expect((await post({ ...newPlug('Wrong'), ...invalidFields })).status).toBe(400);
    // An application of another developer has the id.
    const plugApplication = await getApplication('taken');
    const application = { ...(plugApplication as object), id: 'busy', kind: { kind: 'App', url: '' } };
    const createReply = await exchange.call('POST', '/api/v2/applications', {
      token: otherOwner.token,
      json: application,
    });
    expect(createReply.status, createReply.text).toBe(201);
    expect((await post(newPlug('Busy'))).json).toMatchObject({ error: 'already_exists' });
    const names = [...(await listFor(admin.token)).keys()];
    expect(names.filter((name) => /^(?:taken|orphan|wrong|busy)$/iu.test(name))).toEqual(['Taken']);
    for (const token of [owner.token, await pda.token()]) expect((await post(newPlug('Mine'), token)).status).toBe(403);
    expect((await exchange.call('POST', '/api/dataplugs', { json: newPlug('Mine') })).status).toBe(401);
  });

  it('can be connected only by their owner and after approval, and are listed for PDAs while connected', async () => {
    const plug = await register('Later', { approved: false });
    expect((await exchange.call('GET', '/api/v2/applications/later')).status).toBe(404);
    expect((await connect(plug)).json).toMatchObject({ error: 'wrong_state' });
    expect((await connect(plug, otherOwner)).status).toBe(403);
    expect((await put(plug, { approved: true }, admin)).json).toMatchObject({ approved: true, connected: false });
    expect((await exchange.call('GET', '/api/v2/applications/later')).status).toBe(200);
    for (const nonOwner of [otherOwner, admin, { token: await pda.token() }])
      expect((await connect(plug, nonOwner)).status).toBe(403);
    expect((await exchange.call('GET', `/api/dataplugs/${plug.uuid}/connect`)).status).toBe(401);
    expect((await connect({ ...plug, uuid: crypto.randomUUID() })).status).toBe(404);
    expect((await connect(plug, owner, '?pda=unknown.example.org')).status).toBe(404);
    expect((await listFor(await pda.token())).has('Later')).toBe(false);

    const response = await connect(plug, owner, '?pda=https://Ada.example.org/');
    expect(response.status, response.text).toBe(200);
    expect(response.json).toEqual({
      message: 'The Data Plug Later has been connected. ada.example.org is registered and can set it up.',
    });
    expect((await connect(plug)).json).toEqual({ message: 'The Data Plug Later has been connected.' });
    expect((await listFor(await pda.token())).get('Later')).toMatchObject({ connected: true, passwordHash: HASH });

    // Withdrawing the approval also disconnects the plug.
    await put(plug, { approved: false }, admin);
    expect((await listFor(await pda.token())).has('Later')).toBe(false);
    expect((await exchange.call('GET', '/api/v2/applications/later')).status).toBe(404);
    await put(plug, { approved: true }, admin);
    expect((await listFor(admin.token)).get('Later')).toMatchObject({ connected: false });
    expect((await exchange.call('GET', '/api/v2/applications/later')).status).toBe(200);
  });

  it('are not sent again to a PDA whose ETag is current', async () => {
    const list = async (etag?: string) =>
      exchange.call('GET', '/api/dataplugs', {
        token: await pda.token(),
        ...(etag === undefined ? {} : { headers: { 'if-none-match': etag } }),
      });
    const etag = (await list()).headers['etag']?.toString() ?? '';
    expect([(await list(etag)).status, (await list('"other"')).status]).toStrictEqual([304, 200]);
    // A change invalidates the cache immediately.
    await connect(await register('Tagged'));
    const listAfterChange = await list(etag);
    expect([listAfterChange.status, listAfterChange.headers['etag'] === etag]).toStrictEqual([200, false]);
    expect(listAfterChange.text).toContain('"Tagged"');
  });

  it('show the hash of their password only to their owner, administrators and PDAs', async () => {
    const plug = await register('Hashed');
    await connect(plug);
    for (const token of [admin.token, owner.token, await pda.token()])
      expect((await listFor(token)).get('Hashed')).toMatchObject({ passwordHash: HASH });
    const plugsOfOther = await listFor(otherOwner.token);
    expect(plugsOfOther.get('Hashed')).toMatchObject({ connected: true });
    expect(plugsOfOther.get('Hashed')).not.toHaveProperty('passwordHash');
    expect((await exchange.call('GET', '/api/dataplugs')).status).toBe(401);
  });

  it('are listed for every account before their approval, but not for PDAs', async () => {
    const plug = await register('Unseen', { approved: false });
    for (const token of [owner.token, admin.token])
      expect((await listFor(token)).get('Unseen')).toMatchObject({ approved: false, passwordHash: HASH });
    const { passwordHash: _, ...publicFields } = plug;
    expect((await listFor(otherOwner.token)).get('Unseen')).toEqual(publicFields);
    expect((await put(plug, { passwordHash: OTHER_HASH }, otherOwner)).status).toBe(403);
    expect((await listFor(await pda.token())).has('Unseen')).toBe(false);
  });

  it('can be changed by administrators; their owner may change only the password hash and the addresses', async () => {
    const plug = await register('Moving');
    const ownerChange = { url: 'https://moved.example/', passwordHash: OTHER_HASH };
    expect((await put(plug, ownerChange, owner)).json).toMatchObject({ ...ownerChange, approved: true });
    expect(await getApplication('moving')).toMatchObject({ kind: { url: 'https://moved.example/' } });
    for (const reservedChange of [{ approved: false }, { description: 'mine' }, { ...ownerChange, approved: true }])
      expect((await put(plug, reservedChange, owner)).status).toBe(403);
    expect((await put(plug, { name: 'Other' }, admin)).status).toBe(400);
    expect((await put(plug, ownerChange, otherOwner)).status).toBe(403);
    expect((await put({ ...plug, uuid: crypto.randomUUID() }, ownerChange, owner)).status).toBe(404);
    expect((await put(plug, ownerChange, { token: await pda.token() })).status).toBe(403);
    expect((await put(plug, { description: 'New words' }, admin)).json).toMatchObject({ description: 'New words' });
    expect(await getApplication('moving')).toMatchObject({ info: { description: { text: 'New words' } } });
  });

  it('keep a suspended application suspended when their owner changes them', async () => {
    const plug = await register('Bad');
    const suspension = await exchange.call('PUT', '/api/v2/applications/bad/suspend', { token: admin.token });
    expect(suspension.status, suspension.text).toBe(200);
    expect((await put(plug, { url: 'https://again.example/' }, owner)).status).toBe(200);
    expect((await exchange.call('GET', '/api/v2/applications/bad')).status).toBe(404);
    expect((await put(plug, { approved: true }, admin)).status).toBe(200);
    expect(await getApplication('bad')).toMatchObject({ kind: { url: 'https://again.example/' } });
  });
});
