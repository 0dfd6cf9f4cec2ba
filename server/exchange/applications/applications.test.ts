import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { describeOnDatabases } from '../../platform/postgres/database.test-support.ts';
import { applicationSchema } from '../../wire/applications.ts';
import { auditEntrySchema } from '../../wire/audit.ts';
import { listedApplicationSchema } from '../../wire/exchange.ts';
import { startTestExchange, type TestAccount, type TestExchange } from '../exchange.test-support.ts';
import { buildApplication } from './application.test-support.ts';

const BASE = '/api/v2/applications';
const applicationsSchema = z.array(applicationSchema);

describeOnDatabases('applications', ({ createDatabase }) => {
  let exchange: TestExchange;
  let developer: TestAccount;
  let administrator: TestAccount;

  beforeAll(async () => {
    exchange = await startTestExchange({ database: await createDatabase() });
    developer = await exchange.createAccount(['developer']);
    administrator = await exchange.createAccount(['administrator']);
  });
  afterAll(() => exchange.close());

  const create = (json: unknown, { token } = developer) => exchange.call('POST', BASE, { json, token });
  const change = (id: string, json: unknown, { token } = developer) =>
    exchange.call('PUT', `${BASE}/${id}`, { json, token });
  const submit = (id: string, { token } = developer) => exchange.call('PUT', `${BASE}/${id}/submit`, { token });
  const publish = (id: string, { token } = administrator) => exchange.call('PUT', `${BASE}/${id}/publish`, { token });
  const suspend = (id: string, { token } = administrator) => exchange.call('PUT', `${BASE}/${id}/suspend`, { token });
  const publicVersion = async (id: string): Promise<string | undefined> => {
    const reply = await exchange.call('GET', `${BASE}/${id}`);
    return reply.status === 404 ? undefined : applicationSchema.parse(reply.json).info.version;
  };
  const stateOf = async (id: string) => {
    const reply = await exchange.call('GET', '/api/applications/listed?take=500', { token: administrator.token });
    const entry = z
      .array(listedApplicationSchema)
      .parse(reply.json)
      .find((entry) => entry.application.id === id);
    return entry === undefined
      ? undefined
      : { state: entry.state, versions: entry.versions.map(({ version }) => version) };
  };
  const createPublished = async (id: string, changes: Parameters<typeof buildApplication>[1] = {}): Promise<void> => {
    expect((await create(buildApplication(id, changes))).status).toBe(201);
    expect((await submit(id)).status).toBe(200);
    expect((await publish(id)).status).toBe(200);
  };

  it('are refused if a text contains a bidirectional control character; the error names the field', async () => {
    const reply = await create(buildApplication('walk', { name: 'Walk \u202Edetcejer' }));
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
    const createReply = await create(
      buildApplication('walk', {
        published: true,
        fields: { developer: { id: 'another-developer', name: 'Walk Ltd' } },
      }),
    );
    expect(createReply.status).toBe(201);
    expect(createReply.json).toMatchObject({
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
    const publicApplication = applicationSchema.parse((await exchange.call('GET', `${BASE}/walk`)).json);
    // The exchange sets the developer's id; developers choose their display name.
    expect(publicApplication).toMatchObject({
      info: { published: true },
      developer: { id: developer.name, name: 'Walk Ltd' },
    });
    expect(applicationsSchema.parse((await exchange.call('GET', BASE)).json).map(({ id }) => id)).toContain('walk');
  });

  it('are not published if they were changed after the review', async () => {
    const review = async () => {
      const listResponse = await exchange.call('GET', '/api/applications/listed?id=REVIEWED', {
        token: administrator.token,
      });
      return (listResponse.json as { changed: number; state: string }[]).map(({ changed, state }) => ({
        changed,
        state,
      }));
    };
    await create(buildApplication('reviewed'));
    await submit('reviewed');
    const [firstReview] = await review();
    // The clock shows the same time, as it can after it was set back.
    await change('reviewed', buildApplication('reviewed', { name: 'Another' }));
    await submit('reviewed');
    const publishReviewed = (changed: number | undefined) =>
      exchange.call('PUT', `${BASE}/reviewed/publish?changed=${String(changed)}`, { token: administrator.token });
    expect((await publishReviewed(firstReview?.changed)).status).toBe(409);
    const [secondReview] = await review();
    expect(secondReview?.state).toBe('waiting');
    expect((await publishReviewed(secondReview?.changed)).json).toMatchObject({ state: 'published' });
  });

  it('keep their public version until a version with a higher number is published', async () => {
    await createPublished('run');
    expect((await change('run', buildApplication('run', { version: '1.0.0', name: 'Another' }))).status).toBe(409);
    expect((await change('run', buildApplication('run', { version: '0.9.9' }))).status).toBe(409);
    expect((await change('run', buildApplication('run', { version: '1.10.0' }))).status).toBe(200);
    expect((await change('run', buildApplication('run', { version: '1.9.0' }))).json).toMatchObject({
      state: 'draft',
      versions: [{ version: '1.0.0' }, { version: '1.9.0', published: null }],
    });
    expect(await publicVersion('run')).toBe('1.0.0');
    await submit('run');
    expect(await publicVersion('run')).toBe('1.0.0');
    // A change after the submission requires another submission.
    await change('run', buildApplication('run', { version: '1.9.1' }));
    expect((await publish('run')).json).toMatchObject({ state: 'draft' });
    expect(await publicVersion('run')).toBe('1.0.0');
    await submit('run');
    await publish('run');
    expect(await publicVersion('run')).toBe('1.9.1');
    expect(await stateOf('run')).toEqual({ state: 'published', versions: ['1.0.0', '1.9.1'] });
  });

  it('are not public while suspended, and publishing again restores only the reviewed version', async () => {
    await createPublished('swim');
    expect((await suspend('swim')).json).toMatchObject({ state: 'suspended' });
    expect(await publicVersion('swim')).toBeUndefined();
    await change('swim', buildApplication('swim', { version: '2.0.0' }));
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
    await create(buildApplication('never'));
    expect((await suspend('never')).status).toBe(409);
    expect((await suspend('nowhere')).status).toBe(404);
  });

  it('belong to the first account that used their id, ignoring case', async () => {
    const otherDeveloper = await exchange.createAccount(['developer']);
    await createPublished('Bike');
    expect((await create(buildApplication('BIKE'), otherDeveloper)).json).toMatchObject({ error: 'already_exists' });
    expect((await change('bike', buildApplication('bike', { version: '2.0.0' }), otherDeveloper)).status).toBe(403);
    expect((await submit('bike', otherDeveloper)).status).toBe(403);
    await create(buildApplication('secret'));
    expect((await change('secret', buildApplication('secret'), otherDeveloper)).status).toBe(404);
    expect((await change('bike', buildApplication('bike', { version: '2.0.0' }))).json).toMatchObject({
      application: { id: 'Bike' },
    });
    expect((await change('bike', buildApplication('other'))).status).toBe(400);
    expect((await exchange.call('GET', `${BASE}/bIKE`)).json).toMatchObject({ id: 'Bike' });
    const notADeveloper = await exchange.createAccount(['marketPlace', 'management', 'dataPlug']);
    expect((await create(buildApplication('mine'), notADeveloper)).status).toBe(403);
  });

  it('are created once when two accounts send the same id concurrently', async () => {
    const otherDeveloper = await exchange.createAccount(['developer']);
    const replies = await Promise.all([
      create(buildApplication('race')),
      create(buildApplication('Race'), otherDeveloper),
    ]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 400]));
  });

  it('are listed by kind and page, with status 304 for a current ETag', async () => {
    await createPublished('page-a', { kind: 'Tool' });
    await createPublished('page-b', { kind: 'Data Plug' });
    await createPublished('page-c', { kind: 'Tool' });
    const ids = async (query: string): Promise<string[]> =>
      applicationsSchema.parse((await exchange.call('GET', `${BASE}?${query}`)).json).map(({ id }) => id);
    expect(await ids('kind=Tool')).toEqual(['page-a', 'page-c']);
    expect(await ids('kind=DataPlug')).toEqual(['page-b']);
    expect(await ids('kind=Data%20Plug&startId=page-c')).toEqual([]);
    expect(await ids('startId=PAGE-B&limit=2')).toEqual(['page-b', 'page-c']);
    expect((await exchange.call('GET', `${BASE}?kind=Game`)).status).toBe(400);
    const firstReply = await exchange.call('GET', BASE);
    const etag = firstReply.headers.etag ?? '';
    expect(etag).toMatch(/^"/u);
    const unchangedReply = await exchange.call('GET', BASE, { headers: { 'if-none-match': `"other", ${etag}` } });
    expect(unchangedReply).toMatchObject({ status: 304, text: '' });
    expect(unchangedReply.headers.etag).toBe(etag);
    await suspend('page-c');
    expect(await exchange.call('GET', BASE, { headers: { 'if-none-match': etag } })).toMatchObject({ status: 200 });
    const singleReply = await exchange.call('GET', `${BASE}/page-a`);
    const headers = { 'if-none-match': singleReply.headers.etag ?? '' };
    expect((await exchange.call('GET', `${BASE}/page-a`, { headers })).status).toBe(304);
  });

  it('are visible to their developer and to administrators before they are published', async () => {
    const otherDeveloper = await exchange.createAccount(['developer']);
    await create(buildApplication('hidden'), otherDeveloper);
    const visibilityFor = async (token: string | null): Promise<boolean | number> => {
      const reply = await exchange.call('GET', `${BASE}?unpublished=true`, { token });
      return reply.status === 200
        ? applicationsSchema.parse(reply.json).some(({ id }) => id === 'hidden')
        : reply.status;
    };
    expect(await visibilityFor(otherDeveloper.token)).toBe(true);
    expect(await visibilityFor(administrator.token)).toBe(true);
    expect(await visibilityFor(developer.token)).toBe(false);
    expect(await visibilityFor(null)).toBe(403);
    const getHidden = (token: string) => exchange.call('GET', `${BASE}/hidden?unpublished=true`, { token });
    expect((await getHidden(otherDeveloper.token)).status).toBe(200);
    expect((await getHidden(developer.token)).status).toBe(404);
    const ownApplications = await exchange.call('GET', '/api/applications/listed', { token: otherDeveloper.token });
    expect(z.array(listedApplicationSchema).parse(ownApplications.json)).toMatchObject([
      { state: 'draft', application: { id: 'hidden' } },
    ]);
    const listReply = await exchange.call('GET', '/api/applications/listed?state=waiting', {
      token: otherDeveloper.token,
    });
    expect(listReply.json).toEqual([]);
    const listIds = async (query: string) => {
      const reply = await exchange.call('GET', `/api/applications/listed?${query}`, { token: administrator.token });
      return z
        .array(listedApplicationSchema)
        .parse(reply.json)
        .map((entry) => entry.application.id);
    };
    const [firstId = '', secondId = ''] = await listIds('take=2');
    expect(await listIds(`take=1&after=${firstId}`)).toEqual([secondId]);
  });

  it('have properties that an administrator can override for selected PDAs', async () => {
    await createPublished('shown', { name: 'Shown Here' });
    const nearPda = await exchange.insertRegisteredPda('ada.near.example');
    const farPda = await exchange.insertRegisteredPda('bob.far.example:8080');
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
      exchange.call('POST', `/api/users/update-application?${query}`, { json, token });
    const shownDescription = async (pda?: typeof nearPda) => {
      const reply = await exchange.call('GET', `${BASE}/shown`, pda === undefined ? {} : { token: await pda.token() });
      return applicationSchema.parse(reply.json).info.description.text;
    };
    expect((await update('cluster=near.example&pdaFilter=', properties('shown here', 'For near'))).status).toBe(200);
    expect([await shownDescription(nearPda), await shownDescription(farPda), await shownDescription()]).toEqual([
      'For near',
      'What it is',
      'What it is',
    ]);
    await update('', properties('SHOWN', 'For all'));
    await update('cluster=far.example&pdaFilter=bob.far.example%3A8080', properties('shown', 'For Bob'));
    expect([await shownDescription(nearPda), await shownDescription(farPda), await shownDescription()]).toEqual([
      'For near',
      'For Bob',
      'For all',
    ]);
    const listedApplications = applicationsSchema.parse(
      (await exchange.call('GET', BASE, { token: await farPda.token() })).json,
    );
    expect(listedApplications.find(({ id }) => id === 'shown')).toMatchObject({
      kind: { url: 'https://other.example.org/app/' },
      info: { name: 'Shown Here', graphics: { logo: { normal: 'https://example.org/other.png' } } },
      setup: { url: 'https://other.example.org/app/sign-in' },
      permissions: { rolesGranted: [{ role: 'namespacewrite', detail: 'things' }] },
    });
    await update('cluster=near.example', properties('shown', 'For near, again'));
    expect(await shownDescription(nearPda)).toBe('For near, again');
    expect((await update('', properties('nothing', ''))).status).toBe(404);
    expect((await update('', properties('shown', ''), developer)).status).toBe(403);
  });

  it('accept a relative logo URL as an override, for PDAs whose host and port match the cluster', async () => {
    await createPublished('ported');
    const [pda, pdaOnOtherPort] = [
      await exchange.insertRegisteredPda('eve.hub.example:8443'),
      await exchange.insertRegisteredPda('eve.hub.example'),
    ];
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
    const updateReply = await exchange.call('POST', '/api/users/update-application?cluster=hub.example%3A8443', {
      json,
      token: administrator.token,
    });
    expect(updateReply.status, updateReply.text).toBe(200);
    // Only `url` must be absolute.
    const relativeUrlReply = await exchange.call('POST', '/api/users/update-application', {
      json: { ...json, url: '/app/' },
      token: administrator.token,
    });
    expect(relativeUrlReply.status).toBe(400);
    const infoFor = async (reader: typeof pda) =>
      applicationSchema.parse((await exchange.call('GET', `${BASE}/ported`, { token: await reader.token() })).json)
        .info;
    expect(await infoFor(pda)).toMatchObject({
      description: { text: 'For port 8443' },
      graphics: { logo: { normal: 'https://other.example.org/assets/images/testapp.png' } },
    });
    expect((await infoFor(pdaOnOtherPort)).description.text).toBe('What it is');
  });

  it('are created with a Data Plug and are public while it is approved', async () => {
    const owner = await exchange.createAccount(['dataPlug', 'developer']);
    const plug = {
      name: 'Fitty',
      description: 'Steps',
      url: 'https://fitty.example.org',
      illustrationUrl: 'https://fitty.example.org/logo.png',
      passwordHash: `$2b$10$${'a'.repeat(53)}`,
      approved: true,
      owner: owner.name,
    };
    const createReply = await exchange.call('POST', '/api/dataplugs', { json: plug, token: administrator.token });
    expect(createReply.status).toBe(201);
    const { uuid } = z.object({ uuid: z.string() }).parse(createReply.json);
    expect((await exchange.call('GET', `${BASE}/fitty`)).json).toMatchObject({
      id: 'fitty',
      kind: { kind: 'Data Plug' },
    });
    // The plug can still be changed after its owner published a higher version.
    await change('fitty', buildApplication('fitty', { version: '5.0.0', kind: 'Data Plug' }), owner);
    await submit('fitty', owner);
    await publish('fitty');
    const approve = (approved: boolean) =>
      exchange.call('PUT', `/api/dataplugs/${uuid}`, { json: { approved }, token: administrator.token });
    expect((await approve(false)).status).toBe(200);
    expect(await publicVersion('fitty')).toBeUndefined();
    expect((await approve(true)).status).toBe(200);
    expect(await publicVersion('fitty')).toBe('5.0.1');
    await createPublished('squatted');
    const duplicateReply = await exchange.call('POST', '/api/dataplugs', {
      json: { ...plug, name: 'Squatted' },
      token: administrator.token,
    });
    expect(duplicateReply.json).toMatchObject({ error: 'already_exists' });
  });

  it('are registered from the command line, with or without review', async () => {
    const { applications } = exchange.exchange;
    await applications.register(buildApplication('from-file'), { publish: false, actor: 'command line' });
    expect(await stateOf('from-file')).toMatchObject({ state: 'waiting' });
    await applications.register(buildApplication('from-file'), { publish: true, actor: 'command line' });
    expect(await publicVersion('from-file')).toBe('1.0.0');
    // Registering an unchanged application again has no effect.
    await applications.register(buildApplication('from-file'), { publish: true, actor: 'command line' });
    expect(await stateOf('from-file')).toEqual({ state: 'published', versions: ['1.0.0'] });
    const otherDeveloper = { accountId: developer.userId, name: developer.name };
    await expect(
      applications.register(buildApplication('from-file'), { developer: otherDeveloper, publish: true, actor: 'x' }),
    ).rejects.toMatchObject({
      code: 'already_exists',
    });
  });

  it('are recorded in the audit log on each change of state', async () => {
    await createPublished('audited');
    await suspend('audited');
    const reply = await exchange.call('GET', '/api/audit?take=4', { token: administrator.token });
    const entries = z.array(auditEntrySchema).parse(reply.json);
    expect(entries.map(({ what, who, subject }) => [what, who, subject])).toEqual([
      ['application.suspended', administrator.name, 'audited'],
      ['application.published', administrator.name, 'audited'],
      ['application.submitted', developer.name, 'audited'],
      ['application.created', developer.name, 'audited'],
    ]);
  });

  it('are refused above the maximum size', async () => {
    const reply = await create(buildApplication('huge', { fields: { notes: 'x'.repeat(200_000) } }));
    expect(reply.status).toBe(413);
  });

  it('are refused while their account has 100 unpublished applications', async () => {
    const otherDeveloper = await exchange.createAccount(['developer']);
    await create(buildApplication('draft'), otherDeveloper);
    await exchange.exchange.database.run((db) =>
      sql`INSERT INTO applications (id_key, id, account_id, developer, state, suspended, version, body, created, changed)
        SELECT 'draft' || n, 'draft' || n, account_id, developer, state, suspended, version, body, created, changed
        FROM applications, generate_series(1, 99) AS n WHERE id_key = 'draft'`.execute(db),
    );
    const reply = await create(buildApplication('one-more'), otherDeveloper);
    expect([reply.status, reply.json]).toMatchObject([409, { error: 'wrong_state' }]);
    await submit('draft', otherDeveloper);
    await publish('draft');
    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, number) => create(buildApplication(`one-more-${number}`), otherDeveloper)),
    );
    expect(replies.filter((concurrentReply) => concurrentReply.status === 201)).toHaveLength(1);
  });
});
