import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anOffer, startStandIn, type StandIn } from '../server/pda/network/exchange/fake-exchange.test-support.ts';
import { newKey, toSigningKey } from '../server/platform/auth/signing-keys.ts';
import { debitSchema, previewSchema, type Debit } from '../server/wire/debits.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { ownerOfferSchema, ownerOffersSchema, type OwnerOffer } from '../server/wire/network.ts';
import { sessionSchema, tokenResponseSchema } from '../server/wire/owner.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';

const HOUR = 3_600_000;
const OFFERS = '/api/v2.6/owner/offers';
const DEBITS = '/api/v2.6/data-debit';

let pda: TestPda;
let exchange: StandIn;

beforeAll(async () => {
  pda = await startTestPda({ network: { allowLoopback: true } });
  exchange = await startStandIn(pda.clock);
  exchange.offers = [anOffer()];
  await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: exchange.url } });
  await pda.pda.network.sync();
  for (const steps of [4000, 9000]) await pda.call('POST', '/api/v2.6/data/fitness/steps', { json: { steps } });
});
afterAll(async () => {
  await pda.close();
  await exchange.close();
});

const list = async () => ownerOffersSchema.parse((await pda.call('GET', OFFERS)).json);
const offer = async (id = 'steps'): Promise<OwnerOffer | undefined> =>
  (await list()).offers.find((one) => one.offer.offerId === id);
const claim = (id = 'steps') => pda.call('POST', `${OFFERS}/${id}/claim`);
const claimed = async (id: string): Promise<OwnerOffer> => {
  const reply = await claim(id);
  expect(reply.status, reply.text).toBe(200);
  return ownerOfferSchema.parse(reply.json);
};
const keyOf = async (id = 'steps'): Promise<string> => (await offer(id))?.dataDebitKey ?? '';
const debit = async (id = 'steps'): Promise<Debit> =>
  debitSchema.parse((await pda.call('GET', `${DEBITS}/${await keyOf(id)}`)).json);
const look = async (): Promise<void> => {
  pda.clock.advance(2 * 60_000);
  await list();
};
const signIn = (id = 'steps', password = exchange.passwords.get(`offer-${id}`) ?? '') => {
  pda.clock.advance(2000);
  return pda.call('GET', '/users/access_token', { token: null, headers: { username: `offer-${id}`, password } });
};
const providerToken = async (id = 'steps'): Promise<string> =>
  tokenResponseSchema.parse((await signIn(id)).json).accessToken;

/** Claims it there, and does not hear the answer: the key that the exchange made. */
const fetchClaim = async (id: string): Promise<string> => {
  const reply = await pda.pda.network.network.call({ path: `/api/v2/offer/${id}/claim` });
  if (!reply.ok || reply.status !== 200) throw new Error('the stand-in refused the claim');
  return exchange.claims.get(id)?.claim.dataDebitId ?? '';
};

