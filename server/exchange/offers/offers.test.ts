import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeOnDatabases } from '../../platform/postgres/database.test-support.ts';
import {
  startTestExchange,
  type RegisteredTestPda,
  type TestAccount,
  type TestExchange,
} from '../exchange.test-support.ts';
import { createOfferCalls, DAY_MS, newOffer, NOW } from './offers.test-support.ts';

describeOnDatabases('Offers', (database) => {
  let exchange: TestExchange;
  let calls: ReturnType<typeof createOfferCalls>;
  let provider: TestAccount;
  let otherProvider: TestAccount;
  let admin: TestAccount;
  let pda: RegisteredTestPda;

  beforeAll(async () => {
    exchange = await startTestExchange({ database: await database.createDatabase() });
    calls = createOfferCalls(exchange);
    provider = await exchange.createAccount(['marketPlace'], 'shop');
    otherProvider = await exchange.createAccount(['marketPlace', 'developer']);
    admin = await exchange.createAccount(['administrator']);
    pda = await exchange.insertRegisteredPda();
  });
  afterAll(() => exchange.close());

  const get = (id: string, account?: TestAccount) =>
    exchange.call('GET', `/api/v2/offer/${id}`, account === undefined ? {} : { token: account.token });
  const list = async (query = '', account?: TestAccount): Promise<string[]> => {
    const credentials = account === undefined ? {} : { token: account.token };
    const response = await exchange.call('GET', `/api/v2/offers${query}`, credentials);
    expect(response.status, response.text).toBe(200);
    return (response.json as { offerId: string }[]).map(({ offerId }) => offerId);
  };

  describe('registering', () => {
    it('creates a draft that only its provider and administrators can see', async () => {
      const response = await calls.register(provider, newOffer('walk', { termsUrl: 'https://shop.example/terms' }));
      expect(response.status).toBe(201);
      expect(response.json).toEqual({
        ...newOffer('walk'),
        termsUrl: 'https://shop.example/terms',
        created: NOW,
        edition: 1,
        provider: provider.userId,
        providerName: 'shop',
        status: 'draft',
        counts: { claimed: 0, confirmed: 0 },
      });
      expect((await get('walk', provider)).json).toEqual(response.json);
      expect((await get('walk', admin)).status).toBe(200);
      for (const outsider of [undefined, otherProvider]) {
        expect((await get('walk', outsider)).json).toMatchObject({ error: 'not_found' });
        expect(await list('', outsider)).not.toContain('walk');
      }
      expect(await list('', provider)).toContain('walk');
      expect(await calls.countAuditEntries('offer.registered', 'walk')).toBe(1);
    });

    it('refuses Offers above the maximum size and more than 200 drafts per account', async () => {
      const property = { endpoints: [{ endpoint: 'fitness/steps' }] };
      const bundle = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${n}${'y'.repeat(490)}`, property]));
      const largeRequest = { requiredData: { name: 'large', bundle } };
      expect((await calls.register(otherProvider, newOffer('large', largeRequest))).json).toMatchObject({
        error: 'too_large',
      });
      await calls.register(otherProvider, newOffer('grows'));
      const change = await exchange.call('PUT', '/api/v2/offer/grows', {
        token: otherProvider.token,
        json: newOffer('grows', largeRequest),
      });
      expect(change.json).toMatchObject({ error: 'too_large' });
      await exchange.exchange.database.run((db) =>
        sql`INSERT INTO offers (id, provider, provider_name, created, edition, title, description, starts, expires,
          collection_ms, required_data, required_min, required_max, state)
          SELECT 'many' || n, provider, provider_name, created, edition, title, description, starts, expires,
          collection_ms, required_data, required_min, required_max, state
          FROM offers, generate_series(1, 199) AS n WHERE id = 'grows'`.execute(db),
      );
      const refusedResponse = await calls.register(otherProvider, newOffer('beyond'));
      expect([refusedResponse.status, refusedResponse.json]).toMatchObject([409, { error: 'wrong_state' }]);
      await calls.decide(admin, 'many1', 'rejected');
      const replies = await Promise.all(
        Array.from({ length: 5 }, (_, number) => calls.register(otherProvider, newOffer(`beyond-${number}`))),
      );
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
      await exchange.exchange.database.run((db) => sql`DELETE FROM offers WHERE id LIKE 'many%'`.execute(db));
    });

    it('accepts ids with hyphens and refuses other punctuation', async () => {
      const createReply = await calls.register(provider, newOffer('long-walks-2026'));
      expect(createReply.status, createReply.text).toBe(201);
      expect((await get('long-walks-2026', provider)).json).toMatchObject({ offerId: 'long-walks-2026' });
      for (const offerId of ['long_walks', 'long.walks', 'long walks'])
        expect((await calls.register(provider, newOffer(offerId))).status, offerId).toBe(400);
    });

    it('refuses an existing id', async () => {
      await calls.register(provider, newOffer('once'));
      const duplicateReply = await calls.register(otherProvider, newOffer('once', { title: 'mine' }));
      expect(duplicateReply.json).toMatchObject({ error: 'already_exists' });
      expect(duplicateReply.status).toBe(400);
      expect((await get('once', provider)).json).toMatchObject({ title: 'About once' });
    });

    it('requires the role marketPlace', async () => {
      const developer = await exchange.createAccount(['developer', 'dataPlug', 'management']);
      const json = newOffer('none');
      expect((await exchange.call('POST', '/api/v2/offer', { json })).status).toBe(401);
      expect((await calls.register(developer, json)).status).toBe(403);
      expect((await exchange.call('POST', '/api/v2/offer', { json, token: await pda.token() })).status).toBe(403);
    });

    it('accepts times in ISO 8601 and returns Unix milliseconds', async () => {
      const times = { starts: '2026-11-01T00:00:00+0100', expires: '2026-12-01' };
      const json = { ...newOffer('dated'), ...times };
      const response = await exchange.call('POST', '/api/v2/offer', { json, token: provider.token });
      expect(response.json).toMatchObject({ starts: 1_793_487_600_000, expires: 1_796_083_200_000 });
      const refusedResponse = await exchange.call('POST', '/api/v2/offer', {
        json: { ...newOffer('undated'), starts: 'soon' },
        token: provider.token,
      });
      const problem = 'must be an ISO 8601 date and time such as 2026-01-31T09:30:00Z, or Unix milliseconds';
      expect(refusedResponse.json).toMatchObject({ cause: `body.starts: ${problem}` });
      expect(refusedResponse.json).toMatchObject({ details: [{ path: 'body.starts', problem }] });
    });

    it('refuses invalid Offers and Offers that could never be claimed', async () => {
      for (const invalidFields of [
        { expires: NOW - DAY_MS },
        { requiredMinUser: 4 },
        { requiredMaxUser: 0, requiredMinUser: 0 },
        { offerId: 'with space' },
        { requiredData: { name: 'x', bundle: {} } },
        { state: 'approved' },
      ])
        expect((await calls.register(provider, newOffer('wrong', invalidFields))).json).toMatchObject({
          error: 'invalid_input',
        });
    });
  });

  describe('deciding', () => {
    it('is restricted to administrators and recorded once in the audit log', async () => {
      await calls.register(provider, newOffer('decide'));
      expect((await exchange.call('PUT', '/api/v2/offer/decide?status=approved')).status).toBe(401);
      expect((await calls.decide(provider, 'decide', 'approved')).status).toBe(403);
      expect((await calls.decide(admin, 'decide', 'satisfied')).status).toBe(400);
      expect((await calls.decide(admin, 'unknown', 'approved')).status).toBe(404);
      for (let repetition = 0; repetition < 2; repetition += 1)
        expect((await calls.decide(admin, 'decide', 'approved')).json).toMatchObject({ status: 'approved' });
      expect(await calls.countAuditEntries('offer.approved', 'decide')).toBe(1);
      expect((await get('decide')).status).toBe(200);
      // Only the provider and administrators see the counts.
      expect((await get('decide', otherProvider)).json).not.toHaveProperty('counts');
      expect((await get('decide', admin)).json).toMatchObject({ counts: { claimed: 0 } });
      expect(await list()).toContain('decide');
    });

    it('a second time reverses the decision and keeps the number of slots', async () => {
      await calls.publish(provider, admin, newOffer('turn'));
      expect((await calls.decide(admin, 'turn', 'rejected')).json).toMatchObject({ status: 'rejected' });
      expect((await get('turn')).status).toBe(404);
      expect((await get('turn', provider)).json).toMatchObject({ status: 'rejected' });
      expect((await calls.decide(admin, 'turn', 'approved')).status).toBe(200);
      expect((await calls.countClaims('turn')).quota).toBe(3);
    });

    it('does not approve expired Offers or Offers that were changed after the review', async () => {
      await calls.register(provider, newOffer('over', { starts: NOW - 2 * DAY_MS, expires: NOW }));
      expect((await calls.decide(admin, 'over', 'approved')).json).toMatchObject({ error: 'wrong_state' });

      await calls.register(provider, newOffer('bait'));
      const changedOffer = newOffer('bait', { title: 'switch', requiredMaxUser: 7 });
      const change = await exchange.call('PUT', '/api/v2/offer/bait', { token: provider.token, json: changedOffer });
      expect(change.json).toMatchObject({ title: 'switch', edition: 2, status: 'draft' });
      const approveEdition = (edition: number) =>
        exchange.call('PUT', `/api/v2/offer/bait?status=approved&edition=${edition}`, { token: admin.token });
      expect((await approveEdition(1)).json).toMatchObject({ error: 'wrong_state' });
      expect((await get('bait')).status).toBe(404);
      expect((await approveEdition(2)).status).toBe(200);
      expect((await calls.countClaims('bait')).quota).toBe(7);
    });
  });

  describe('changing', () => {
    const put = (id: string, account: TestAccount, json?: object) =>
      exchange.call('PUT', `/api/v2/offer/${id}`, { token: account.token, ...(json === undefined ? {} : { json }) });

    it('is restricted to the provider and to drafts', async () => {
      await calls.register(provider, newOffer('mine'));
      expect((await put('mine', otherProvider, newOffer('mine'))).status).toBe(404);
      expect((await put('mine', admin, newOffer('mine'))).status).toBe(403);
      expect((await put('mine', provider, newOffer('other'))).status).toBe(400);
      expect((await put('mine', provider)).json).toMatchObject({ error: 'invalid_input' });
      const request = { token: admin.token, json: newOffer('mine') };
      expect((await exchange.call('PUT', '/api/v2/offer/mine?status=approved', request)).status).toBe(400);

      await calls.decide(admin, 'mine', 'approved');
      expect((await put('mine', otherProvider, newOffer('mine'))).status).toBe(403);
      expect((await put('mine', provider, newOffer('mine'))).json).toMatchObject({ error: 'wrong_state' });
      await calls.decide(admin, 'mine', 'rejected');
      expect((await put('mine', provider, newOffer('mine'))).status).toBe(409);
    });
  });

  describe('a request whose body is the response to an earlier request', () => {
    it("updates the provider's fields and ignores server-managed ones (status, provider, counts)", async () => {
      await calls.register(provider, newOffer('back'));
      const offer = (await get('back', provider)).json as object;
      const put = (json: object) => exchange.call('PUT', '/api/v2/offer/back', { token: provider.token, json });
      expect((await put(offer)).json).toEqual({ ...offer, edition: 2 });
      const changes = {
        title: 'Changed',
        status: 'approved',
        provider: otherProvider.userId,
        edition: 90,
        counts: { claimed: 3, confirmed: 3 },
        created: 0,
        providerName: 'x',
      };
      expect((await put({ ...offer, ...changes })).json).toEqual({ ...offer, title: 'Changed', edition: 3 });
      expect((await get('back')).status).toBe(404);
      expect((await put({ ...offer, state: 'approved' })).json).toMatchObject({ error: 'invalid_input' });

      const copy = { ...offer, offerId: 'backagain', status: 'approved' };
      const registration = await calls.register(provider, copy);
      expect([registration.status, registration.json]).toMatchObject([201, { status: 'draft', edition: 1 }]);
      // Ignored fields do not count towards the maximum size.
      const longOffer = { ...offer, offerId: 'backlong', counts: 'x'.repeat(60_000) };
      expect((await calls.register(provider, longOffer)).status).toBe(201);
    });
  });

  describe('listing', () => {
    it('returns each Offer once across pages, newest first', async () => {
      const allIds = await list('', admin);
      expect(allIds.length).toBeGreaterThan(5);
      const pages: string[] = [];
      for (let cursorQuery = ''; ; cursorQuery = `&after=${pages.at(-1)}`) {
        const page = await list(`?take=2${cursorQuery}`, admin);
        pages.push(...page);
        if (page.length < 2) break;
      }
      expect(pages).toEqual(allIds);
      expect(await list('?skip=2&take=3', admin)).toEqual(allIds.slice(2, 5));

      exchange.clock.advance(1);
      await calls.register(provider, newOffer('newest'));
      expect((await list('', admin))[0]).toBe('newest');
      expect(await list('?status=draft', provider)).toContain('newest');
      expect(await list('?status=approved', provider)).not.toContain('newest');
      expect((await exchange.call('GET', '/api/v2/offers?take=1001')).status).toBe(400);
    });

    it('omits expired Offers, except for their provider and administrators; they can still be read by id', async () => {
      await calls.publish(provider, admin, newOffer('short', { expires: exchange.clock.now() + 1000 }));
      await calls.publish(provider, admin, newOffer('later', { starts: NOW + DAY_MS, expires: NOW + 2 * DAY_MS }));
      expect(await list()).toEqual(expect.arrayContaining(['short', 'later']));
      // The list is cached for up to a minute.
      exchange.clock.advance(60_000);
      expect(await list()).not.toContain('short');
      expect(await list('', otherProvider)).not.toContain('short');
      expect(await list('', provider)).toContain('short');
      expect(await list('', admin)).toContain('short');
      expect((await get('short')).status).toBe(200);
    });
  });
});
