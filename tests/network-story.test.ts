import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createTestDatabase } from '../server/platform/postgres/database.test-support.ts';
import { main as contractsMain } from '../server/contracts/commands.ts';
import { hashPassword } from '../server/platform/auth/password.ts';
import { debitSchema, debitValuesSchema } from '../server/wire/debits.ts';
import { keyringSchema } from '../server/wire/contracts.ts';
import { dataPlugSchema } from '../server/wire/data-plugs.ts';
import { providerClaimsSchema } from '../server/wire/offers.ts';
import { availableDataSchema, statisticsSchema } from '../server/wire/statistics.ts';
import { networkKnownSchema, ownerContractSchema, ownerOffersSchema } from '../server/wire/network.ts';
import { tokenResponseSchema } from '../server/wire/owner.ts';
import { recordListSchema } from '../server/wire/records.ts';
import { applicationOf, LONG_WALKS, offerOf } from './support/network-offers.ts';
import { dumpOf, startTestNetwork, type Caller, type TestNetwork } from './support/network.ts';
import { runInProcess } from './support/run-command.ts';
import { until } from './support/server-process.ts';

// End-to-end test of all services: real processes and a real PostgreSQL, connected only by HTTP.

const DAY_MS = 86_400_000;
const PLUG_PASSWORD = 'a password of the Data Plug';
const SHORT_OFFER_MIN_DURATION_S = 12;
const SHORT_OFFER_MAX_DURATION_S = 90;
/** On a busy machine, starting the servers takes minutes, and so do the requests and the short Offer. */
const TIMEOUT_MS = 480_000;
vi.setConfig({ testTimeout: TIMEOUT_MS, hookTimeout: TIMEOUT_MS });

/**
 * Unique words that the exchange and the contracts service must never store, such as values and the names of files and
 * users.
 */
const CANARIES = {
  owner: 'canary-owner-finch',
  value: 'canaryValueSparrow',
  hidden: 'canaryHiddenStarling',
  key: 'canary.key.robin@birds.example',
  file: 'canary-file-swift.txt',
  content: 'canaryContentHeron',
  person: 'Canary Person Jay',
  email: 'canary.mail.tit@birds.example',
  plug: 'canaryPlugThrush',
  study: 'canaryStudyDove',
};

let databases: { exchange: string; contracts: string };
let network: TestNetwork;

beforeAll(async () => {
  databases = { exchange: await createTestDatabase(), contracts: await createTestDatabase() };
  network = await startTestNetwork({
    databases,
    pdas: [
      // The first PDA opens its own tunnel, so its address contains the owner's name. The network opens the tunnel of
      // the second one, whose owner's name stays private.
      { name: 'ada', owner: 'ada' },
      { name: 'bea', owner: CANARIES.owner },
    ],
  });
});
afterAll(async () => {
  vi.resetConfig();
  // A failed process is reported, and the others still stop cleanly.
  process.kill(network.contracts.pid, 'SIGKILL');
  expect(await network.close()).toEqual([expect.stringMatching(/^contracts exited \(SIGKILL\)/u)]);
});

type Owner = Caller & { host: string; steps: { day: string; steps: number; place: string }[] };

const createOrganisations = async (exchange: string, operator: Caller) => {
  const createAccount = async (name: string, role: string): Promise<Caller> => {
    const password = `a password of ${name}`;
    await operator.ok('POST', '/api/accounts', { name, password, roles: [role] });
    return network.signInCaller(exchange, name, password, '/api');
  };
  return {
    developer: await createAccount('developer', 'developer'),
    marketplace: await createAccount('marketplace', 'marketPlace'),
    plugs: await createAccount('plugs', 'dataPlug'),
  };
};