describe('Offers of the exchange', () => {
  it('are shown with what they would find here, and what they would share', async () => {
    expect(await offer()).toMatchObject({
      state: 'unclaimed',
      open: true,
      dataDebitKey: null,
      here: { 'fitness/steps': 2 },
      offer: { providerName: 'Acme' },
    });
    const preview = previewSchema.parse((await pda.call('GET', `${OFFERS}/steps/preview?take=1`)).json);
    expect(preview.properties[0]).toMatchObject({
      property: 'steps',
      leaving: 2,
      records: [{ data: { steps: 4000 } }],
    });
    expect(errorOf(await pda.call('GET', `${OFFERS}/nothing/preview`)).error).toBe('not_found');
  });

  it('are open from their start to their end, while they are approved', async () => {
    const now = pda.clock.now();
    exchange.offers = [
      anOffer(),
      anOffer({ offerId: 'soon', starts: now + HOUR }),
      anOffer({ offerId: 'over', expires: now - 1 }),
      anOffer({ offerId: 'enough', status: 'satisfied' }),
      anOffer({ offerId: 'full', status: 'oversubscribed' }),
      anOffer({ offerId: 'draft', status: 'draft' }),
    ];
    await look();
    const { offers } = await list();
    expect(offers.map((one) => [one.offer.offerId, one.open])).toEqual([
      ['steps', true],
      ['soon', false],
      ['over', false],
      ['enough', true],
      ['full', false],
      ['draft', false],
    ]);
  });

  it('lead to a Data Debit that waits for the owner, and shares nothing before', async () => {
    const first = await claimed('steps');
    expect(first).toMatchObject({ state: 'waiting', open: false });
    const asked = await debit();
    expect(asked).toMatchObject({
      state: 'pending',
      requestClientName: `Acme, through ${new URL(exchange.url).host}`,
      requestClientUrl: exchange.url,
    });
    expect(asked.permissionsLatest).toMatchObject({
      purpose: 'A voucher for a month of steps.',
      // Milliseconds become whole seconds, never fewer than asked.
      period: 2_592_001,
      cancelAtPeriodEnd: true,
      accepted: false,
      termsUrl: exchange.url,
      bundle: { name: 'steps' },
    });
    expect(await claimed('steps')).toEqual(first);
    expect(exchange.calls.filter((call) => call.endsWith('/steps/claim'))).toHaveLength(1);
  });

  it('are claimed once, however many ask at once', async () => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'once' })];
    await look();
    const answers = await Promise.all(Array.from({ length: 8 }, () => claim('once')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ json }) => ownerOfferSchema.parse(json).dataDebitKey)).size).toBe(1);
  });

  it('get a bundle name of their own where theirs is taken', async () => {
    expect((await debit('once')).permissionsLatest.bundle.name).toBe('offer-once');
    expect((await debit('steps')).permissionsLatest.bundle.name).toBe('steps');
  });

  it('carry their conditions along', async () => {
    const dataConditions = { name: 'steps', bundle: { many: { endpoints: [{ endpoint: 'fitness/goals' }] } } };
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'careful', dataConditions })];
    await look();
    await claimed('careful');
    expect((await debit('careful')).permissionsLatest.conditions).toEqual({
      ...dataConditions,
      name: 'offer-careful-conditions',
    });
  });

  it('are found again when a stop came between the claim and the proposal', async () => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'broken' })];
    await look();
    // Claimed there; here nothing was written.
    const taken = await fetchClaim('broken');
    expect((await offer('broken'))?.state).toBe('unclaimed');
    await pda.restart();
    await pda.pda.network.sync();
    expect(await offer('broken')).toMatchObject({ state: 'waiting', dataDebitKey: taken });
    expect((await debit('broken')).state).toBe('pending');
  });

  it.each([
    [404, 'not_found'],
    [409, 'wrong_state'],
    [503, 'unavailable'],
    [200, 'unavailable'],
  ])('that the exchange refuses with %i leave nothing behind', async (status, error) => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'refused' })];
    exchange.lies.set('GET /api/v2/offer/refused/claim', (_, response) =>
      response.writeHead(status).end('{"cause":"No."}'),
    );
    await look();
    expect(errorOf(await claim('refused')).error).toBe(error);
    expect((await offer('refused'))?.state).toBe('unclaimed');
    exchange.lies.clear();
    exchange.offers = exchange.offers.filter((one) => one.offerId !== 'refused');
  });

  it.each([
    ['a key of an application', { claim: { dataDebitId: 'app-notes' } }],
    ['the key of another Offer', { claim: { dataDebitId: 'offer-steps-other' } }],
    ['the claim of another PDA', { claim: { user: { address: 'other.example', publicKey: '' } } }],
    ['the login of somebody else', { credentials: { login: 'ada' } }],
    ['a password without end', { credentials: { passwordHash: `$2b$31$${'a'.repeat(53)}` } }],
    ['another Offer', { offer: anOffer({ offerId: 'steps' }) }],
  ])('are not claimed when the exchange answers %s', async (_, lie) => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'lie' })];
    await look();
    await fetchClaim('lie');
    const right = exchange.claims.get('lie');
    const wrong = {
      claim: { ...right?.claim, ...('claim' in lie ? lie.claim : {}) },
      offer: 'offer' in lie ? lie.offer : right?.offer,
      credentials: { ...right?.credentials, ...('credentials' in lie ? lie.credentials : {}) },
    };
    exchange.lies.set('GET /api/v2/offer/lie/claim', (_request, response) => response.end(JSON.stringify(wrong)));
    expect(errorOf(await claim('lie')).error).toBe('unavailable');
    exchange.lies.clear();
    exchange.claims.delete('lie');
    exchange.offers = exchange.offers.filter((one) => one.offerId !== 'lie');
  });

  it('are shown as they were read last while the exchange is down', async () => {
    exchange.lies.set('GET /api/v2/offers', (_, response) => response.writeHead(502).end());
    await look();
    const seen = await list();
    expect(seen.problem).toBe('It answered 502.');
    expect(seen.offers.map((one) => one.offer.offerId)).toContain('steps');
    exchange.lies.clear();
  });
});

