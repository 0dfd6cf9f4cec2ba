import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  anOffer,
  startFakeExchange,
  type FakeExchange,
} from '../server/pda/network/exchange/fake-exchange.test-support.ts';
import { generateSigningKey, toSigningKey } from '../server/platform/auth/signing-keys.ts';
import { isoTime } from '../server/platform/clock.ts';
import { debitSchema, previewSchema, type Debit } from '../server/wire/debits.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { ownerOfferSchema, ownerOffersSchema, type OwnerOffer } from '../server/wire/network.ts';
import { sessionSchema, tokenResponseSchema } from '../server/wire/owner.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';

const HOUR_MS = 3_600_000;
const OFFERS = '/api/v2.6/owner/offers';
const DEBITS = '/api/v2.6/data-debit';

let pda: TestPda;
let exchange: FakeExchange;

beforeAll(async () => {
  pda = await startTestPda({ network: { allowLoopback: true } });
  exchange = await startFakeExchange(pda.clock);
  exchange.offers = [anOffer()];
  await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: exchange.url } });
  await pda.pda.network.sync();
  for (const steps of [4000, 9000]) await pda.call('POST', '/api/v2.6/data/fitness/steps', { json: { steps } });
});
afterAll(async () => {
  await pda.close();
  await exchange.close();
});

const listOffers = async () => ownerOffersSchema.parse((await pda.call('GET', OFFERS)).json);
const findOffer = async (id = 'steps'): Promise<OwnerOffer | undefined> =>
  (await listOffers()).offers.find((entry) => entry.offer.offerId === id);
const claimOffer = (id = 'steps') => pda.call('POST', `${OFFERS}/${id}/claim`);
const claimSuccessfully = async (id: string): Promise<OwnerOffer> => {
  const reply = await claimOffer(id);
  expect(reply.status, reply.text).toBe(200);
  return ownerOfferSchema.parse(reply.json);
};
const keyOf = async (id = 'steps'): Promise<string> => (await findOffer(id))?.dataDebitKey ?? '';
const readDebit = async (id = 'steps'): Promise<Debit> =>
  debitSchema.parse((await pda.call('GET', `${DEBITS}/${await keyOf(id)}`)).json);
/** Makes the PDA fetch the Offers again. While the exchange is slow, the PDA responds with the previous list. */
const refresh = async (): Promise<void> => {
  pda.clock.advance(2 * 60_000);
  await expect.poll(async () => (await listOffers()).asOf).toBe(isoTime(pda.clock.now()));
};
const signIn = (id = 'steps', password = exchange.passwords.get(`offer-${id}`) ?? '') => {
  pda.clock.advance(2000);
  return pda.call('GET', '/users/access_token', { token: null, headers: { username: `offer-${id}`, password } });
};
const requestProviderToken = async (id = 'steps'): Promise<string> =>
  tokenResponseSchema.parse((await signIn(id)).json).accessToken;

/** Claims an Offer at the exchange without storing the claim in the PDA. @returns the key of the Data Debit */
const claimAtExchange = async (id: string): Promise<string> => {
  const reply = await pda.pda.network.network.call({ path: `/api/v2/offer/${id}/claim` });
  if (!reply.ok || reply.status !== 200) throw new Error('the fake exchange refused the claim');
  return exchange.claims.get(id)?.claim.dataDebitId ?? '';
};

