import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Reply } from '../../../tests/support/http.ts';
import { onBothDatabases } from '../../platform/postgres/postgres.test-support.ts';
import { startTestExchange, type KnownPda, type TestAccount, type TestExchange } from '../exchange.test-support.ts';
import { newOffer, offerCalls } from './offers.test-support.ts';

/** Claims that come together: requiredMaxUser holds by the database alone, whatever races. */

onBothDatabases('claims at the same moment', (database) => {
  // PGlite takes one after the other: many more would show nothing new.
  // Five hundred are let in by tests/exchange-failures.test.ts.
  const crowd = database.kind === 'postgresql' ? { pdas: 150, places: 87 } : { pdas: 60, places: 37 };
  let exchange: TestExchange;
  let calls: ReturnType<typeof offerCalls>;
  let provider: TestAccount;
  let admin: TestAccount;
  const pdas: KnownPda[] = [];

  beforeAll(async () => {
    exchange = await startTestExchange({ database: await database.fresh() });
    calls = offerCalls(exchange);
    provider = await exchange.account(['marketPlace']);
    admin = await exchange.account(['administrator']);
    for (let number = 0; number < crowd.pdas; number += 1) pdas.push(await exchange.knownPda());
  });
  afterAll(() => exchange.close());

  const statuses = (answers: readonly Reply[]): Record<number, number> => {
    const found: Record<number, number> = {};
    for (const { status } of answers) found[status] = (found[status] ?? 0) + 1;
    return found;
  };

  it('are let in up to requiredMaxUser and not one more, and all others hear that it is full', async () => {
    await calls.approved(provider, admin, newOffer('rush', { requiredMaxUser: crowd.places }));
    // On a busy machine some are told to come again: nobody waits for ever for the database.
    const claimed = async (pda: KnownPda): Promise<Reply> => {
      const reply = await calls.claim(pda, 'rush');
      return reply.status === 503 ? pause(50).then(() => claimed(pda)) : reply;
    };
    const answers = await Promise.all(pdas.map(claimed));
    expect(statuses(answers)).toEqual({ 200: crowd.places, 409: crowd.pdas - crowd.places });
    expect(await calls.counted('rush')).toMatchObject({
      taken: crowd.places,
      quota: crowd.places,
      claims: crowd.places,
      perShard: true,
    });
    const again = await Promise.all(pdas.map(claimed));
    expect(again.map(({ status }) => status)).toEqual(answers.map(({ status }) => status));
  });

  it('of one PDA are one claim', async () => {
    await calls.approved(provider, admin, newOffer('eager', { requiredMaxUser: 100 }));
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, turn) => calls.claim(pdas[turn % 3] as KnownPda, 'eager')),
    );
    expect(statuses(answers)).toEqual({ 200: 60 });
    expect(new Set(answers.map(({ text }) => text.match(/"dataDebitId":"[^"]*"/u)?.[0])).size).toBe(3);
    expect(await calls.counted('eager')).toMatchObject({ taken: 3, claims: 3, perShard: true });
  });

  it('and reports, and PDAs that leave: places and claims always agree, and no claim is lost', async () => {
    const step = fc.record({
      pda: fc.nat(11),
      does: fc.constantFrom('claim', 'claim', 'claim', 'enable', 'disable', 'leave'),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
        async (most, bursts) => {
          const offerId = `run${(run += 1)}`;
          await calls.approved(provider, admin, newOffer(offerId, { requiredMinUser: 0, requiredMaxUser: most }));
          const own: KnownPda[] = [];
          for (let number = 0; number < 12; number += 1)
            own.push(await exchange.knownPda(`p${number}.${offerId}.example`));
          const debits = new Map<string, string>();
          const left = new Set<string>();
          for (const burst of bursts) {
            await Promise.all(
              burst.map(async ({ pda: number, does }) => {
                const pda = own[number] as KnownPda;
                if (does === 'claim') {
                  const answer = await calls.claim(pda, offerId);
                  expect([200, 401, 404, 409], answer.text).toContain(answer.status);
                  if (answer.status === 200)
                    debits.set(pda.pdaId, (answer.json as { claim: { dataDebitId: string } }).claim.dataDebitId);
                } else if (does === 'leave') {
                  left.add(pda.pdaId);
                  expect([200, 204, 401, 404]).toContain((await calls.leave(pda)).status);
                } else {
                  const debit = debits.get(pda.pdaId) ?? `offer-${offerId}-unknown`;
                  await calls.report(pda.pdaId, debit, does === 'enable', exchange.clock.now());
                }
              }),
            );
            const sums = await calls.counted(offerId);
            expect(sums).toMatchObject({
              taken: sums.claims,
              confirmed: sums.confirmedClaims,
              quota: most,
              perShard: true,
            });
            expect(sums.taken).toBeLessThanOrEqual(most);
            for (const pdaId of sums.pdas) expect(left.has(pdaId)).toBe(false);
            for (const pdaId of debits.keys()) if (!left.has(pdaId)) expect(sums.pdas.has(pdaId)).toBe(true);
          }
        },
      ),
      { numRuns: Number(process.env['PDA_RUNS'] ?? 3) },
    );
  });
});