describe('the provider of an Offer', () => {
  it('signs in with its own name and password, and reads that one Data Debit and nothing else', async () => {
    expect(errorOf(await signIn('steps', 'guessed')).error).toBe('invalid_credentials');
    const token = await providerToken();
    const key = await keyOf();
    expect((await pda.call('GET', `${DEBITS}/${key}`, { token })).status).toBe(200);
    expect(errorOf(await pda.call('GET', `${DEBITS}/${key}/values`, { token })).error).toBe('data_debit_not_enabled');
    expect((await pda.call('GET', `${DEBITS}/${key}/enable`, { token })).status).toBe(403);
    expect((await pda.call('GET', `${DEBITS}/${await keyOf('once')}`, { token })).status).toBe(404);
    expect((await pda.call('GET', DEBITS, { token })).status).toBe(403);
    expect((await pda.call('GET', '/api/v2.6/data/fitness/steps', { token })).status).toBe(403);
    const proposal = {
      dataDebitKey: 'mine',
      bundle: { name: 'mine', bundle: { all: { endpoints: [{ endpoint: 'health/all' }] } } },
      start: pda.clock.now(),
      period: 60,
      purpose: 'More',
      cancelAtPeriodEnd: true,
      termsUrl: 'https://a.example/',
      requestClientName: 'A',
      requestClientUrl: 'https://a.example/',
      requestClientLogoUrl: 'https://a.example/',
    };
    expect((await pda.call('POST', `${DEBITS}/mine`, { token, json: proposal })).status).toBe(403);
    expect((await pda.call('GET', '/api/v2.6/owner/network', { token })).status).toBe(403);
    expect((await pda.call('POST', '/api/v2.6/exchange/claims', { token, json: { offerId: 'steps' } })).status).toBe(
      403,
    );

    expect((await pda.call('GET', `${DEBITS}/${key}/enable`)).status).toBe(200);
    expect((await offer())?.state).toBe('sharing');
    const values = await pda.call('GET', `${DEBITS}/${key}/values`, { token });
    expect(values.json).toMatchObject({ bundle: { steps: [{ data: { steps: 4000 } }, { data: { steps: 9000 } }] } });
  });

  it('is named in the ledger and among those who are signed in', async () => {
    const { rows } = ledgerPageSchema.parse(
      (await pda.call('GET', `/api/v2.6/owner/ledger?debit=${await keyOf()}&outcome=allowed`)).json,
    );
    expect(rows[0]).toMatchObject({ who: { kind: 'offer', name: 'steps' }, records: 2 });
    const sessions = sessionSchema.array().parse((await pda.call('GET', '/api/v2.6/owner/sessions')).json);
    expect(sessions.find(({ kind }) => kind === 'offer')).toMatchObject({ offer: 'steps', application: null });
  });

  it('is gone when the Data Debit is removed', async () => {
    const token = await providerToken();
    const key = await keyOf();
    expect((await pda.call('DELETE', `${DEBITS}/${key}`)).status).toBe(200);
    expect((await pda.call('GET', `${DEBITS}/${key}/values`, { token })).status).toBe(401);
    expect(errorOf(await signIn()).error).toBe('invalid_credentials');
    expect((await offer())?.state).toBe('ended');
  });

  it('is gone when the owner says no, and when its time is over', async () => {
    const [refused, over] = [await providerToken('once'), await providerToken('broken')];
    await pda.call('POST', `${DEBITS}/${await keyOf('once')}/reject`);
    await pda.call('GET', `${DEBITS}/${await keyOf('broken')}/enable`);
    expect((await pda.call('GET', '/users/access_token/validate', { token: refused })).status).toBe(401);
    expect((await pda.call('GET', '/users/access_token/validate', { token: over })).status).toBe(200);
    pda.clock.advance(31 * 24 * HOUR);
    pda.token = await pda.signIn();
    expect((await offer('once'))?.state).toBe('rejected');
    expect((await offer('broken'))?.state).toBe('ended');
    expect(errorOf(await signIn('broken')).error).toBe('invalid_credentials');
  });
});