describe('Offers of the exchange', () => {
  it('are listed with the number of matching records and a preview', async () => {
    expect(await findOffer()).toMatchObject({
      state: 'unclaimed',
      open: true,
      dataDebitKey: null,
      recordCounts: { 'fitness/steps': 2 },
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

  it('are open between their start and end while they are approved or satisfied', async () => {
    const now = pda.clock.now();
    exchange.offers = [
      anOffer(),
      anOffer({ offerId: 'soon', starts: now + HOUR_MS }),
      anOffer({ offerId: 'expired', expires: now - 1 }),
      anOffer({ offerId: 'enough', status: 'satisfied' }),
      anOffer({ offerId: 'full', status: 'oversubscribed' }),
      anOffer({ offerId: 'draft', status: 'draft' }),
    ];
    await refresh();
    const { offers } = await listOffers();
    expect(offers.map((entry) => [entry.offer.offerId, entry.open])).toEqual([
      ['steps', true],
      ['soon', false],
      ['expired', false],
      ['enough', true],
      ['full', false],
      ['draft', false],
    ]);
  });

  it('propose a pending Data Debit when they are claimed, and only one when they are claimed twice', async () => {
    const firstClaim = await claimSuccessfully('steps');
    expect(firstClaim).toMatchObject({ state: 'waiting', open: false });
    const proposedDebit = await readDebit();
    expect(proposedDebit).toMatchObject({
      state: 'pending',
      requestClientName: `Acme, through ${new URL(exchange.url).host}`,
      requestClientUrl: exchange.url,
    });
    expect(proposedDebit.permissionsLatest).toMatchObject({
      purpose: 'A voucher for a month of steps.',
      // Milliseconds are rounded up to seconds.
      period: 2_592_001,
      cancelAtPeriodEnd: true,
      accepted: false,
      termsUrl: exchange.url,
      bundle: { name: 'steps' },
    });
    expect(await claimSuccessfully('steps')).toEqual(firstClaim);
    expect(exchange.requests.filter((call) => call.endsWith('/steps/claim'))).toHaveLength(1);
  });

  it('are claimed once by concurrent requests', async () => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'once' })];
    await refresh();
    const replies = await Promise.all(Array.from({ length: 8 }, () => claimOffer('once')));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ json }) => ownerOfferSchema.parse(json).dataDebitKey)).size).toBe(1);
  });

  it('give their bundle a different name if its own name is taken', async () => {
    expect((await readDebit('once')).permissionsLatest.bundle.name).toBe('offer-once');
    expect((await readDebit('steps')).permissionsLatest.bundle.name).toBe('steps');
  });

  it('include their conditions in the proposal', async () => {
    const dataConditions = { name: 'steps', bundle: { many: { endpoints: [{ endpoint: 'fitness/goals' }] } } };
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'careful', dataConditions })];
    await refresh();
    await claimSuccessfully('careful');
    expect((await readDebit('careful')).permissionsLatest.conditions).toEqual({
      ...dataConditions,
      name: 'offer-careful-conditions',
    });
  });

  it('get their Data Debit after a restart if the claim was interrupted before the proposal', async () => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'broken' })];
    await refresh();
    // The exchange has the claim and the PDA does not.
    const key = await claimAtExchange('broken');
    expect((await findOffer('broken'))?.state).toBe('unclaimed');
    await pda.restart();
    await pda.pda.network.sync();
    expect(await findOffer('broken')).toMatchObject({ state: 'waiting', dataDebitKey: key });
    expect((await readDebit('broken')).state).toBe('pending');
  });

  it.each([
    [404, 'not_found'],
    [409, 'wrong_state'],
    [503, 'unavailable'],
    [200, 'unavailable'],
  ])('stay unclaimed when the exchange responds to the claim request with %i and no claim', async (status, error) => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'refused' })];
    exchange.overrides.set('GET /api/v2/offer/refused/claim', (_, response) =>
      response.writeHead(status).end('{"cause":"No."}'),
    );
    await refresh();
    expect(errorOf(await claimOffer('refused')).error).toBe(error);
    expect((await findOffer('refused'))?.state).toBe('unclaimed');
    exchange.overrides.clear();
    exchange.offers = exchange.offers.filter(({ offerId }) => offerId !== 'refused');
  });

  it.each([
    ['a key of an application', { claim: { dataDebitId: 'app-notes' } }],
    ['the key of another Offer', { claim: { dataDebitId: 'offer-steps-other' } }],
    ['the claim of another PDA', { claim: { user: { address: 'other.example', publicKey: '' } } }],
    ['the login of another account', { credentials: { login: 'ada' } }],
    ['a password hash of excessive cost', { credentials: { passwordHash: `$2b$31$${'a'.repeat(53)}` } }],
    ['another Offer', { offer: anOffer({ offerId: 'steps' }) }],
  ])('are not claimed when the exchange sends %s', async (_, forgedParts) => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'forged' })];
    await refresh();
    await claimAtExchange('forged');
    const validClaim = exchange.claims.get('forged');
    const forgedClaim = {
      claim: { ...validClaim?.claim, ...('claim' in forgedParts ? forgedParts.claim : {}) },
      offer: 'offer' in forgedParts ? forgedParts.offer : validClaim?.offer,
      credentials: { ...validClaim?.credentials, ...('credentials' in forgedParts ? forgedParts.credentials : {}) },
    };
    exchange.overrides.set('GET /api/v2/offer/forged/claim', (_request, response) =>
      response.end(JSON.stringify(forgedClaim)),
    );
    expect(errorOf(await claimOffer('forged')).error).toBe('unavailable');
    exchange.overrides.clear();
    exchange.claims.delete('forged');
    exchange.offers = exchange.offers.filter(({ offerId }) => offerId !== 'forged');
  });

  it('are listed from the last successful fetch while the exchange is down', async () => {
    exchange.overrides.set('GET /api/v2/offers', (_, response) => response.writeHead(502).end());
    pda.clock.advance(2 * 60_000);
    await expect.poll(async () => (await listOffers()).problem).toBe('The exchange answered 502.');
    const { offers } = await listOffers();
    expect(offers.map((entry) => entry.offer.offerId)).toContain('steps');
    exchange.overrides.clear();
  });
});

