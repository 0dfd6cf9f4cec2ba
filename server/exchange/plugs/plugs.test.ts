import { afterAll, beforeAll, expect, it } from 'vitest';
import { onBothDatabases } from '../../platform/postgres/postgres.test-support.ts';
import type { DataPlug } from '../../wire/data-plugs.ts';
import { startTestExchange, type KnownPda, type TestAccount, type TestExchange } from '../exchange.test-support.ts';

const HASH = '$argon2id$v=19$m=8,t=1,p=1$1XZ8SGpDQs+5jvqavCVaPg$bLg27iuYTNQ5RSlr/sTtXNfYBah1dxsQ3IMedINoz1s';
const OTHER_HASH = `$2b$10$${'a'.repeat(53)}`;

onBothDatabases('Data Plugs', (database) => {
  let exchange: TestExchange;
  let admin: TestAccount;
  let owner: TestAccount;
  let stranger: TestAccount;
  let pda: KnownPda;

  beforeAll(async () => {
    exchange = await startTestExchange({ database: await database.fresh() });
    admin = await exchange.account(['administrator']);
    owner = await exchange.account(['dataPlug'], 'Plugger');
    stranger = await exchange.account(['dataPlug', 'developer']);
    pda = await exchange.knownPda('ada.example.org');
  });
  afterAll(() => exchange.close());

  const newPlug = (name: string, change: object = {}) => ({
    name,
    description: `Brings what ${name} knows.\nEvery day.`,
    url: `https://${name.toLowerCase()}.example/connect`,
    illustrationUrl: `https://${name.toLowerCase()}.example/logo.png`,
    passwordHash: HASH,
    approved: true,
    owner: 'plugger',
    ...change,
  });
  const post = (json: object, token = admin.token) => exchange.call('POST', '/api/dataplugs', { token, json });
  const registered = async (name: string, change: object = {}): Promise<DataPlug> => {
    const answer = await post(newPlug(name, change));
    expect(answer.status, answer.text).toBe(201);
    return answer.json as DataPlug;
  };
  const put = ({ uuid }: DataPlug, json: object, { token }: { token: string }) =>
    exchange.call('PUT', `/api/dataplugs/${uuid}`, { token, json });
  const connect = ({ uuid }: DataPlug, { token }: { token: string } = owner, query = '') =>
    exchange.call('GET', `/api/dataplugs/${uuid}/connect${query}`, { token });
  const seenBy = async (token: string): Promise<Map<string, DataPlug>> => {
    const answer = await exchange.call('GET', '/api/dataplugs', { token });
    expect(answer.status).toBe(200);
    return new Map((answer.json as DataPlug[]).map((plug) => [plug.name, plug]));
  };
  const application = async (id: string): Promise<unknown> =>
    (await exchange.call('GET', `/api/v2/applications/${id}`)).json;

  it('are registered by an administrator, with the application that owners set up', async () => {
    const plug = await registered('Steps', { namespace: 'walking' });
    expect(plug).toEqual({
      uuid: plug.uuid,
      providerId: owner.userId,
      created: new Date(exchange.clock.now()).toISOString(),
      name: 'Steps',
      description: 'Brings what Steps knows.\nEvery day.',
      url: 'https://steps.example/connect',
      illustrationUrl: 'https://steps.example/logo.png',
      passwordHash: HASH,
      approved: true,
      connected: false,
      applicationId: 'steps',
    });
    expect(await application('steps')).toMatchObject({
      id: 'steps',
      kind: { kind: 'Data Plug', url: plug.url },
      info: {
        name: 'Steps',
        published: true,
        headline: 'Brings what Steps knows.',
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

  it('are refused when the name is taken, the owner is none, or what is said of it is no good; nothing is left of a refusal', async () => {
    await registered('Taken');
    expect((await post(newPlug('TAKEN'))).json).toMatchObject({ error: 'already_exists' });
    const developer = await exchange.account(['developer']);
    for (const nobody of ['nobody', developer.name])
      expect((await post(newPlug('Orphan', { owner: nobody }))).json).toMatchObject({ error: 'invalid_input' });
    for (const wrong of [
      { name: 'no-dash' },
      { url: 'javascript:alert(1)' },
      { passwordHash: 'plain' },
      { owner: undefined },
    ])
      expect((await post({ ...newPlug('Wrong'), ...wrong })).status).toBe(400);
    // An application of somebody else has the id.
    const own = await application('taken');
    const theirs = { ...(own as object), id: 'busy', kind: { kind: 'App', url: '' } };
    const created = await exchange.call('POST', '/api/v2/applications', { token: stranger.token, json: theirs });
    expect(created.status, created.text).toBe(201);
    expect((await post(newPlug('Busy'))).json).toMatchObject({ error: 'already_exists' });
    const names = [...(await seenBy(admin.token)).keys()];
    expect(names.filter((name) => /^(?:taken|orphan|wrong|busy)$/iu.test(name))).toEqual(['Taken']);
    for (const token of [owner.token, await pda.token()]) expect((await post(newPlug('Mine'), token)).status).toBe(403);
    expect((await exchange.call('POST', '/api/dataplugs', { json: newPlug('Mine') })).status).toBe(401);
  });

  it('are connected by their owner alone, once they are approved; PDAs find them from then on', async () => {
    const plug = await registered('Later', { approved: false });
    expect((await exchange.call('GET', '/api/v2/applications/later')).status).toBe(404);
    expect((await connect(plug)).json).toMatchObject({ error: 'wrong_state' });
    expect((await connect(plug, stranger)).status).toBe(403);
    expect((await put(plug, { approved: true }, admin)).json).toMatchObject({ approved: true, connected: false });
    expect((await exchange.call('GET', '/api/v2/applications/later')).status).toBe(200);
    for (const other of [stranger, admin, { token: await pda.token() }])
      expect((await connect(plug, other)).status).toBe(403);
    expect((await exchange.call('GET', `/api/dataplugs/${plug.uuid}/connect`)).status).toBe(401);
    expect((await connect({ ...plug, uuid: crypto.randomUUID() })).status).toBe(404);
    expect((await connect(plug, owner, '?pda=nobody.example.org')).status).toBe(404);
    expect((await seenBy(await pda.token())).has('Later')).toBe(false);

    const answer = await connect(plug, owner, '?pda=https://Ada.example.org/');
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toEqual({
      message: 'The Data Plug Later has been connected. ada.example.org is registered and can set it up.',
    });
    expect((await connect(plug)).json).toEqual({ message: 'The Data Plug Later has been connected.' });
    expect((await seenBy(await pda.token())).get('Later')).toMatchObject({ connected: true, passwordHash: HASH });

    // Without the approval it is gone, and comes back when both say so again.
    await put(plug, { approved: false }, admin);
    expect((await seenBy(await pda.token())).has('Later')).toBe(false);
    expect((await exchange.call('GET', '/api/v2/applications/later')).status).toBe(404);
    await put(plug, { approved: true }, admin);
    expect((await seenBy(admin.token)).get('Later')).toMatchObject({ connected: false });
    expect((await exchange.call('GET', '/api/v2/applications/later')).status).toBe(200);
  });

  it('are not sent again to a PDA that has them as they are', async () => {
    const ask = async (etag?: string) =>
      exchange.call('GET', '/api/dataplugs', {
        token: await pda.token(),
        ...(etag === undefined ? {} : { headers: { 'if-none-match': etag } }),
      });
    const etag = (await ask()).headers['etag']?.toString() ?? '';
    expect([(await ask(etag)).status, (await ask('"other"')).status]).toStrictEqual([304, 200]);
    // What is written here is seen at once, and has another tag.
    await connect(await registered('Tagged'));
    const after = await ask(etag);
    expect([after.status, after.headers['etag'] === etag]).toStrictEqual([200, false]);
    expect(after.text).toContain('"Tagged"');
  });

  it('show the hash of their password to their owner, administrators and PDAs only', async () => {
    const plug = await registered('Hashed');
    await connect(plug);
    for (const token of [admin.token, owner.token, await pda.token()])
      expect((await seenBy(token)).get('Hashed')).toMatchObject({ passwordHash: HASH });
    const others = await seenBy(stranger.token);
    expect(others.get('Hashed')).toMatchObject({ connected: true });
    expect(others.get('Hashed')).not.toHaveProperty('passwordHash');
    expect((await exchange.call('GET', '/api/dataplugs')).status).toBe(401);
  });

  it('are listed to every account, also before they are approved; PDAs see none of those', async () => {
    const plug = await registered('Unseen', { approved: false });
    for (const token of [owner.token, admin.token])
      expect((await seenBy(token)).get('Unseen')).toMatchObject({ approved: false, passwordHash: HASH });
    const { passwordHash: _, ...told } = plug;
    expect((await seenBy(stranger.token)).get('Unseen')).toEqual(told);
    expect((await put(plug, { passwordHash: OTHER_HASH }, stranger)).status).toBe(403);
    expect((await seenBy(await pda.token())).has('Unseen')).toBe(false);
  });

  it('are changed by administrators, and by their owner as far as password and addresses go', async () => {
    const plug = await registered('Moving');
    const moved = { url: 'https://moved.example/', passwordHash: OTHER_HASH };
    expect((await put(plug, moved, owner)).json).toMatchObject({ ...moved, approved: true });
    expect(await application('moving')).toMatchObject({ kind: { url: 'https://moved.example/' } });
    for (const reserved of [{ approved: false }, { description: 'mine' }, { ...moved, approved: true }])
      expect((await put(plug, reserved, owner)).status).toBe(403);
    expect((await put(plug, { name: 'Other' }, admin)).status).toBe(400);
    expect((await put(plug, moved, stranger)).status).toBe(403);
    expect((await put({ ...plug, uuid: crypto.randomUUID() }, moved, owner)).status).toBe(404);
    expect((await put(plug, moved, { token: await pda.token() })).status).toBe(403);
    expect((await put(plug, { description: 'New words' }, admin)).json).toMatchObject({ description: 'New words' });
    expect(await application('moving')).toMatchObject({ info: { description: { text: 'New words' } } });
  });

  it('whose application was suspended do not come back by what their owner does', async () => {
    const plug = await registered('Bad');
    const suspended = await exchange.call('PUT', '/api/v2/applications/bad/suspend', { token: admin.token });
    expect(suspended.status, suspended.text).toBe(200);
    expect((await put(plug, { url: 'https://again.example/' }, owner)).status).toBe(200);
    expect((await exchange.call('GET', '/api/v2/applications/bad')).status).toBe(404);
    expect((await put(plug, { approved: true }, admin)).status).toBe(200);
    expect(await application('bad')).toMatchObject({ kind: { url: 'https://again.example/' } });
  });
});