describe('what the exchange asks of a PDA', () => {
  const tell = (token: string, offerId: string) =>
    pda.call('POST', '/api/v2.6/exchange/claims', { token, json: { offerId } });

  it('is to fetch a claim that a provider registered', async () => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'told', expires: pda.clock.now() + HOUR })];
    const token = await exchange.token({ resource: pda.host });
    expect((await tell(token, 'told')).status).toBe(200);
    expect((await debit('told')).state).toBe('pending');
    // Once: whoever has heard it on the way can do nothing with it.
    expect((await tell(token, 'told')).status).toBe(401);
    await pda.restart();
    expect((await tell(token, 'told')).status).toBe(401);
  });

  it('is not taken from anybody else, nor for anything else', async () => {
    const stranger = toSigningKey({ ...(await newKey(0)), retired: null });
    const now = Math.floor(pda.clock.now() / 1000);
    const right = { resource: pda.host };
    for (const [what, token] of [
      ['another key of the same name', await exchange.token(right, { ...stranger, kid: 'known' })],
      ['an unknown key', await exchange.token(right, stranger)],
      ['for another PDA', await exchange.token({ resource: 'other.example' })],
      ['for another purpose', await exchange.token({ ...right, accessScope: 'owner' })],
      ['of yesterday', await exchange.token({ ...right, iat: now - 86_400, exp: now - 86_000 })],
      ['good for a year', await exchange.token({ ...right, exp: now + 31_536_000 })],
    ] as const)
      expect((await tell(token, 'told')).status, what).toBe(401);
    const good = await exchange.token(right);
    expect((await pda.call('GET', '/api/v2.6/owner/network', { token: good })).status).toBe(403);
    expect((await pda.call('GET', '/api/v2.6/data/fitness/steps', { token: await exchange.token(right) })).status).toBe(
      403,
    );
  });

  it('makes no call for a forged token but one a minute', async () => {
    pda.clock.advance(61_000);
    const stranger = toSigningKey({ ...(await newKey(0)), retired: null });
    const asked = () => exchange.calls.filter((call) => call === 'GET /.well-known/jwks.json').length;
    const before = asked();
    for (let time = 0; time < 5; time += 1) await tell(await exchange.token({ resource: pda.host }, stranger), 'told');
    expect(asked()).toBe(before + 1);
  });
});

describe('an exchange that does not keep to its own rules', () => {
  it('is refused an Offer that asks for more than fits in a request', async () => {
    const mapping = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${'x'.repeat(400)}${n}`, 'steps']));
    const requiredData = { name: 'long', bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', mapping }] } } };
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'long', requiredData })];
    await look();
    expect(errorOf(await claim('long')).error).toBe('too_large');
    expect((await offer('long'))?.state).toBe('unclaimed');
  });
});

describe('an Offer that has the id of one that was claimed at another exchange', () => {
  it('is another one: neither the provider of the first reads what it shares, nor does it get the agreement of the first', async () => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'twice', expires: pda.clock.now() + HOUR })];
    await look();
    await claimed('twice');
    const before = await keyOf('twice');
    await pda.call('GET', `${DEBITS}/${before}/enable`);
    const first = await providerToken('twice');
    expect((await pda.call('GET', `${DEBITS}/${before}/values`, { token: first })).status).toBe(200);

    const other = await startStandIn(pda.clock);
    other.offers = [anOffer({ offerId: 'twice', expires: pda.clock.now() + HOUR })];
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: other.url } });
    await pda.pda.network.sync();
    expect(errorOf(await claim('twice')).error).toBe('already_exists');
    await pda.call('DELETE', `${DEBITS}/${before}`);

    // The other exchange names the Data Debit that there is.
    const known = exchange.claims.get('twice');
    if (known === undefined) throw new Error('the first exchange has no claim');
    other.claims.set('twice', known);
    expect(errorOf(await claim('twice')).error).toBe('already_exists');
    expect((await offer('twice'))?.state).toBe('ended');

    other.claims.clear();
    await claimed('twice');
    const after = await keyOf('twice');
    expect(after).not.toBe(before);
    await pda.call('GET', `${DEBITS}/${after}/enable`);
    expect((await pda.call('GET', `${DEBITS}/${after}/values`, { token: first })).status).toBe(401);
    expect(errorOf(await signIn('twice')).error).toBe('invalid_credentials');
    expect((await signIn('twice', other.passwords.get('offer-twice'))).status).toBe(200);
    await other.close();
  });
});