describe('Offer provider', () => {
  it('signs in with its own name and password, and can read only its Data Debit', async () => {
    expect(errorOf(await signIn('steps', 'guessed')).error).toBe('invalid_credentials');
    const token = await requestProviderToken();
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
    expect((await findOffer())?.state).toBe('sharing');
    const values = await pda.call('GET', `${DEBITS}/${key}/values`, { token });
    expect(values.json).toMatchObject({ bundle: { steps: [{ data: { steps: 4000 } }, { data: { steps: 9000 } }] } });
  });

  it('appears in the access log and in the list of sessions', async () => {
    const { rows } = ledgerPageSchema.parse(
      (await pda.call('GET', `/api/v2.6/owner/ledger?debit=${await keyOf()}&outcome=allowed`)).json,
    );
    expect(rows[0]).toMatchObject({ who: { kind: 'offer', name: 'steps' }, records: 2 });
    const sessions = sessionSchema.array().parse((await pda.call('GET', '/api/v2.6/owner/sessions')).json);
    expect(sessions.find(({ kind }) => kind === 'offer')).toMatchObject({ offer: 'steps', application: null });
  });

  it('loses access when the Data Debit is removed', async () => {
    const token = await requestProviderToken();
    const key = await keyOf();
    expect((await pda.call('DELETE', `${DEBITS}/${key}`)).status).toBe(200);
    expect((await pda.call('GET', `${DEBITS}/${key}/values`, { token })).status).toBe(401);
    expect(errorOf(await signIn()).error).toBe('invalid_credentials');
    expect((await findOffer())?.state).toBe('ended');
  });

  it('loses access when the owner rejects the Data Debit, and when it expires', async () => {
    const [rejectedToken, expiringToken] = [await requestProviderToken('once'), await requestProviderToken('broken')];
    await pda.call('POST', `${DEBITS}/${await keyOf('once')}/reject`);
    await pda.call('GET', `${DEBITS}/${await keyOf('broken')}/enable`);
    expect((await pda.call('GET', '/users/access_token/validate', { token: rejectedToken })).status).toBe(401);
    expect((await pda.call('GET', '/users/access_token/validate', { token: expiringToken })).status).toBe(200);
    pda.clock.advance(31 * 24 * HOUR_MS);
    pda.token = await pda.signIn();
    expect((await findOffer('once'))?.state).toBe('rejected');
    expect((await findOffer('broken'))?.state).toBe('ended');
    expect(errorOf(await signIn('broken')).error).toBe('invalid_credentials');
  });
});

