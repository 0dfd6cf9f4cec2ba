import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { onBothDatabases } from '../../platform/postgres/postgres.test-support.ts';
import { applicationSchema } from '../../wire/applications.ts';
import { auditEntrySchema } from '../../wire/audit.ts';
import { listedApplicationSchema } from '../../wire/exchange.ts';
import { startTestExchange, type TestAccount, type TestExchange } from '../exchange.test-support.ts';
import { application } from './application.test-support.ts';

const BASE = '/api/v2/applications';
const list = z.array(applicationSchema);

onBothDatabases('applications', ({ fresh }) => {
  let test: TestExchange;
  let developer: TestAccount;
  let administrator: TestAccount;

  beforeAll(async () => {
    test = await startTestExchange({ database: await fresh() });
    developer = await test.account(['developer']);
    administrator = await test.account(['administrator']);
  });
  afterAll(() => test.close());

  const create = (json: unknown, { token } = developer) => test.call('POST', BASE, { json, token });
  const change = (id: string, json: unknown, { token } = developer) =>
    test.call('PUT', `${BASE}/${id}`, { json, token });
  const submit = (id: string, { token } = developer) => test.call('PUT', `${BASE}/${id}/submit`, { token });
  const publish = (id: string, { token } = administrator) => test.call('PUT', `${BASE}/${id}/publish`, { token });
  const suspend = (id: string, { token } = administrator) => test.call('PUT', `${BASE}/${id}/suspend`, { token });
  const publicVersion = async (id: string): Promise<string | undefined> => {
    const reply = await test.call('GET', `${BASE}/${id}`);
    return reply.status === 404 ? undefined : applicationSchema.parse(reply.json).info.version;
  };
  const stateOf = async (id: string) => {
    const reply = await test.call('GET', '/api/applications/listed?take=500', { token: administrator.token });
    const found = z
      .array(listedApplicationSchema)
      .parse(reply.json)
      .find((listed) => listed.application.id === id);
    return found === undefined
      ? undefined
      : { state: found.state, versions: found.versions.map(({ version }) => version) };
  };
  const published = async (id: string, more: Parameters<typeof application>[1] = {}): Promise<void> => {
    expect((await create(application(id, more))).status).toBe(201);
    expect((await submit(id)).status).toBe(200);
    expect((await publish(id)).status).toBe(200);
  };

  it('with a bidirectional control character in a text are refused, and the answer names the field', async () => {
    const reply = await create(application('walk', { name: 'Walk \u202Edetcejer' }));
    expect(reply).toMatchObject({
      status: 400,
      json: {
        error: 'invalid_input',
        cause: 'body.info.name: use one line, without control characters or characters that change the text direction',
      },
    });
    expect(await publicVersion('walk')).toBeUndefined();
  });

  it('are drafts until their developer submits them and an administrator publishes them', async () => {
    const made = await create(
      application('walk', { published: true, more: { developer: { id: 'somebody-else', name: 'Walk Ltd' } } }),
    );
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      state: 'draft',
      developer: developer.name,
      versions: [{ version: '1.0.0', published: null }],
    });
    expect(await publicVersion('walk')).toBeUndefined();
    expect((await publish('walk')).status).toBe(409);
    expect((await submit('walk')).json).toMatchObject({ state: 'waiting' });
    expect(await publicVersion('walk')).toBeUndefined();
    expect((await publish('walk', developer)).status).toBe(403);
    expect((await publish('walk')).json).toMatchObject({ state: 'published' });
    const shown = applicationSchema.parse((await test.call('GET', `${BASE}/walk`)).json);
    // Who made it is said by the exchange; how they call themselves, by them.
    expect(shown).toMatchObject({ info: { published: true }, developer: { id: developer.name, name: 'Walk Ltd' } });
    expect(list.parse((await test.call('GET', BASE)).json).map(({ id }) => id)).toContain('walk');
  });

  it('are not published when they were changed after they were looked at', async () => {
    const look = async () => {
      const listed = await test.call('GET', '/api/applications/listed?id=LOOKED', { token: administrator.token });
      return (listed.json as { changed: number; state: string }[]).map(({ changed, state }) => ({ changed, state }));
    };
    await create(application('looked'));
    await submit('looked');
    const [seen] = await look();
    test.clock.advance(1);
    await change('looked', application('looked', { name: 'Another' }));
    await submit('looked');
    const publishSeen = (changed: number | undefined) =>
      test.call('PUT', `${BASE}/looked/publish?changed=${String(changed)}`, { token: administrator.token });
    expect((await publishSeen(seen?.changed)).status).toBe(409);
    const [again] = await look();
    expect(again?.state).toBe('waiting');
    expect((await publishSeen(again?.changed)).json).toMatchObject({ state: 'published' });
  });

  it('stay public as they are until their next version is published, and numbers only go up', async () => {
    await published('run');
    expect((await change('run', application('run', { version: '1.0.0', name: 'Another' }))).status).toBe(409);
    expect((await change('run', application('run', { version: '0.9.9' }))).status).toBe(409);
    expect((await change('run', application('run', { version: '1.10.0' }))).status).toBe(200);
    expect((await change('run', application('run', { version: '1.9.0' }))).json).toMatchObject({
      state: 'draft',
      versions: [{ version: '1.0.0' }, { version: '1.9.0', published: null }],
    });
    expect(await publicVersion('run')).toBe('1.0.0');
    await submit('run');
    expect(await publicVersion('run')).toBe('1.0.0');
    // What is changed after it was submitted has to be submitted again.
    await change('run', application('run', { version: '1.9.1' }));
    expect((await publish('run')).json).toMatchObject({ state: 'draft' });
    expect(await publicVersion('run')).toBe('1.0.0');
    await submit('run');
    await publish('run');
    expect(await publicVersion('run')).toBe('1.9.1');
    expect(await stateOf('run')).toEqual({ state: 'published', versions: ['1.0.0', '1.9.1'] });
  });

  it('are gone for PDAs while they are suspended, and nothing unseen comes back with them', async () => {
    await published('swim');
    expect((await suspend('swim')).json).toMatchObject({ state: 'suspended' });
    expect(await publicVersion('swim')).toBeUndefined();
    await change('swim', application('swim', { version: '2.0.0' }));
    expect(await stateOf('swim')).toMatchObject({ state: 'suspended' });
    await publish('swim');
    expect(await publicVersion('swim')).toBe('1.0.0');
    await submit('swim');
    expect((await suspend('swim')).json).toMatchObject({ state: 'suspended' });
    expect(await publicVersion('swim')).toBeUndefined();
    await submit('swim');
    expect(await stateOf('swim')).toMatchObject({ state: 'waiting' });
    await publish('swim');
    expect(await publicVersion('swim')).toBe('2.0.0');
    await create(application('never'));
    expect((await suspend('never')).status).toBe(409);
    expect((await suspend('nowhere')).status).toBe(404);
  });

  it('belong to whoever made their id first, in whatever case it is written', async () => {
    const other = await test.account(['developer']);
    await published('Bike');
    expect((await create(application('BIKE'), other)).json).toMatchObject({ error: 'already_exists' });
    expect((await change('bike', application('bike', { version: '2.0.0' }), other)).status).toBe(403);
    expect((await submit('bike', other)).status).toBe(403);
    await create(application('secret'));
    expect((await change('secret', application('secret'), other)).status).toBe(404);
    expect((await change('bike', application('bike', { version: '2.0.0' }))).json).toMatchObject({
      application: { id: 'Bike' },
    });
    expect((await change('bike', application('other'))).status).toBe(400);
    expect((await test.call('GET', `${BASE}/bIKE`)).json).toMatchObject({ id: 'Bike' });
    const nobody = await test.account(['marketPlace', 'management', 'dataPlug']);
    expect((await create(application('mine'), nobody)).status).toBe(403);
  });

  it('are made once by two who send the same id at the same moment', async () => {
    const other = await test.account(['developer']);
    const replies = await Promise.all([create(application('race')), create(application('Race'), other)]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 400]));
  });

  it('are listed by kind and page by page, and not sent to whoever has them', async () => {
    await published('page-a', { kind: 'Tool' });
    await published('page-b', { kind: 'Data Plug' });
    await published('page-c', { kind: 'Tool' });
    const ids = async (query: string): Promise<string[]> =>
      list.parse((await test.call('GET', `${BASE}?${query}`)).json).map(({ id }) => id);
    expect(await ids('kind=Tool')).toEqual(['page-a', 'page-c']);
    expect(await ids('kind=DataPlug')).toEqual(['page-b']);
    expect(await ids('kind=Data%20Plug&startId=page-c')).toEqual([]);
    expect(await ids('startId=PAGE-B&limit=2')).toEqual(['page-b', 'page-c']);
    expect((await test.call('GET', `${BASE}?kind=Game`)).status).toBe(400);
    const first = await test.call('GET', BASE);
    const etag = first.headers.etag ?? '';
    expect(etag).toMatch(/^"/u);
    const again = await test.call('GET', BASE, { headers: { 'if-none-match': `"other", ${etag}` } });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers.etag).toBe(etag);
    await suspend('page-c');
    expect(await test.call('GET', BASE, { headers: { 'if-none-match': etag } })).toMatchObject({ status: 200 });
    const one = await test.call('GET', `${BASE}/page-a`);
    const headers = { 'if-none-match': one.headers.etag ?? '' };
    expect((await test.call('GET', `${BASE}/page-a`, { headers })).status).toBe(304);
  });

  it('that are not published are shown to their developer and to administrators', async () => {
    const other = await test.account(['developer']);
    await create(application('hidden'), other);
    const seen = async (token: string | null): Promise<boolean | number> => {
      const reply = await test.call('GET', `${BASE}?unpublished=true`, { token });
      return reply.status === 200 ? list.parse(reply.json).some(({ id }) => id === 'hidden') : reply.status;
    };
    expect(await seen(other.token)).toBe(true);
    expect(await seen(administrator.token)).toBe(true);
    expect(await seen(developer.token)).toBe(false);
    expect(await seen(null)).toBe(403);
    const one = (token: string) => test.call('GET', `${BASE}/hidden?unpublished=true`, { token });
    expect((await one(other.token)).status).toBe(200);
    expect((await one(developer.token)).status).toBe(404);
    const mine = await test.call('GET', '/api/applications/listed', { token: other.token });
    expect(z.array(listedApplicationSchema).parse(mine.json)).toMatchObject([
      { state: 'draft', application: { id: 'hidden' } },
    ]);
    const waiting = await test.call('GET', '/api/applications/listed?state=waiting', { token: other.token });
    expect(waiting.json).toEqual([]);
    const listed = async (query: string) => {
      const reply = await test.call('GET', `/api/applications/listed?${query}`, { token: administrator.token });
      return z
        .array(listedApplicationSchema)
        .parse(reply.json)
        .map((entry) => entry.application.id);
    };
    const [first = '', second = ''] = await listed('take=2');
    expect(await listed(`take=1&after=${first}`)).toEqual([second]);
  });

  it('read otherwise by the PDAs for which an operator changed them', async () => {
    await published('shown', { name: 'Shown Here' });
    const near = await test.knownPda('ada.near.example');
    const far = await test.knownPda('bob.far.example:8080');
    const properties = (title: string, description: string) => ({
      title,
      namespace: 'things',
      description,
      logoUrl: 'https://example.org/other.png',
      url: 'https://other.example.org/app/',
      authUrl: 'sign-in',
      browser: false,
      category: 'app',
      setup: true,
      loginAvailable: true,
    });
    const update = (query: string, json: unknown, { token } = administrator) =>
      test.call('POST', `/api/users/update-application?${query}`, { json, token });
    const read = async (pda?: typeof near) => {
      const reply = await test.call('GET', `${BASE}/shown`, pda === undefined ? {} : { token: await pda.token() });
      return applicationSchema.parse(reply.json).info.description.text;
    };
    expect((await update('cluster=near.example&pdaFilter=', properties('shown here', 'For near'))).status).toBe(200);
    expect([await read(near), await read(far), await read()]).toEqual(['For near', 'What it is', 'What it is']);
    await update('', properties('SHOWN', 'For all'));
    await update('cluster=far.example&pdaFilter=bob.far.example%3A8080', properties('shown', 'For Bob'));
    expect([await read(near), await read(far), await read()]).toEqual(['For near', 'For Bob', 'For all']);
    const all = list.parse((await test.call('GET', BASE, { token: await far.token() })).json);
    expect(all.find(({ id }) => id === 'shown')).toMatchObject({
      kind: { url: 'https://other.example.org/app/' },
      info: { name: 'Shown Here', graphics: { logo: { normal: 'https://example.org/other.png' } } },
      setup: { url: 'https://other.example.org/app/sign-in' },
      permissions: { rolesGranted: [{ role: 'namespacewrite', detail: 'things' }] },
    });
    await update('cluster=near.example', properties('shown', 'For near, again'));
    expect(await read(near)).toBe('For near, again');
    expect((await update('', properties('nothing', ''))).status).toBe(404);
    expect((await update('', properties('shown', ''), developer)).status).toBe(403);
  });

  it('with a relative logo and a cluster with a port are changed for PDAs at that host and port', async () => {
    await published('ported');
    const [onPort, onOtherPort] = [await test.knownPda('eve.hub.example:8443'), await test.knownPda('eve.hub.example')];
    const json = {
      title: 'ported',
      namespace: 'things',
      description: 'For port 8443',
      logoUrl: '/assets/images/testapp.png',
      url: 'https://other.example.org/app/',
      authUrl: 'sign-in',
      browser: false,
      category: 'app',
      setup: true,
      loginAvailable: true,
    };
    const updated = await test.call('POST', '/api/users/update-application?cluster=hub.example%3A8443', {
      json,
      token: administrator.token,
    });
    expect(updated.status, updated.text).toBe(200);
    const read = async (pda: typeof onPort) =>
      applicationSchema.parse((await test.call('GET', `${BASE}/ported`, { token: await pda.token() })).json).info;
    expect(await read(onPort)).toMatchObject({
      description: { text: 'For port 8443' },
      graphics: { logo: { normal: 'https://other.example.org/assets/images/testapp.png' } },
    });
    expect((await read(onOtherPort)).description.text).toBe('What it is');
  });

  it('of a Data Plug come with it, and are shown while it is approved', async () => {
    const owner = await test.account(['dataPlug', 'developer']);
    const plug = {
      name: 'Fitty',
      description: 'Steps',
      url: 'https://fitty.example.org',
      illustrationUrl: 'https://fitty.example.org/logo.png',
      passwordHash: `$2b$10$${'a'.repeat(53)}`,
      approved: true,
      owner: owner.name,
    };
    const made = await test.call('POST', '/api/dataplugs', { json: plug, token: administrator.token });
    expect(made.status).toBe(201);
    const { uuid } = z.object({ uuid: z.string() }).parse(made.json);
    expect((await test.call('GET', `${BASE}/fitty`)).json).toMatchObject({ id: 'fitty', kind: { kind: 'Data Plug' } });
    // Its owner publishes a version of its own, and the plug is changed all the same.
    await change('fitty', application('fitty', { version: '5.0.0', kind: 'Data Plug' }), owner);
    await submit('fitty', owner);
    await publish('fitty');
    const approve = (approved: boolean) =>
      test.call('PUT', `/api/dataplugs/${uuid}`, { json: { approved }, token: administrator.token });
    expect((await approve(false)).status).toBe(200);
    expect(await publicVersion('fitty')).toBeUndefined();
    expect((await approve(true)).status).toBe(200);
    expect(await publicVersion('fitty')).toBe('5.0.1');
    await published('squatted');
    const taken = await test.call('POST', '/api/dataplugs', {
      json: { ...plug, name: 'Squatted' },
      token: administrator.token,
    });
    expect(taken.json).toMatchObject({ error: 'already_exists' });
  });

  it('are registered from the command line, at once or to be looked at', async () => {
    const { applications } = test.exchange;
    await applications.register(application('from-file'), { publish: false, by: 'command line' });
    expect(await stateOf('from-file')).toMatchObject({ state: 'waiting' });
    await applications.register(application('from-file'), { publish: true, by: 'command line' });
    expect(await publicVersion('from-file')).toBe('1.0.0');
    // The same file once more changes nothing.
    await applications.register(application('from-file'), { publish: true, by: 'command line' });
    expect(await stateOf('from-file')).toEqual({ state: 'published', versions: ['1.0.0'] });
    const mine = { accountId: developer.userId, name: developer.name };
    await expect(
      applications.register(application('from-file'), { developer: mine, publish: true, by: 'x' }),
    ).rejects.toMatchObject({
      code: 'already_exists',
    });
  });

  it('leave a line in the audit for everything that is done to them', async () => {
    await published('audited');
    await suspend('audited');
    const reply = await test.call('GET', '/api/audit?take=4', { token: administrator.token });
    const lines = z.array(auditEntrySchema).parse(reply.json);
    expect(lines.map(({ what, who, subject }) => [what, who, subject])).toEqual([
      ['application.suspended', administrator.name, 'audited'],
      ['application.published', administrator.name, 'audited'],
      ['application.submitted', developer.name, 'audited'],
      ['application.created', developer.name, 'audited'],
    ]);
  });

  it('are refused when every PDA would have to read too much', async () => {
    const reply = await create(application('huge', { more: { notes: 'x'.repeat(200_000) } }));
    expect(reply.status).toBe(413);
  });

  it('are not begun without end', async () => {
    const other = await test.account(['developer']);
    await create(application('begun'), other);
    await test.exchange.database.read((db) =>
      sql`INSERT INTO applications (id_key, id, account_id, developer, state, suspended, version, body, created, changed)
        SELECT 'begun' || n, 'begun' || n, account_id, developer, state, suspended, version, body, created, changed
        FROM applications, generate_series(1, 99) AS n WHERE id_key = 'begun'`.execute(db),
    );
    const reply = await create(application('one-more'), other);
    expect([reply.status, reply.json]).toMatchObject([409, { error: 'wrong_state' }]);
    await submit('begun', other);
    await publish('begun');
    expect((await create(application('one-more'), other)).status).toBe(201);
  });
});
