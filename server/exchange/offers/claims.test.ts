import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passwordMatches } from '../../platform/password.ts';
import { verifyPdaToken } from '../../platform/pda-proof.ts';
import { onBothDatabases } from '../../platform/postgres/postgres.test-support.ts';
import { startTestExchange, type KnownPda, type TestAccount, type TestExchange } from '../exchange.test-support.ts';
import { DAY, HOUR, newOffer, offerCalls } from './offers.test-support.ts';

type Claims = {
  count: number;
  claimed: number;
  credentials: { login: string };
  claims: {
    user: { address: string };
    confirmed: boolean;
    dataDebitId: string;
    credentials: { login: string; passwordPlain: string; passwordHash: string };
  }[];
};

onBothDatabases('claims of an Offer', (database) => {
  let exchange: TestExchange;
  let calls: ReturnType<typeof offerCalls>;
  let provider: TestAccount;
  let admin: TestAccount;
  let pdas: KnownPda[];

  beforeAll(async () => {
    exchange = await startTestExchange({ database: await database.fresh() });
    calls = offerCalls(exchange);
    provider = await exchange.account(['marketPlace']);
    admin = await exchange.account(['administrator']);
    pdas = [];
    for (let number = 0; number < 5; number += 1) pdas.push(await exchange.knownPda());
  });
  afterAll(() => exchange.close());

  const pda = (number: number): KnownPda => {
    const found = pdas[number];
    if (found === undefined) throw new Error('no such PDA');
    return found;
  };
  const open = async (offerId: string, change: object = {}): Promise<string> => {
    const now = exchange.clock.now();
    await calls.approved(provider, admin, newOffer(offerId, { starts: now - HOUR, expires: now + DAY, ...change }));
    return offerId;
  };
  const seen = async (offerId: string, query = '', by = provider): Promise<Claims> => {
    const answer = await exchange.call('GET', `/api/v2/offer/${offerId}/claims${query}`, { token: by.token });
    expect(answer.status, answer.text).toBe(200);
    return answer.json as Claims;
  };
  const statusOf = async (offerId: string): Promise<string> =>
    ((await exchange.call('GET', `/api/v2/offer/${offerId}`)).json as { status: string }).status;

  describe('made by a PDA', () => {
    it('names the PDA, a Data Debit of its own and the account to let in, and stays the same', async () => {
      await open('first');
      const answer = await calls.claim(pda(0), 'first');
      expect(answer.status, answer.text).toBe(200);
      expect(answer.json).toMatchObject({
        claim: {
          offerId: 'first',
          user: { address: pda(0).address, publicKey: pda(0).publicKey },
          relationship: 'claim',
          confirmed: false,
          dateCreated: exchange.clock.now(),
        },
        offer: { offerId: 'first', status: 'approved' },
        credentials: { login: 'offer-first' },
      });
      const { claim } = await calls.claimed(pda(0), 'first');
      expect(claim.dataDebitId).toMatch(/^offer-first-[\w-]{12}$/u);
      exchange.clock.advance(HOUR);
      expect((await calls.claim(pda(0), 'first')).json).toEqual(answer.json);
      const other = await calls.claimed(pda(1), 'first');
      expect(other.claim.dataDebitId).not.toBe(claim.dataDebitId);
      expect(await calls.counted('first')).toMatchObject({ taken: 2, claims: 2, perShard: true });
      const known = await exchange.call('GET', '/api/pdas/self', { token: await pda(0).token() });
      expect(known.json).toMatchObject({
        claims: [{ offerId: 'first', title: 'About first', confirmed: false, dataDebitId: claim.dataDebitId }],
      });
    });

    it('is refused to whoever is no PDA, and where there is nothing to claim', async () => {
      await open('refuse');
      await calls.register(provider, newOffer('hidden'));
      await open('gone');
      await calls.decide(admin, 'gone', 'rejected');
      expect((await exchange.call('GET', '/api/v2/offer/refuse/claim')).status).toBe(401);
      for (const { token } of [provider, admin])
        expect((await exchange.call('GET', '/api/v2/offer/refuse/claim', { token })).status).toBe(403);
      for (const unknown of ['nothing', 'hidden', 'gone'])
        expect((await calls.claim(pda(0), unknown)).json).toMatchObject({ error: 'not_found' });
      expect((await calls.counted('refuse')).taken).toBe(0);
    });

    it('is possible from the start to the end, and no longer when it is full', async () => {
      const now = exchange.clock.now();
      await open('timed', { starts: now + 1000, expires: now + 3000, requiredMinUser: 0, requiredMaxUser: 2 });
      const refused = async (why: RegExp): Promise<void> => {
        const { status, json } = await calls.claim(pda(2), 'timed');
        expect(status).toBe(409);
        expect(json).toMatchObject({ error: 'wrong_state', cause: expect.stringMatching(why) });
      };
      exchange.clock.set(now + 999);
      await refused(/can be claimed from/u);
      exchange.clock.set(now + 1000);
      expect((await calls.claimed(pda(0), 'timed')).offer.status).toBe('satisfied');
      expect((await calls.claimed(pda(1), 'timed')).offer.status).toBe('oversubscribed');
      expect(await statusOf('timed')).toBe('oversubscribed');
      await refused(/full/u);
      exchange.clock.set(now + 3000);
      await refused(/expired/u);
      // What was claimed in time stays claimed.
      expect((await calls.claim(pda(0), 'timed')).status).toBe(200);
    });

    it('comes to nothing when the Offer is withdrawn', async () => {
      await open('withdrawn');
      await calls.claimed(pda(0), 'withdrawn');
      await calls.decide(admin, 'withdrawn', 'rejected');
      expect((await calls.claim(pda(0), 'withdrawn')).json).toMatchObject({ error: 'wrong_state' });
      const claims = await exchange.call('GET', '/api/v2/offer/withdrawn/claims', { token: provider.token });
      expect(claims.status).toBe(409);
    });
  });

  describe('confirmed by what the PDA reports', () => {
    it('until it reports otherwise; what is older changes nothing, however late it comes', async () => {
      await open('order');
      const { claim } = await calls.claimed(pda(0), 'order');
      const { pdaId } = pda(0);
      const now = exchange.clock.now();
      const confirmed = async (): Promise<boolean> => {
        const sums = await calls.counted('order');
        expect(sums).toMatchObject({ confirmed: sums.confirmedClaims, perShard: true });
        return (await calls.claimed(pda(0), 'order')).claim.confirmed;
      };
      for (const [enabled, time, outcome] of [
        [true, now - 50, true],
        [true, now - 49, true],
        [false, now - 51, true],
        [false, now - 40, false],
        [true, now - 45, false],
        // Within the same millisecond the later report counts.
        [true, now - 40, true],
        // A clock that is ahead: as of now.
        [true, now + DAY, true],
        [false, now, false],
      ] as const) {
        await calls.report(pdaId, claim.dataDebitId, enabled, time);
        expect(await confirmed(), `${enabled} at ${time - now}`).toBe(outcome);
      }
    });

    it('by no other PDA, and by no other Data Debit', async () => {
      await open('others');
      const { claim } = await calls.claimed(pda(0), 'others');
      const now = exchange.clock.now();
      await calls.report(pda(1).pdaId, claim.dataDebitId, true, now);
      await calls.report(pda(0).pdaId, 'app-others', true, now);
      await calls.report(pda(0).pdaId, `${claim.dataDebitId}x`, true, now);
      expect((await calls.counted('others')).confirmed).toBe(0);
    });
  });

  describe('to the provider', () => {
    it('are shown once enough are confirmed, each with a password of its own that its PDA will know', async () => {
      await open('enough', { requiredMinUser: 2, requiredMaxUser: 4 });
      const own = [await calls.claimed(pda(0), 'enough'), await calls.claimed(pda(1), 'enough')] as const;
      await calls.claimed(pda(2), 'enough');
      const now = exchange.clock.now();
      await calls.report(pda(0).pdaId, own[0].claim.dataDebitId, true, now);
      expect(await seen('enough')).toMatchObject({ count: 1, claimed: 3, claims: [] });
      expect(await statusOf('enough')).toBe('approved');

      await calls.report(pda(1).pdaId, own[1].claim.dataDebitId, true, now);
      expect(await statusOf('enough')).toBe('satisfied');
      const all = await seen('enough');
      expect(all).toMatchObject({ count: 2, claimed: 3, credentials: { login: 'offer-enough' } });
      expect(all.claims.map(({ user }) => user.address).toSorted()).toEqual(
        [pda(0).address, pda(1).address].toSorted(),
      );
      for (const { credentials, dataDebitId } of all.claims) {
        const its = own.find(({ claim }) => claim.dataDebitId === dataDebitId);
        expect(credentials).toMatchObject({ login: 'offer-enough', passwordHash: its?.credentials.passwordHash });
        expect(credentials.passwordPlain).toMatch(/^[\w-]{43}$/u);
        expect(await passwordMatches(its?.credentials.passwordHash ?? '', credentials.passwordPlain)).toBe(true);
      }
      expect(new Set(all.claims.map(({ credentials }) => credentials.passwordPlain)).size).toBe(2);

      await calls.report(pda(1).pdaId, own[1].claim.dataDebitId, false, now);
      expect(await seen('enough')).toMatchObject({ count: 1, claims: [] });
    });

    it('and to nobody else', async () => {
      await open('private');
      const path = '/api/v2/offer/private/claims';
      const stranger = await exchange.account(['marketPlace']);
      const developer = await exchange.account(['developer']);
      expect((await exchange.call('GET', path)).status).toBe(401);
      for (const token of [stranger.token, admin.token, developer.token, await pda(0).token()])
        expect((await exchange.call('GET', path, { token })).status).toBe(403);
      await calls.register(provider, newOffer('secret'));
      const early = (token: string) => exchange.call('GET', '/api/v2/offer/secret/claims', { token });
      expect((await early(provider.token)).status).toBe(409);
      expect((await early(stranger.token)).status).toBe(404);
    });

    it('come all of them or page by page, each once', async () => {
      await open('many', { requiredMaxUser: 100_000 });
      await calls.fill('many', 1100);
      const all = await seen('many');
      expect(all.count).toBe(1100);
      expect(new Set(all.claims.map(({ dataDebitId }) => dataDebitId)).size).toBe(1100);
      const pages = [
        await seen('many', '?take=600'),
        await seen('many', '?skip=600&take=500'),
        await seen('many', '?skip=1100'),
      ];
      expect(pages.map(({ claims }) => claims.length)).toEqual([600, 500, 0]);
      expect(pages.flatMap(({ claims }) => claims)).toEqual(all.claims);
      expect((await seen('many', '?take=0')).claims).toEqual([]);
    });

    it('come no more once the Offer is rejected, however slowly they are read', async () => {
      const pieces = await calls.stream('many', provider);
      for (let read = 0; read < 400; read += 1) await pieces.next();
      await calls.decide(admin, 'many', 'rejected');
      let more = 0;
      const rest = async (): Promise<void> => {
        for await (const piece of pieces) more += piece.length > 3 ? 1 : 0;
      };
      await expect(rest()).rejects.toMatchObject({ code: 'wrong_state' });
      expect(more).toBeLessThan(110);
    });
  });

  describe('registered by the provider', () => {
    const registerClaim = (offerId: string, address: string, token: string) =>
      exchange.call('PUT', `/api/v2/offer/${offerId}/registerClaim?pda=${encodeURIComponent(address)}`, { token });

    it('is the one claim of that PDA, which is told by a token of the exchange', async () => {
      await open('told');
      const far = await exchange.standIn({ name: 'told' });
      expect((await far.register()).status).toBe(200);
      far.calls.length = 0;
      const answer = await registerClaim('told', far.url, provider.token);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.json).toMatchObject({ offerId: 'told', user: { address: far.address }, confirmed: false });
      expect(far.calls).toMatchObject([
        { method: 'POST', path: '/api/v2.6/exchange/claims', json: { offerId: 'told' } },
      ]);
      const said = await verifyPdaToken(far.calls[0]?.token ?? '', await exchange.exchange.accounts.publicKey(), {
        resource: far.address,
        accessScope: 'exchange',
        clock: exchange.clock,
      });
      expect(said).toMatchObject({ iss: exchange.host });

      const { claim } = await calls.claimed(far, 'told');
      expect(answer.json).toEqual(claim);
      expect((await registerClaim('told', far.address, provider.token)).json).toEqual(claim);
      expect(await calls.counted('told')).toMatchObject({ taken: 1, claims: 1 });
      // What is confirmed needs no more telling.
      const known = await exchange.exchange.database.read((db) => exchange.exchange.pdas.findAt(db, far.address));
      await calls.report(known?.pdaId ?? '', claim.dataDebitId, true, exchange.clock.now());
      expect((await registerClaim('told', far.address, provider.token)).json).toMatchObject({ confirmed: true });
      expect(far.calls.length).toBe(2);
    });

    it('holds as well when the PDA cannot be reached, or does not want to hear of it', async () => {
      await open('deaf');
      const gone = await exchange.standIn();
      const deaf = await exchange.standIn();
      for (const far of [gone, deaf]) expect((await far.register()).status).toBe(200);
      await gone.close();
      deaf.answer = (_, response) => {
        response.statusCode = 404;
        response.end();
        return true;
      };
      for (const far of [gone, deaf])
        expect((await registerClaim('deaf', far.address, provider.token)).json).toMatchObject({ confirmed: false });
      expect((await calls.counted('deaf')).taken).toBe(2);
    });

    it('is for the owner of an Offer that can be claimed, and for PDAs that are registered', async () => {
      await open('own', { requiredMaxUser: 1 });
      await calls.register(provider, newOffer('early'));
      const stranger = await exchange.account(['marketPlace']);
      const { address } = pda(0);
      expect((await exchange.call('PUT', `/api/v2/offer/own/registerClaim?pda=${address}`)).status).toBe(401);
      expect((await exchange.call('PUT', '/api/v2/offer/own/registerClaim', { token: provider.token })).status).toBe(
        400,
      );
      for (const token of [stranger.token, admin.token, await pda(0).token()])
        expect((await registerClaim('own', address, token)).status).toBe(403);
      expect((await registerClaim('own', 'unknown.example.org', provider.token)).status).toBe(404);
      expect((await registerClaim('nothing', address, provider.token)).status).toBe(404);
      expect((await registerClaim('early', address, provider.token)).status).toBe(409);
      expect((await registerClaim('own', 'not an address', provider.token)).status).toBe(400);
      await calls.claimed(pda(1), 'own');
      expect((await registerClaim('own', address, provider.token)).json).toMatchObject({ error: 'wrong_state' });
    });
  });

  it('go with a PDA that leaves, and their places are free again', async () => {
    await open('leave', { requiredMinUser: 0, requiredMaxUser: 1 });
    await open('stay', { requiredMaxUser: 1 });
    const leaving = await exchange.knownPda();
    const { claim } = await calls.claimed(leaving, 'leave');
    await calls.report(leaving.pdaId, claim.dataDebitId, true, exchange.clock.now());
    await calls.claimed(leaving, 'stay');
    expect((await calls.claim(pda(3), 'leave')).status).toBe(409);
    expect((await calls.leave(leaving)).status).toBeLessThan(300);
    expect(await calls.counted('leave')).toMatchObject({ taken: 0, confirmed: 0, claims: 0 });
    expect(await calls.counted('stay')).toMatchObject({ taken: 0, claims: 0 });
    expect((await calls.claim(leaving, 'leave')).status).toBe(401);
    expect((await calls.claim(pda(3), 'leave')).status).toBe(200);
  });
});