it('all services work together, and the exchange and contracts service store no content of PDAs', async () => {
  const startedAt = performance.now();
  const exchange = network.exchange.host;
  const operator = await network.signInCaller(exchange, 'operator', network.passwords.operator, '/api');
  const { developer, marketplace, plugs } = await createOrganisations(exchange, operator);

  const owners = await Promise.all(
    network.pdas.map(async ({ host, owner, password }): Promise<Owner> => {
      const call = await network.signInCaller(host, owner, password);
      const hiddenPlace = CANARIES.hidden;
      const steps = [
        { day: '2026-03-01', steps: 4211, place: hiddenPlace },
        { day: '2026-03-02', steps: host.startsWith('ada') ? 8044 : 3000, place: hiddenPlace },
      ];
      await call.ok('POST', '/api/v2.6/data/fitness/steps', steps);
      return Object.assign(call, { host, steps });
    }),
  );
  const [ada, bea] = owners as [Owner, Owner];
  /** Makes the PDAs fetch the lists of the exchange now instead of at the next hourly update. */
  const refreshLists = () => Promise.all(owners.map((owner) => owner.ok('POST', '/api/v2.6/owner/network/register')));
  const setUp = async (owner: Owner, id: string): Promise<void> => {
    const path = `/api/v2.6/applications/${id}`;
    await until(async () => (await owner('GET', path)).status === 200, `${id} is listed at ${owner.host}`);
    await owner.ok('GET', `${path}/setup`);
  };
  const publish = async (application: object & { id: string }): Promise<void> => {
    await developer.ok('POST', '/api/v2/applications', application);
    await developer.ok('PUT', `/api/v2/applications/${application.id}/submit`);
    expect((await developer('PUT', `/api/v2/applications/${application.id}/publish`)).status).toBe(403);
    await operator.ok('PUT', `/api/v2/applications/${application.id}/publish`);
  };

  // A developer registers an application, the operator publishes it, and two owners enable it.
  await publish(
    applicationOf('walkabout', 'App', [
      ['namespaceread', 'walkabout'],
      ['namespacewrite', 'walkabout'],
    ]),
  );
  await refreshLists();
  for (const owner of owners) {
    await setUp(owner, 'walkabout');
    const { accessToken } = tokenResponseSchema.parse(
      await owner.ok('GET', '/api/v2.6/applications/walkabout/access-token'),
    );
    const application = network.caller(owner.host, accessToken);
    const walk = { where: CANARIES.value, km: 4, friends: { [CANARIES.key]: 1, [`b.${CANARIES.key}`]: 2 } };
    await application.ok('POST', '/api/v2.6/data/walkabout/walks', walk);
    const readRecords = recordListSchema.parse(await application.ok('GET', '/api/v2.6/data/walkabout/walks'));
    expect(readRecords.map(({ data }) => data)).toEqual([walk]);
    expect((await application('GET', '/api/v2.6/data/fitness/steps')).status).toBe(403);
  }
  let valuesIn = owners.length * 4;

  // One owner stores private data.
  await ada.ok('POST', '/users/user', {
    name: CANARIES.person,
    password: 'a much longer phrase',
    email: CANARIES.email,
  });
  const file = z
    .object({ fileId: z.string(), contentUrl: z.url() })
    .parse(await ada.ok('POST', '/api/v2.6/files/upload', { name: CANARIES.file, source: 'diary' }));
  const { host: storage, pathname, search } = new URL(file.contentUrl);
  const uploadResponse = await network.send(storage, 'PUT', pathname + search, {
    body: CANARIES.content,
    headers: { 'x-local-server-side-encryption': 'AES256', 'content-type': 'text/plain' },
  });
  expect([storage, uploadResponse.status]).toEqual([ada.host, 200]);
  await ada.ok('PUT', `/api/v2.6/files/file/${file.fileId}/complete`);

  // Two Offers: the long one needs both PDAs, and the Data Debit of the short one ends soon after the claim. The
  // duration of the short Data Debit depends on the speed of the machine, because the debit must not end before it is
  // approved and first read. These steps take less time than the preceding ones.
  const elapsedSeconds = Math.ceil((performance.now() - startedAt) / 1000);
  const shortOfferMs =
    1000 * Math.min(SHORT_OFFER_MAX_DURATION_S, Math.max(SHORT_OFFER_MIN_DURATION_S, 3 * elapsedSeconds));
  const longOffer = offerOf('walks', {
    dataConditions: LONG_WALKS,
    requiredMinUser: 2,
    collectionDuration: 14 * DAY_MS,
  });
  const shortOffer = offerOf('glimpse', { requiredMinUser: 1, collectionDuration: shortOfferMs });
  for (const offer of [longOffer, shortOffer]) {
    await marketplace.ok('POST', '/api/v2/offer', offer);
    expect((await ada('POST', `/api/v2.6/owner/offers/${offer.offerId}/claim`)).status).toBe(404);
    await operator.ok('PUT', `/api/v2/offer/${offer.offerId}?status=approved&edition=1`);
  }
  const keyOf = async (owner: Owner, offerId: string): Promise<string> => {
    const { offers } = ownerOffersSchema.parse(await owner.ok('GET', '/api/v2.6/owner/offers'));
    const key = offers.find(({ offer }) => offer.offerId === offerId)?.dataDebitKey;
    expect(key).toMatch(new RegExp(`^offer-${offerId}-`, 'u'));
    return key ?? '';
  };
  const debitOf = async (owner: Owner, key: string) =>
    debitSchema.parse(await owner.ok('GET', `/api/v2.6/data-debit/${key}`));
  const claimsOf = async (offerId: string) =>
    providerClaimsSchema.parse(await marketplace.ok('GET', `/api/v2/offer/${offerId}/claims`));
  const waitForConfirmedClaims = (offerId: string, count: number) =>
    until(async () => {
      const currentClaims = await claimsOf(offerId);
      return currentClaims.count === count && currentClaims;
    }, `${count} claims of ${offerId} are confirmed`);
  const readerOf = ({ user, credentials }: Awaited<ReturnType<typeof claimsOf>>['claims'][number]) =>
    network.signInCaller(user.address, credentials.login, credentials.passwordPlain);
  let valuesOut = 0;
  const readValues = async (reader: Caller, key: string) => {
    const reply = await reader('GET', `/api/v2.6/data-debit/${key}/values`);
    if (reply.status !== 200) return reply.status;
    const { conditions, bundle } = debitValuesSchema.parse(reply.json);
    const days = recordListSchema.parse(bundle['days'] ?? []).map(({ data }) => data);
    valuesOut += days.length * 2;
    return { conditions, days };
  };

  // The short Offer: its provider registers a claim for a PDA, and the owner approves the Data Debit.
  await marketplace.ok('PUT', `/api/v2/offer/glimpse/registerClaim?pda=${bea.host}`);
  const shortOfferKey = await keyOf(bea, 'glimpse');
  expect((await debitOf(bea, shortOfferKey)).state).toBe('pending');
  await bea.ok('GET', `/api/v2.6/data-debit/${shortOfferKey}/enable`);
  const shortOfferEnd = (async () => {
    const [claim] = (await waitForConfirmedClaims('glimpse', 1)).claims;
    if (claim === undefined) throw new Error('a confirmed claim is missing');
    const debit = await debitOf(bea, shortOfferKey);
    const end = Date.parse(debit.permissionsLatest.end ?? '');
    expect(end - Date.parse(debit.permissionsLatest.start)).toBe(shortOfferMs);
    const { login, passwordPlain } = claim.credentials;
    const signInReply = await network.signIn(bea.host, login, passwordPlain);
    if (signInReply.status !== 200) return { status: signInReply.status, at: Date.now(), end };
    const reader = network.caller(bea.host, tokenResponseSchema.parse(signInReply.json).accessToken);
    for (;;) {
      const requestTime = Date.now();
      const result = await readValues(reader, shortOfferKey);
      if (typeof result === 'number') return { status: result, at: Date.now(), end };
      expect(requestTime).toBeLessThan(end);
      // The owner adds a record in the meantime.
      expect([2, 3]).toContain(result.days.length);
      await sleep(1000);
    }
  })();
  shortOfferEnd.catch(() => undefined);

  // The long Offer: both owners claim it, and no data is readable before both approve the Data Debits.
  const keys: string[] = [];
  for (const owner of owners) {
    await owner.ok('POST', '/api/v2.6/owner/offers/walks/claim');
    const key = await keyOf(owner, 'walks');
    const debit = await debitOf(owner, key);
    expect(debit).toMatchObject({
      state: 'pending',
      active: false,
      requestClientName: expect.stringMatching(/^marketplace\b/u),
    });
    expect(debit.permissionsLatest.period).toBe((14 * DAY_MS) / 1000);
    keys.push(key);
  }
  expect(await claimsOf('walks')).toMatchObject({ count: 0, claimed: 2, claims: [] });
  await ada.ok('GET', `/api/v2.6/data-debit/${keys[0]}/enable`);
  await until(async () => (await claimsOf('walks')).count === 1, 'the exchange has counted the first approval');
  expect((await claimsOf('walks')).claims).toEqual([]);
  await bea.ok('GET', `/api/v2.6/data-debit/${keys[1]}/enable`);
  const { claims } = await waitForConfirmedClaims('walks', 2);
  const claimAt = (host: string) => {
    const claim = claims.find(({ user }) => user.address === host);
    if (claim === undefined) throw new Error(`no claim of ${host}`);
    return claim;
  };

  // The provider reads the requested fields, and no records from a PDA that does not meet its condition.
  const [adaReader, beaReader] = [await readerOf(claimAt(ada.host)), await readerOf(claimAt(bea.host))];
  const fieldsOf = (owner: Owner) => owner.steps.map(({ day, steps }) => ({ day, steps }));
  expect(await readValues(adaReader, keys[0] ?? '')).toEqual({ conditions: { long: true }, days: fieldsOf(ada) });
  expect(await readValues(beaReader, keys[1] ?? '')).toEqual({ conditions: { long: false }, days: [] });
  const walk = { day: '2026-03-03', steps: 9000, place: CANARIES.hidden };
  await bea.ok('POST', '/api/v2.6/data/fitness/steps', walk);
  bea.steps.push(walk);
  expect(await readValues(beaReader, keys[1] ?? '')).toEqual({ conditions: { long: true }, days: fieldsOf(bea) });
  // A password is valid for one PDA and one Data Debit.
  const { login, passwordPlain } = claimAt(ada.host).credentials;
  expect((await network.signIn(bea.host, login, passwordPlain)).status).toBe(401);
  for (const path of ['data/fitness/steps', `data-debit/${shortOfferKey}/values`, 'owner/network'])
    expect([403, 404]).toContain((await beaReader('GET', `/api/v2.6/${path}`)).status);

  // A Data Plug is registered and connected. It can write where it is enabled, until the owner disables it.
  const plug = dataPlugSchema.parse(
    await operator.ok('POST', '/api/dataplugs', {
      name: 'Pedometer',
      description: 'Counts steps.',
      url: 'https://pedometer.example/',
      illustrationUrl: 'https://pedometer.example/logo.png',
      passwordHash: await hashPassword(PLUG_PASSWORD),
      approved: true,
      owner: 'plugs',
    }),
  );
  await refreshLists();
  await plugs.ok('GET', `/api/dataplugs/${plug.uuid}/connect?pda=${ada.host}`);
  expect((await network.signIn(ada.host, 'Pedometer', PLUG_PASSWORD)).status).toBe(401);
  const writeDay = async (caller: Caller) => {
    const reply = await caller('POST', '/api/v2.6/data/pedometer/days', { day: CANARIES.plug, steps: 5 });
    if (reply.status === 201) valuesIn += 2;
    return reply.status;
  };
  const connectPlug = async (owner: Owner): Promise<Caller> => {
    await setUp(owner, 'pedometer');
    const accessToken = await until(async () => {
      const reply = await network.signIn(owner.host, 'Pedometer', PLUG_PASSWORD);
      return reply.status === 200 && tokenResponseSchema.parse(reply.json).accessToken;
    }, `the plug can sign in at ${owner.host}`);
    return network.caller(owner.host, accessToken);
  };
  const [plugAtAda, plugAtBea] = [await connectPlug(ada), await connectPlug(bea)];
  expect([await writeDay(plugAtAda), await writeDay(plugAtBea)]).toEqual([201, 201]);
  expect((await plugAtAda('POST', '/api/v2.6/data/fitness/steps', {})).status).toBe(403);
  expect((await network.signIn(ada.host, 'Pedometer', 'another password')).status).toBe(401);
  await bea.ok('GET', '/api/v2.6/applications/pedometer/disable');
  expect([await writeDay(plugAtAda), await writeDay(plugAtBea)]).toEqual([201, 401]);
  expect((await network.signIn(bea.host, 'Pedometer', PLUG_PASSWORD)).status).toBe(401);

  // A contract: both PDAs join, data is read and written, and one PDA leaves.
  const rights = ['--namespace', 'fitness:r', '--namespace', 'study:rw'];
  const createArgs = ['contract', 'create', '--id', 'walking-study', '--name', 'Walking study', ...rights];
  const createResult = await runInProcess([...createArgs, '--database', databases.contracts], contractsMain);
  const contractToken = /^token (\S+)$/mu.exec(createResult.stdout)?.[1] ?? createResult.stderr;
  await publish(
    applicationOf('walking-study', 'Contract', [
      ['namespaceread', 'fitness'],
      ['namespaceread', 'study'],
      ['namespacewrite', 'study'],
    ]),
  );
  await refreshLists();
  for (const owner of owners) await setUp(owner, 'walking-study');
  const readKeyring = async () => {
    const headers = { authorization: `Bearer ${contractToken}` };
    const reply = await network.send(network.contracts.host, 'GET', '/v1/contracts/keyring', { headers });
    return keyringSchema.parse(reply.json);
  };
  const waitForMembers = (names: string[]) =>
    until(
      async () => {
        const keyring = await readKeyring();
        return keyring.associatedPdas.join() === names.join() && keyring;
      },
      `${names.join(' and ')} have joined`,
    );
  const { token } = await waitForMembers(['ada', 'bea']);
  const callAsContract = (owner: Owner, request: string, options: object = {}) =>
    network.caller(owner.host)('POST', `/api/v2.6/contract-data/${request}`, {
      token,
      contractId: 'walking-study',
      pdaName: owner.host.split('.')[0],
      ...options,
    });
  for (const owner of owners) {
    const readReply = await callAsContract(owner, 'read/fitness/steps', { orderBy: 'day' });
    expect(recordListSchema.parse(readReply.json).map(({ data }) => data)).toEqual(owner.steps);
    const writeReply = await callAsContract(owner, 'create/study/scores', { body: { said: CANARIES.study } });
    expect(writeReply.status).toBe(201);
    valuesIn += 1;
    expect((await callAsContract(owner, 'create/fitness/steps', { body: {} })).status).toBe(403);
  }
  await bea.ok('POST', '/api/v2.6/owner/contracts/walking-study/leave');
  expect((await callAsContract(bea, 'read/fitness/steps')).status).toBe(403);
  expect((await callAsContract(ada, 'read/fitness/steps')).status).toBe(200);
  await waitForMembers(['ada']);
  expect(z.array(ownerContractSchema).parse(await ada.ok('GET', '/api/v2.6/owner/contracts'))).toMatchObject([
    { contractId: 'walking-study', state: 'joined', writes: 1 },
  ]);

  // The short Data Debit expires at its end and not before.
  const expiry = await shortOfferEnd;
  // The provider's account ends with its Data Debit.
  expect([400, 401]).toContain(expiry.status);
  expect(expiry.at).toBeGreaterThanOrEqual(expiry.end);

  // The statistics count each event once.
  const readCounts = async (): Promise<Record<string, number>> => {
    for (const owner of owners) await owner.ok('PUT', '/api/v2.6/owner/network', { reports: true });
    const stats = statisticsSchema.parse((await network.caller(exchange)('GET', '/stats')).json);
    return Object.fromEntries(stats.map(({ title, value }) => [title, value]));
  };
  const expected = {
    'Registered PDAs': 2,
    'Data Plugs': 1,
    'Total Offer Claims': 3,
    'Data In': valuesIn,
    'Data Out': valuesOut,
  };
  let counts: Record<string, number> = {};
  await until(async () => {
    counts = await readCounts();
    await sleep(250);
    return counts['Data In'] === valuesIn && counts['Data Out'] === valuesOut;
  }, 'all values are counted').catch(() => undefined);
  expect(counts).toMatchObject(expected);
  const readFields = async (): Promise<string[]> =>
    availableDataSchema
      .parse((await network.caller(exchange)('GET', '/stats/available-data')).json)
      .flatMap(({ namespace, endpoints }) =>
        endpoints.flatMap(({ endpoint, fields: namedFields }) =>
          namedFields.map(({ name, count }) => `${namespace}/${endpoint} ${name} ${count}`),
        ),
      )
      .toSorted();
  await expect
    .poll(readFields)
    .toEqual([
      'pedometer/days day 3',
      'pedometer/days steps 3',
      'study/scores said 2',
      'walkabout/walks km 2',
      'walkabout/walks where 2',
    ]);
  // The exchange lists the expired claim of the PDA as no longer confirmed.
  const readClaims = async (): Promise<string[]> => {
    const { known } = networkKnownSchema.parse(await bea.ok('GET', '/api/v2.6/owner/network/known'));
    return (known?.claims ?? []).map(({ offerId, confirmed: isConfirmed }) => `${offerId} ${isConfirmed}`).toSorted();
  };
  await expect.poll(readClaims).toEqual(['glimpse false', 'walks true']);

  // The exchange and the contracts service contain none of the private words.
  for (const database of Object.values(databases)) {
    const dump = await dumpOf(database);
    expect(dump).toContain('walk');
    for (const [label, canary] of Object.entries(CANARIES)) {
      for (const spelling of [canary, Buffer.from(canary).toString('hex')])
        expect(dump.toLowerCase(), label).not.toContain(spelling.toLowerCase());
    }
  }
});
