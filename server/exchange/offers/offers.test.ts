import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onBothDatabases } from '../../platform/postgres/postgres.test-support.ts';
import { startTestExchange, type KnownPda, type TestAccount, type TestExchange } from '../exchange.test-support.ts';
import { DAY, newOffer, NOW, offerCalls } from './offers.test-support.ts';

onBothDatabases('Offers', (database) => {
  let exchange: TestExchange;
  let calls: ReturnType<typeof offerCalls>;
  let provider: TestAccount;
  let stranger: TestAccount;
  let admin: TestAccount;
  let pda: KnownPda;

  beforeAll(async () => {
    exchange = await startTestExchange({ database: await database.fresh() });
    calls = offerCalls(exchange);
    provider = await exchange.account(['marketPlace'], 'shop');
    stranger = await exchange.account(['marketPlace', 'developer']);
    admin = await exchange.account(['administrator']);
    pda = await exchange.knownPda();
  });
  afterAll(() => exchange.close());

  const get = (id: string, by?: TestAccount) =>
    exchange.call('GET', `/api/v2/offer/${id}`, by === undefined ? {} : { token: by.token });
  const list = async (query = '', by?: TestAccount): Promise<string[]> => {
    const answer = await exchange.call('GET', `/api/v2/offers${query}`, by === undefined ? {} : { token: by.token });
    expect(answer.status, answer.text).toBe(200);
    return (answer.json as { offerId: string }[]).map(({ offerId }) => offerId);
  };

  describe('registering', () => {
    it('makes a draft that its owner and administrators alone know of', async () => {
      const answer = await calls.register(provider, newOffer('walk', { termsUrl: 'https://shop.example/terms' }));
      expect(answer.status).toBe(201);
      expect(answer.json).toEqual({
        ...newOffer('walk'),
        termsUrl: 'https://shop.example/terms',
        created: NOW,
        edition: 1,
        provider: provider.userId,
        providerName: 'shop',
        status: 'draft',
        counts: { claimed: 0, confirmed: 0 },
      });
      expect((await get('walk', provider)).json).toEqual(answer.json);
      expect((await get('walk', admin)).status).toBe(200);
      for (const outsider of [undefined, stranger]) {
        expect((await get('walk', outsider)).json).toMatchObject({ error: 'not_found' });
        expect(await list('', outsider)).not.toContain('walk');
      }
      expect(await list('', provider)).toContain('walk');
      expect(await calls.audited('offer.registered', 'walk')).toBe(1);
    });

    it('takes none that no PDA could take, and not more than somebody can look at', async () => {
      const property = { endpoints: [{ endpoint: 'fitness/steps' }] };
      const bundle = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${n}${'y'.repeat(490)}`, property]));
      const large = { requiredData: { name: 'large', bundle } };
      expect((await calls.register(stranger, newOffer('large', large))).json).toMatchObject({ error: 'too_large' });
      await calls.register(stranger, newOffer('grows'));
      const grown = await exchange.call('PUT', '/api/v2/offer/grows', {
        token: stranger.token,
        json: newOffer('grows', large),
      });
      expect(grown.json).toMatchObject({ error: 'too_large' });
      await exchange.exchange.database.read((db) =>
        sql`INSERT INTO offers (id, provider, provider_name, created, edition, title, description, starts, expires,
          collection_ms, required_data, required_min, required_max, state)
          SELECT 'many' || n, provider, provider_name, created, edition, title, description, starts, expires,
          collection_ms, required_data, required_min, required_max, state
          FROM offers, generate_series(1, 199) AS n WHERE id = 'grows'`.execute(db),
      );
      const over = await calls.register(stranger, newOffer('beyond'));
      expect([over.status, over.json]).toMatchObject([409, { error: 'wrong_state' }]);
      await calls.decide(admin, 'many1', 'rejected');
      expect((await calls.register(stranger, newOffer('beyond'))).status).toBe(201);
      await exchange.exchange.database.read((db) => sql`DELETE FROM offers WHERE id LIKE 'many%'`.execute(db));
    });

    it('takes ids with hyphens, and refuses other punctuation', async () => {
      const made = await calls.register(provider, newOffer('long-walks-2026'));
      expect(made.status, made.text).toBe(201);
      expect((await get('long-walks-2026', provider)).json).toMatchObject({ offerId: 'long-walks-2026' });
      for (const offerId of ['long_walks', 'long.walks', 'long walks'])
        expect((await calls.register(provider, newOffer(offerId))).status, offerId).toBe(400);
    });

    it('takes an id once', async () => {
      await calls.register(provider, newOffer('once'));
      const again = await calls.register(stranger, newOffer('once', { title: 'mine' }));
      expect(again.json).toMatchObject({ error: 'already_exists' });
      expect(again.status).toBe(400);
      expect((await get('once', provider)).json).toMatchObject({ title: 'About once' });
    });

    it('needs the role marketPlace', async () => {
      const developer = await exchange.account(['developer', 'dataPlug', 'management']);
      const json = newOffer('none');
      expect((await exchange.call('POST', '/api/v2/offer', { json })).status).toBe(401);
      expect((await calls.register(developer, json)).status).toBe(403);
      expect((await exchange.call('POST', '/api/v2/offer', { json, token: await pda.token() })).status).toBe(403);
    });

    it('reads its times in any form of ISO 8601, and answers in Unix milliseconds', async () => {
      const times = { starts: '2026-11-01T00:00:00+0100', expires: '2026-12-01' };
      const json = { ...newOffer('dated'), ...times };
      const answer = await exchange.call('POST', '/api/v2/offer', { json, token: provider.token });
      expect(answer.json).toMatchObject({ starts: 1_793_487_600_000, expires: 1_796_083_200_000 });
      const refused = await exchange.call('POST', '/api/v2/offer', {
        json: { ...newOffer('undated'), starts: 'soon' },
        token: provider.token,
      });
      const problem = 'an ISO 8601 date and time such as 2026-01-31T09:30:00Z, or Unix milliseconds';
      expect(refused.json).toMatchObject({ cause: `body.starts: ${problem}` });
      expect(refused.json).toMatchObject({ details: [{ path: 'body.starts', problem }] });
    });

    it('refuses what could never be claimed, and what is no Offer', async () => {
      for (const wrong of [
        { expires: NOW - DAY },
        { requiredMinUser: 4 },
        { requiredMaxUser: 0, requiredMinUser: 0 },
        { offerId: 'with space' },
        { requiredData: { name: 'x', bundle: {} } },
        { state: 'approved' },
      ])
        expect((await calls.register(provider, newOffer('wrong', wrong))).json).toMatchObject({
          error: 'invalid_input',
        });
    });
  });

  describe('deciding', () => {
    it('is for administrators, and written down once', async () => {
      await calls.register(provider, newOffer('decide'));
      expect((await exchange.call('PUT', '/api/v2/offer/decide?status=approved')).status).toBe(401);
      expect((await calls.decide(provider, 'decide', 'approved')).status).toBe(403);
      expect((await calls.decide(admin, 'decide', 'satisfied')).status).toBe(400);
      expect((await calls.decide(admin, 'unknown', 'approved')).status).toBe(404);
      for (let time = 0; time < 2; time += 1)
        expect((await calls.decide(admin, 'decide', 'approved')).json).toMatchObject({ status: 'approved' });
      expect(await calls.audited('offer.approved', 'decide')).toBe(1);
      expect((await get('decide')).status).toBe(200);
      // How many have claimed it is for its owner and administrators.
      expect((await get('decide', stranger)).json).not.toHaveProperty('counts');
      expect((await get('decide', admin)).json).toMatchObject({ counts: { claimed: 0 } });
      expect(await list()).toContain('decide');
    });

    it('can be taken back, and turned again', async () => {
      await calls.approved(provider, admin, newOffer('turn'));
      expect((await calls.decide(admin, 'turn', 'rejected')).json).toMatchObject({ status: 'rejected' });
      expect((await get('turn')).status).toBe(404);
      expect((await get('turn', provider)).json).toMatchObject({ status: 'rejected' });
      expect((await calls.decide(admin, 'turn', 'approved')).status).toBe(200);
      expect((await calls.counted('turn')).quota).toBe(3);
    });

    it('approves nothing that is over, and nothing that changed after it was looked at', async () => {
      await calls.register(provider, newOffer('over', { starts: NOW - 2 * DAY, expires: NOW }));
      expect((await calls.decide(admin, 'over', 'approved')).json).toMatchObject({ error: 'wrong_state' });

      await calls.register(provider, newOffer('bait'));
      const worse = newOffer('bait', { title: 'switch', requiredMaxUser: 7 });
      const change = await exchange.call('PUT', '/api/v2/offer/bait', { token: provider.token, json: worse });
      expect(change.json).toMatchObject({ title: 'switch', edition: 2, status: 'draft' });
      const seen = (edition: number) =>
        exchange.call('PUT', `/api/v2/offer/bait?status=approved&edition=${edition}`, { token: admin.token });
      expect((await seen(1)).json).toMatchObject({ error: 'wrong_state' });
      expect((await get('bait')).status).toBe(404);
      expect((await seen(2)).status).toBe(200);
      expect((await calls.counted('bait')).quota).toBe(7);
    });
  });

  describe('changing', () => {
    const put = (id: string, by: TestAccount, json?: object) =>
      exchange.call('PUT', `/api/v2/offer/${id}`, { token: by.token, ...(json === undefined ? {} : { json }) });

    it('is for the owner, as long as it is a draft', async () => {
      await calls.register(provider, newOffer('mine'));
      expect((await put('mine', stranger, newOffer('mine'))).status).toBe(404);
      expect((await put('mine', admin, newOffer('mine'))).status).toBe(403);
      expect((await put('mine', provider, newOffer('other'))).status).toBe(400);
      expect((await put('mine', provider)).json).toMatchObject({ error: 'invalid_input' });
      const both = { token: admin.token, json: newOffer('mine') };
      expect((await exchange.call('PUT', '/api/v2/offer/mine?status=approved', both)).status).toBe(400);

      await calls.decide(admin, 'mine', 'approved');
      expect((await put('mine', stranger, newOffer('mine'))).status).toBe(403);
      expect((await put('mine', provider, newOffer('mine'))).json).toMatchObject({ error: 'wrong_state' });
      await calls.decide(admin, 'mine', 'rejected');
      expect((await put('mine', provider, newOffer('mine'))).status).toBe(409);
    });
  });

  describe('sending back what was read', () => {
    it('changes what its provider decides, and no verdict, provider or count', async () => {
      await calls.register(provider, newOffer('back'));
      const read = (await get('back', provider)).json as object;
      const put = (json: object) => exchange.call('PUT', '/api/v2/offer/back', { token: provider.token, json });
      expect((await put(read)).json).toEqual({ ...read, edition: 2 });
      const more = {
        title: 'Anew',
        status: 'approved',
        provider: stranger.userId,
        edition: 90,
        counts: { claimed: 3, confirmed: 3 },
        created: 0,
        providerName: 'x',
      };
      expect((await put({ ...read, ...more })).json).toEqual({ ...read, title: 'Anew', edition: 3 });
      expect((await get('back')).status).toBe(404);
      expect((await put({ ...read, state: 'approved' })).json).toMatchObject({ error: 'invalid_input' });

      const sent = { ...read, offerId: 'backagain', status: 'approved' };
      const copied = await calls.register(provider, sent);
      expect([copied.status, copied.json]).toMatchObject([201, { status: 'draft', edition: 1 }]);
      // What is not read does not count either.
      const long = { ...read, offerId: 'backlong', counts: 'x'.repeat(60_000) };
      expect((await calls.register(provider, long)).status).toBe(201);
    });
  });

  describe('listing', () => {
    it('shows the newest first, page by page, each Offer once', async () => {
      const all = await list('', admin);
      expect(all.length).toBeGreaterThan(5);
      const pages: string[] = [];
      for (let after = ''; ; after = `&after=${pages.at(-1)}`) {
        const page = await list(`?take=2${after}`, admin);
        pages.push(...page);
        if (page.length < 2) break;
      }
      expect(pages).toEqual(all);
      expect(await list('?skip=2&take=3', admin)).toEqual(all.slice(2, 5));

      exchange.clock.advance(1);
      await calls.register(provider, newOffer('newest'));
      expect((await list('', admin))[0]).toBe('newest');
      expect(await list('?status=draft', provider)).toContain('newest');
      expect(await list('?status=approved', provider)).not.toContain('newest');
      expect((await exchange.call('GET', '/api/v2/offers?take=1001')).status).toBe(400);
    });

    it('leaves out what is over, which its owner and whoever has its id still find', async () => {
      await calls.approved(provider, admin, newOffer('short', { expires: exchange.clock.now() + 1000 }));
      await calls.approved(provider, admin, newOffer('later', { starts: NOW + DAY, expires: NOW + 2 * DAY }));
      expect(await list()).toEqual(expect.arrayContaining(['short', 'later']));
      exchange.clock.advance(1000);
      expect(await list()).not.toContain('short');
      expect(await list('', stranger)).not.toContain('short');
      expect(await list('', provider)).toContain('short');
      expect(await list('', admin)).toContain('short');
      expect((await get('short')).status).toBe(200);
    });
  });
});
