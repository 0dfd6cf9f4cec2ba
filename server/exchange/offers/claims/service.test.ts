import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passwordMatches } from '../../../platform/auth/password.ts';
import { verifyPdaToken } from '../../../platform/auth/pda-token.ts';
import { describeOnDatabases } from '../../../platform/postgres/database.test-support.ts';
import {
  PASSWORD,
  startTestExchange,
  type RegisteredTestPda,
  type TestAccount,
  type TestExchange,
} from '../../exchange.test-support.ts';
import { createOfferCalls, DAY_MS, HOUR_MS, newOffer } from '../offers.test-support.ts';

type ClaimsReply = {
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

describeOnDatabases('claims of an Offer', (database) => {
  let exchange: TestExchange;
  let calls: ReturnType<typeof createOfferCalls>;
  let provider: TestAccount;
  let admin: TestAccount;
  let pdas: RegisteredTestPda[];

  beforeAll(async () => {
    exchange = await startTestExchange({ database: await database.createDatabase() });
    calls = createOfferCalls(exchange);
    provider = await exchange.createAccount(['marketPlace']);
    admin = await exchange.createAccount(['administrator']);
    pdas = [];
    for (let number = 0; number < 5; number += 1) pdas.push(await exchange.insertRegisteredPda());
  });
  afterAll(() => exchange.close());

  const pda = (number: number): RegisteredTestPda => {
    const registeredPda = pdas[number];
    if (registeredPda === undefined) throw new Error(`no PDA ${number}`);
    return registeredPda;
  };
  const publishOffer = async (offerId: string, changes: object = {}): Promise<string> => {
    const now = exchange.clock.now();
    await calls.publish(
      provider,
      admin,
      newOffer(offerId, { starts: now - HOUR_MS, expires: now + DAY_MS, ...changes }),
    );
    return offerId;
  };
  const listClaims = async (offerId: string, query = ''): Promise<ClaimsReply> => {
    const response = await exchange.call('GET', `/api/v2/offer/${offerId}/claims${query}`, { token: provider.token });
    expect(response.status, response.text).toBe(200);
    return response.json as ClaimsReply;
  };
  const statusOf = async (offerId: string): Promise<string> =>
    ((await exchange.call('GET', `/api/v2/offer/${offerId}`)).json as { status: string }).status;

  describe('by a PDA', () => {
    it('contain the PDA, a unique Data Debit key and credentials, and are stable', async () => {
      await publishOffer('first');
      const response = await calls.claim(pda(0), 'first');
      expect(response.status, response.text).toBe(200);
      expect(response.json).toMatchObject({
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
      const { claim } = await calls.claimOrThrow(pda(0), 'first');
      expect(claim.dataDebitId).toMatch(/^offer-first-[\w-]{12}$/u);
      exchange.clock.advance(HOUR_MS);
      expect((await calls.claim(pda(0), 'first')).json).toEqual(response.json);
      const otherClaim = await calls.claimOrThrow(pda(1), 'first');
      expect(otherClaim.claim.dataDebitId).not.toBe(claim.dataDebitId);
      expect(await calls.countClaims('first')).toMatchObject({ taken: 2, claims: 2, isConsistentPerShard: true });
      const self = await exchange.call('GET', '/api/pdas/self', { token: await pda(0).token() });
      expect(self.json).toMatchObject({
        claims: [{ offerId: 'first', title: 'About first', confirmed: false, dataDebitId: claim.dataDebitId }],
      });
    });

    it('are refused for other principals and for Offers that are not approved', async () => {
      await publishOffer('refuse');
      await calls.register(provider, newOffer('hidden'));
      await publishOffer('gone');
      await calls.decide(admin, 'gone', 'rejected');
      expect((await exchange.call('GET', '/api/v2/offer/refuse/claim')).status).toBe(401);
      for (const { token } of [provider, admin])
        expect((await exchange.call('GET', '/api/v2/offer/refuse/claim', { token })).status).toBe(403);
      for (const unknown of ['nothing', 'hidden', 'gone'])
        expect((await calls.claim(pda(0), unknown)).json).toMatchObject({ error: 'not_found' });
      expect((await calls.countClaims('refuse')).taken).toBe(0);
    });

    it('are possible from the start to the expiry of the Offer and until it is full', async () => {
      const now = exchange.clock.now();
      await publishOffer('timed', { starts: now + 1000, expires: now + 3000, requiredMinUser: 0, requiredMaxUser: 2 });
      const expectRefused = async (cause: RegExp): Promise<void> => {
        const { status, json } = await calls.claim(pda(2), 'timed');
        expect(status).toBe(409);
        expect(json).toMatchObject({ error: 'wrong_state', cause: expect.stringMatching(cause) });
      };
      exchange.clock.set(now + 999);
      await expectRefused(/can be claimed from/u);
      exchange.clock.set(now + 1000);
      expect((await calls.claimOrThrow(pda(0), 'timed')).offer.status).toBe('satisfied');
      expect((await calls.claimOrThrow(pda(1), 'timed')).offer.status).toBe('oversubscribed');
      expect(await statusOf('timed')).toBe('oversubscribed');
      await expectRefused(/full/u);
      exchange.clock.set(now + 3000);
      await expectRefused(/expired/u);
      // An existing claim remains valid.
      expect((await calls.claim(pda(0), 'timed')).status).toBe(200);
    });

    it('are refused after the Offer has been withdrawn', async () => {
      await publishOffer('withdrawn');
      await calls.claimOrThrow(pda(0), 'withdrawn');
      await calls.decide(admin, 'withdrawn', 'rejected');
      expect((await calls.claim(pda(0), 'withdrawn')).json).toMatchObject({ error: 'wrong_state' });
      const claims = await exchange.call('GET', '/api/v2/offer/withdrawn/claims', { token: provider.token });
      expect(claims.status).toBe(409);
    });
  });

  describe('confirmed by reports of the PDA', () => {
    it('follow the newest report and ignore older ones that arrive late', async () => {
      await publishOffer('order');
      const { claim } = await calls.claimOrThrow(pda(0), 'order');
      const { pdaId } = pda(0);
      const now = exchange.clock.now();
      const isConfirmed = async (): Promise<boolean> => {
        const sums = await calls.countClaims('order');
        expect(sums).toMatchObject({ confirmed: sums.confirmedClaims, isConsistentPerShard: true });
        return (await calls.claimOrThrow(pda(0), 'order')).claim.confirmed;
      };
      for (const [enabled, time, outcome] of [
        [true, now - 50, true],
        [true, now - 49, true],
        [false, now - 51, true],
        [false, now - 40, false],
        [true, now - 45, false],
        // Of two reports with the same time, the later arrival counts.
        [true, now - 40, true],
        // A time in the future counts as the current time.
        [true, now + DAY_MS, true],
        [false, now, false],
      ] as const) {
        await calls.report(pdaId, claim.dataDebitId, enabled, time);
        expect(await isConfirmed(), `${enabled} at ${time - now}`).toBe(outcome);
      }
    });

    it('ignore reports from a different PDA or about a different Data Debit', async () => {
      await publishOffer('others');
      const { claim } = await calls.claimOrThrow(pda(0), 'others');
      const now = exchange.clock.now();
      await calls.report(pda(1).pdaId, claim.dataDebitId, true, now);
      await calls.report(pda(0).pdaId, 'app-others', true, now);
      await calls.report(pda(0).pdaId, `${claim.dataDebitId}x`, true, now);
      expect((await calls.countClaims('others')).confirmed).toBe(0);
    });
  });

  describe('read by the provider', () => {
    it('are listed once requiredMinUser of them are confirmed, each with its own password that matches the hash sent to the PDA', async () => {
      await publishOffer('enough', { requiredMinUser: 2, requiredMaxUser: 4 });
      const claims = [await calls.claimOrThrow(pda(0), 'enough'), await calls.claimOrThrow(pda(1), 'enough')] as const;
      await calls.claimOrThrow(pda(2), 'enough');
      const now = exchange.clock.now();
      await calls.report(pda(0).pdaId, claims[0].claim.dataDebitId, true, now);
      expect(await listClaims('enough')).toMatchObject({ count: 1, claimed: 3, claims: [] });
      expect(await statusOf('enough')).toBe('approved');

      await calls.report(pda(1).pdaId, claims[1].claim.dataDebitId, true, now);
      expect(await statusOf('enough')).toBe('satisfied');
      const allClaims = await listClaims('enough');
      expect(allClaims).toMatchObject({ count: 2, claimed: 3, credentials: { login: 'offer-enough' } });
      expect(allClaims.claims.map(({ user }) => user.address).toSorted()).toEqual(
        [pda(0).address, pda(1).address].toSorted(),
      );
      for (const { credentials, dataDebitId } of allClaims.claims) {
        const passwordHash = claims.find(({ claim }) => claim.dataDebitId === dataDebitId)?.credentials.passwordHash;
        expect(credentials).toMatchObject({ login: 'offer-enough', passwordHash });
        expect(credentials.passwordPlain).toMatch(/^[\w-]{43}$/u);
        expect(await passwordMatches(passwordHash ?? '', credentials.passwordPlain)).toBe(true);
      }
      expect(new Set(allClaims.claims.map(({ credentials }) => credentials.passwordPlain)).size).toBe(2);

      await calls.report(pda(1).pdaId, claims[1].claim.dataDebitId, false, now);
      expect(await listClaims('enough')).toMatchObject({ count: 1, claims: [] });
    });

    it('are refused to other accounts and PDAs', async () => {
      await publishOffer('private');
      const path = '/api/v2/offer/private/claims';
      const otherProvider = await exchange.createAccount(['marketPlace']);
      const developer = await exchange.createAccount(['developer']);
      expect((await exchange.call('GET', path)).status).toBe(401);
      for (const token of [otherProvider.token, admin.token, developer.token, await pda(0).token()])
        expect((await exchange.call('GET', path, { token })).status).toBe(403);
      await calls.register(provider, newOffer('secret'));
      const listSecret = (token: string) => exchange.call('GET', '/api/v2/offer/secret/claims', { token });
      expect((await listSecret(provider.token)).status).toBe(409);
      expect((await listSecret(otherProvider.token)).status).toBe(404);
    });

    it('are each listed once, in one response or page by page', async () => {
      await publishOffer('many', { requiredMaxUser: 100_000 });
      await calls.fill('many', 1100);
      const allClaims = await listClaims('many');
      expect(allClaims.count).toBe(1100);
      expect(new Set(allClaims.claims.map(({ dataDebitId }) => dataDebitId)).size).toBe(1100);
      const pages = [
        await listClaims('many', '?take=600'),
        await listClaims('many', '?skip=600&take=500'),
        await listClaims('many', '?skip=1100'),
      ];
      expect(pages.map(({ claims }) => claims.length)).toEqual([600, 500, 0]);
      expect(pages.flatMap(({ claims }) => claims)).toEqual(allClaims.claims);
      expect((await listClaims('many', '?take=0')).claims).toEqual([]);
    });

    it('are withheld after the current page if the Offer is rejected or its provider signs out while they are being read', async () => {
      const { userId, name } = provider;
      const signIn = { address: '198.51.100.250', host: exchange.host, local: false };
      const { token } = await exchange.exchange.accounts.signIn(name, PASSWORD, signIn);
      const chunksOfSession = await calls.stream('many', { userId, name, token });
      for (let count = 0; count < 400; count += 1) await chunksOfSession.next();
      await exchange.call('DELETE', '/api/users/access_token', { token });
      const readAll = async (): Promise<void> => {
        while ((await chunksOfSession.next()).done !== true);
      };
      await expect(readAll()).rejects.toMatchObject({ code: 'not_authenticated' });
      const chunks = await calls.stream('many', provider);
      for (let count = 0; count < 400; count += 1) await chunks.next();
      await calls.decide(admin, 'many', 'rejected');
      let claimsAfterRejection = 0;
      const readRest = async (): Promise<void> => {
        for await (const chunk of chunks) claimsAfterRejection += chunk.length > 3 ? 1 : 0;
      };
      await expect(readRest()).rejects.toMatchObject({ code: 'wrong_state' });
      expect(claimsAfterRejection).toBeLessThan(110);
    });
  });

  describe('registered by the provider', () => {
    const registerClaim = (offerId: string, address: string, token: string) =>
      exchange.call('PUT', `/api/v2/offer/${offerId}/registerClaim?pda=${encodeURIComponent(address)}`, { token });

    it('are created once per PDA, which is notified with a token of the exchange', async () => {
      await publishOffer('notified');
      const fakePda = await exchange.startFakePda({ name: 'notified' });
      expect((await fakePda.register()).status).toBe(200);
      fakePda.calls.length = 0;
      const response = await registerClaim('notified', fakePda.url, provider.token);
      expect(response.status, response.text).toBe(200);
      expect(response.json).toMatchObject({
        offerId: 'notified',
        user: { address: fakePda.address },
        confirmed: false,
      });
      expect(fakePda.calls).toMatchObject([
        { method: 'POST', path: '/api/v2.6/exchange/claims', json: { offerId: 'notified' } },
      ]);
      const publicKey = await exchange.exchange.accounts.getPublicKey();
      const tokenClaims = await verifyPdaToken(fakePda.calls[0]?.token ?? '', publicKey, {
        resource: fakePda.address,
        accessScope: 'exchange',
        clock: exchange.clock,
      });
      expect(tokenClaims).toMatchObject({ iss: exchange.host });

      const { claim } = await calls.claimOrThrow(fakePda, 'notified');
      expect(response.json).toEqual(claim);
      expect((await registerClaim('notified', fakePda.address, provider.token)).json).toEqual(claim);
      expect(await calls.countClaims('notified')).toMatchObject({ taken: 1, claims: 1 });
      // A confirmed claim needs no further notification.
      const { database, pdas: pdaService } = exchange.exchange;
      const registration = await database.run((db) => pdaService.findAt(db, fakePda.address));
      await calls.report(registration?.pdaId ?? '', claim.dataDebitId, true, exchange.clock.now());
      expect((await registerClaim('notified', fakePda.address, provider.token)).json).toMatchObject({
        confirmed: true,
      });
      expect(fakePda.calls.length).toBe(2);
    });

    it('are created even if the PDA is unreachable or refuses the notification', async () => {
      await publishOffer('silent');
      const unreachablePda = await exchange.startFakePda();
      const refusingPda = await exchange.startFakePda();
      for (const fakePda of [unreachablePda, refusingPda]) expect((await fakePda.register()).status).toBe(200);
      await unreachablePda.close();
      refusingPda.respond = (_, response) => {
        response.statusCode = 404;
        response.end();
        return true;
      };
      for (const { address } of [unreachablePda, refusingPda])
        expect((await registerClaim('silent', address, provider.token)).json).toMatchObject({ confirmed: false });
      expect((await calls.countClaims('silent')).taken).toBe(2);
    });

    it('are restricted to the provider of an approved Offer and to registered PDAs', async () => {
      await publishOffer('own', { requiredMaxUser: 1 });
      await calls.register(provider, newOffer('early'));
      const otherProvider = await exchange.createAccount(['marketPlace']);
      const { address } = pda(0);
      expect((await exchange.call('PUT', `/api/v2/offer/own/registerClaim?pda=${address}`)).status).toBe(401);
      expect((await exchange.call('PUT', '/api/v2/offer/own/registerClaim', { token: provider.token })).status).toBe(
        400,
      );
      for (const token of [otherProvider.token, admin.token, await pda(0).token()])
        expect((await registerClaim('own', address, token)).status).toBe(403);
      expect((await registerClaim('own', 'unknown.example.org', provider.token)).status).toBe(404);
      expect((await registerClaim('nothing', address, provider.token)).status).toBe(404);
      expect((await registerClaim('early', address, provider.token)).status).toBe(409);
      expect((await registerClaim('own', 'not an address', provider.token)).status).toBe(400);
      await calls.claimOrThrow(pda(1), 'own');
      expect((await registerClaim('own', address, provider.token)).json).toMatchObject({ error: 'wrong_state' });
    });
  });

  it('are deleted with their PDA, which frees their slots', async () => {
    await publishOffer('leave', { requiredMinUser: 0, requiredMaxUser: 1 });
    await publishOffer('stay', { requiredMaxUser: 1 });
    const leavingPda = await exchange.insertRegisteredPda();
    const { claim } = await calls.claimOrThrow(leavingPda, 'leave');
    await calls.report(leavingPda.pdaId, claim.dataDebitId, true, exchange.clock.now());
    await calls.claimOrThrow(leavingPda, 'stay');
    expect((await calls.claim(pda(3), 'leave')).status).toBe(409);
    expect((await calls.leave(leavingPda)).status).toBeLessThan(300);
    expect(await calls.countClaims('leave')).toMatchObject({ taken: 0, confirmed: 0, claims: 0 });
    expect(await calls.countClaims('stay')).toMatchObject({ taken: 0, claims: 0 });
    expect((await calls.claim(leavingPda, 'leave')).status).toBe(401);
    expect((await calls.claim(pda(3), 'leave')).status).toBe(200);
  });
});