describe('claim notification from the exchange', () => {
  const notify = (token: string, offerId: string) =>
    pda.call('POST', '/api/v2.6/exchange/claims', { token, json: { offerId } });

  it('makes the PDA fetch the claim and propose its Data Debit, once per token', async () => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'notified', expires: pda.clock.now() + HOUR_MS })];
    const token = await exchange.token({ resource: pda.host });
    expect((await notify(token, 'notified')).status).toBe(200);
    expect((await readDebit('notified')).state).toBe('pending');
    // A replayed token is rejected.
    expect((await notify(token, 'notified')).status).toBe(401);
    await pda.restart();
    expect((await notify(token, 'notified')).status).toBe(401);
  });

  it('is rejected if its token has a wrong signer, PDA, purpose or lifetime; a valid token gives no other access', async () => {
    const unknownKey = toSigningKey({ ...(await generateSigningKey(0)), retired: null });
    const now = Math.floor(pda.clock.now() / 1000);
    const tokenClaims = { resource: pda.host };
    for (const [description, token] of [
      ['another key with the same id', await exchange.token(tokenClaims, { ...unknownKey, kid: 'known' })],
      ['an unknown key', await exchange.token(tokenClaims, unknownKey)],
      ['for another PDA', await exchange.token({ resource: 'other.example' })],
      ['for another purpose', await exchange.token({ ...tokenClaims, accessScope: 'owner' })],
      ['expired', await exchange.token({ ...tokenClaims, iat: now - 86_400, exp: now - 86_000 })],
      ['valid for a year', await exchange.token({ ...tokenClaims, exp: now + 31_536_000 })],
    ] as const)
      expect((await notify(token, 'notified')).status, description).toBe(401);
    for (const path of ['owner/network', 'data/fitness/steps']) {
      const token = await exchange.token(tokenClaims);
      expect((await pda.call('GET', `/api/v2.6/${path}`, { token })).status).toBe(403);
    }
  });

  it('is accepted with a new key that the PDA is already fetching for another notification', async () => {
    await pda.pda.network.sync();
    pda.clock.advance(61_000);
    const newKey = toSigningKey({ ...(await generateSigningKey(0)), retired: null });
    const keys = [{ ...newKey.publicKey.export({ format: 'jwk' }), kid: newKey.kid }];
    const notifyWithNewKey = async () => notify(await exchange.token({ resource: pda.host }, newKey), 'notified');
    const secondStatus = new Promise<number>((resolve) => {
      exchange.overrides.set('GET /.well-known/jwks.json', (_, response) => {
        const secondReply = notifyWithNewKey();
        // The second notification arrives before the keys.
        void Promise.race([secondReply, pause(200)]).then(() => response.end(JSON.stringify({ keys })));
        void secondReply.then(({ status }) => resolve(status));
      });
    });
    expect([(await notifyWithNewKey()).status, await secondStatus]).toStrictEqual([200, 200]);
    exchange.overrides.clear();
  });

  it('causes at most one key request per minute if its token is forged', async () => {
    // Completes the regular read of the keys after the restart.
    await pda.pda.network.sync();
    pda.clock.advance(61_000);
    const unknownKey = toSigningKey({ ...(await generateSigningKey(0)), retired: null });
    const countKeyRequests = () => exchange.requests.filter((call) => call === 'GET /.well-known/jwks.json').length;
    const previousCount = countKeyRequests();
    for (let count = 0; count < 5; count += 1)
      await notify(await exchange.token({ resource: pda.host }, unknownKey), 'notified');
    expect(countKeyRequests()).toBe(previousCount + 1);
  });
});

describe('misbehaving exchange', () => {
  it('cannot create a Data Debit from an Offer that is larger than a request may be', async () => {
    const mapping = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`${'x'.repeat(400)}${n}`, 'steps']));
    const requiredData = { name: 'long', bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', mapping }] } } };
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'long', requiredData })];
    await refresh();
    expect(errorOf(await claimOffer('long')).error).toBe('too_large');
    expect((await findOffer('long'))?.state).toBe('unclaimed');
  });
});

