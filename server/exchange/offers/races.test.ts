import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Reply } from '../../../tests/support/http.ts';
import { describeOnDatabases } from '../../platform/postgres/database.test-support.ts';
import {
  startTestExchange,
  type RegisteredTestPda,
  type TestAccount,
  type TestExchange,
} from '../exchange.test-support.ts';
import { createOfferCalls, newOffer } from './offers.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../tests/support/long-run.ts';

describeOnDatabases('concurrent claims', (database) => {
  // PGlite serialises statements, so more PDAs would test nothing new.
  const { pdaCount, maxClaims } =
    database.kind === 'postgresql' ? { pdaCount: 150, maxClaims: 87 } : { pdaCount: 60, maxClaims: 37 };
  let exchange: TestExchange;
  let calls: ReturnType<typeof createOfferCalls>;
  let provider: TestAccount;
  let admin: TestAccount;
  const pdas: RegisteredTestPda[] = [];

  beforeAll(async () => {
    exchange = await startTestExchange({ database: await database.createDatabase() });
    calls = createOfferCalls(exchange);
    provider = await exchange.createAccount(['marketPlace']);
    admin = await exchange.createAccount(['administrator']);
    for (let number = 0; number < pdaCount; number += 1) pdas.push(await exchange.insertRegisteredPda());
  });
  afterAll(() => exchange.close());

  const countByStatus = (replies: readonly Reply[]): Record<number, number> => {
    const counts: Record<number, number> = {};
    for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };

  it.skipIf(!IS_THOROUGH_RUN)('are accepted up to requiredMaxUser and refused with 409 beyond it', async () => {
    await calls.publish(provider, admin, newOffer('rush', { requiredMaxUser: maxClaims }));
    // On a busy machine, some requests time out while they wait for a database connection.
    const claimWithRetry = async (pda: RegisteredTestPda): Promise<Reply> => {
      const reply = await calls.claim(pda, 'rush');
      return reply.status === 503 ? pause(50).then(() => claimWithRetry(pda)) : reply;
    };
    const replies = await Promise.all(pdas.map(claimWithRetry));
    expect(countByStatus(replies)).toEqual({ 200: maxClaims, 409: pdaCount - maxClaims });
    expect(await calls.countClaims('rush')).toMatchObject({
      taken: maxClaims,
      quota: maxClaims,
      claims: maxClaims,
      isConsistentPerShard: true,
    });
    const repeatedReplies = await Promise.all(pdas.map(claimWithRetry));
    expect(repeatedReplies.map(({ status }) => status)).toEqual(replies.map(({ status }) => status));
  });

  it.skipIf(!IS_THOROUGH_RUN)('yield one claim per PDA', async () => {
    await calls.publish(provider, admin, newOffer('eager', { requiredMaxUser: 100 }));
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, index) => calls.claim(pdas[index % 3] as RegisteredTestPda, 'eager')),
    );
    expect(countByStatus(replies)).toEqual({ 200: 60 });
    expect(new Set(replies.map(({ text }) => text.match(/"dataDebitId":"[^"]*"/u)?.[0])).size).toBe(3);
    expect(await calls.countClaims('eager')).toMatchObject({ taken: 3, claims: 3, isConsistentPerShard: true });
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'leave slots and claims consistent and are never lost, even while PDAs report and are removed',
    async () => {
      const step = fc.record({
        pda: fc.nat(11),
        action: fc.constantFrom('claim', 'claim', 'claim', 'enable', 'disable', 'leave'),
      });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 9 }),
          fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
          async (requiredMaxUser, bursts) => {
            const offerId = `run${(run += 1)}`;
            await calls.publish(provider, admin, newOffer(offerId, { requiredMinUser: 0, requiredMaxUser }));
            const runPdas: RegisteredTestPda[] = [];
            for (let number = 0; number < 12; number += 1)
              runPdas.push(await exchange.insertRegisteredPda(`p${number}.${offerId}.example`));
            const debits = new Map<string, string>();
            const removedPdas = new Set<string>();
            for (const burst of bursts) {
              await Promise.all(
                burst.map(async ({ pda: number, action }) => {
                  const pda = runPdas[number] as RegisteredTestPda;
                  if (action === 'claim') {
                    const response = await calls.claim(pda, offerId);
                    expect([200, 401, 404, 409], response.text).toContain(response.status);
                    if (response.status === 200)
                      debits.set(pda.pdaId, (response.json as { claim: { dataDebitId: string } }).claim.dataDebitId);
                  } else if (action === 'leave') {
                    removedPdas.add(pda.pdaId);
                    expect([200, 204, 401, 404]).toContain((await calls.leave(pda)).status);
                  } else {
                    const debit = debits.get(pda.pdaId) ?? `offer-${offerId}-unknown`;
                    await calls.report(pda.pdaId, debit, action === 'enable', exchange.clock.now());
                  }
                }),
              );
              const sums = await calls.countClaims(offerId);
              expect(sums).toMatchObject({
                taken: sums.claims,
                confirmed: sums.confirmedClaims,
                quota: requiredMaxUser,
                isConsistentPerShard: true,
              });
              expect(sums.taken).toBeLessThanOrEqual(requiredMaxUser);
              for (const pdaId of sums.pdas) expect(removedPdas.has(pdaId)).toBe(false);
              for (const pdaId of debits.keys()) if (!removedPdas.has(pdaId)) expect(sums.pdas.has(pdaId)).toBe(true);
            }
          },
        ),
        { numRuns: Number(process.env['PDA_RUNS'] ?? 3) },
      );
    },
  );
});