describe('Offer id already claimed at another exchange', () => {
  it('gives neither provider access to the Data Debit of the other', async () => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: 'twice', expires: pda.clock.now() + HOUR_MS })];
    await refresh();
    await claimSuccessfully('twice');
    const firstKey = await keyOf('twice');
    await pda.call('GET', `${DEBITS}/${firstKey}/enable`);
    const firstToken = await requestProviderToken('twice');
    expect((await pda.call('GET', `${DEBITS}/${firstKey}/values`, { token: firstToken })).status).toBe(200);

    const otherExchange = await startFakeExchange(pda.clock);
    const expires = pda.clock.now() + HOUR_MS;
    otherExchange.offers = [anOffer({ offerId: 'twice', expires, providerName: 'Rival' })];
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: otherExchange.url } });
    await pda.pda.network.sync();
    // The list shows the Offer of the first exchange until the claim there ends, and then that of the other exchange.
    expect(await findOffer('twice')).toMatchObject({ state: 'sharing', offer: { providerName: 'Acme' } });
    expect(errorOf(await claimOffer('twice')).error).toBe('already_exists');
    await pda.call('DELETE', `${DEBITS}/${firstKey}`);
    const unclaimedOffer = { state: 'unclaimed', open: true, dataDebitKey: null, offer: { providerName: 'Rival' } };
    expect(await findOffer('twice')).toMatchObject(unclaimedOffer);

    // The other exchange sends a claim with the existing Data Debit.
    const existingClaim = exchange.claims.get('twice');
    if (existingClaim === undefined) throw new Error('the first exchange has no claim');
    otherExchange.claims.set('twice', existingClaim);
    expect(errorOf(await claimOffer('twice')).error).toBe('already_exists');
    expect(await findOffer('twice')).toMatchObject(unclaimedOffer);

    otherExchange.claims.clear();
    await claimSuccessfully('twice');
    const secondKey = await keyOf('twice');
    expect(secondKey).not.toBe(firstKey);
    await pda.call('GET', `${DEBITS}/${secondKey}/enable`);
    expect((await pda.call('GET', `${DEBITS}/${secondKey}/values`, { token: firstToken })).status).toBe(401);
    expect(errorOf(await signIn('twice')).error).toBe('invalid_credentials');
    expect((await signIn('twice', otherExchange.passwords.get('offer-twice'))).status).toBe(200);
    await otherExchange.close();
  });
});

describe('claim that the exchange no longer has', () => {
  /** Claims and allows an Offer. The exchange then removes the claim, as after a change of the PDA's address. */
  const loseClaim = async (id: string): Promise<string> => {
    exchange.offers = [...exchange.offers, anOffer({ offerId: id, expires: pda.clock.now() + 24 * HOUR_MS })];
    await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: exchange.url } });
    await refresh();
    await claimSuccessfully(id);
    const key = await keyOf(id);
    await pda.call('GET', `${DEBITS}/${key}/enable`);
    exchange.claims.delete(id);
    return key;
  };
  const readClaimsOfExchange = async (): Promise<void> => {
    pda.clock.advance(2 * HOUR_MS);
    await pda.pda.network.sync();
  };

  it('stays until its Data Debit ends, and then its Offer can be claimed again', async () => {
    const firstKey = await loseClaim('lost');
    await readClaimsOfExchange();
    expect(await findOffer('lost')).toMatchObject({ state: 'sharing', dataDebitKey: firstKey });
    await pda.call('DELETE', `${DEBITS}/${firstKey}`);
    await readClaimsOfExchange();
    expect(await findOffer('lost')).toMatchObject({ state: 'unclaimed', open: true, dataDebitKey: null });
    expect(await claimSuccessfully('lost')).toMatchObject({ state: 'waiting' });
    expect(await keyOf('lost')).not.toBe(firstKey);
  });

  it('is replaced if its provider registers a new one', async () => {
    const firstKey = await loseClaim('renewed');
    const firstToken = await requestProviderToken('renewed');
    const secondKey = await claimAtExchange('renewed');
    expect(secondKey).not.toBe(firstKey);
    await readClaimsOfExchange();
    expect(await findOffer('renewed')).toMatchObject({ state: 'waiting', dataDebitKey: secondKey });
    expect((await pda.call('GET', `${DEBITS}/${firstKey}/values`, { token: firstToken })).status).toBe(401);
    // No further claim before the owner has decided.
    exchange.claims.delete('renewed');
    await claimAtExchange('renewed');
    await readClaimsOfExchange();
    expect(await keyOf('renewed')).toBe(secondKey);
  });
});
