import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../platform/log.ts';
import { describeOnDatabases } from '../../platform/postgres/database.test-support.ts';
import type { StatisticEvent } from '../../wire/statistics.ts';
import { startTestExchange, type TestExchange } from '../exchange.test-support.ts';
import { createCompactor, type Compactor } from './compaction/compactor.ts';
import { statsOf, debitEvent, inboundEvent, outboundEvent } from './statistics.test-support.ts';

type Sums = Record<string, number>;

describeOnDatabases('reports', ({ createDatabase }) => {
  let exchange: TestExchange;
  let compactors: Compactor[];
  /** Makes the event ids of each run unique. */
  let run = 0;

  beforeAll(async () => {
    exchange = await startTestExchange({
      database: await createDatabase(),
      minReportingPdas: 1,
      compactionIntervalMs: 1e8,
    });
    const { database } = exchange.exchange;
    const create = () =>
      createCompactor({
        database,
        clock: exchange.clock,
        log: silentLog(),
        minReportingPdas: 1,
        compactionIntervalMs: 1e8,
      });
    compactors = [create(), create(), create()];
  });
  afterAll(async () => {
    await Promise.all(compactors.map((compactor) => compactor.close()));
    await exchange.close();
  });

  /** Returns the sums after a compaction. */
  const readSums = async (): Promise<Sums> => {
    // Simulates three processes.
    await Promise.all(compactors.map((compactor) => compactor.compact()));
    return exchange.exchange.database.run(async (db) => {
      const leftoverRows = await db.selectFrom('count_additions').select('id').execute();
      expect(leftoverRows).toEqual([]);
      const totals = await db.selectFrom('count_totals').select(['kind', 'name', 'day', 'amount']).execute();
      const names = await db.selectFrom('reported_names').select(['endpoint', 'field', 'amount']).execute();
      return Object.fromEntries([
        ...totals.map(({ kind, name, day, amount }) => [`${kind} ${name} ${day}`, amount]),
        ...names.map(({ endpoint, field, amount }) => [`${endpoint} ${field}`, amount]),
      ]);
    });
  };

  const growthOf = (earlierSums: Sums, laterSums: Sums): Sums =>
    Object.fromEntries(
      Object.entries(laterSums).flatMap(([key, amount]) => {
        const increase = amount - (earlierSums[key] ?? 0);
        return increase === 0 ? [] : [[key, increase]];
      }),
    );

  const HOUR_MS = 3_600_000;
  type Shape = { eventKind: number; hours: number; endpoint: number; fields: [number, number][] };
  const eventOf = ({ eventKind, hours, endpoint, fields }: Shape, index: number): StatisticEvent => {
    const number = run * 1000 + index;
    const time = exchange.clock.now() - hours * HOUR_MS;
    const stats = [
      statsOf(`ns/e${endpoint}`, Object.fromEntries(fields.map(([field, amount]) => [`f${field}`, amount]))),
    ];
    if (eventKind === 0) return debitEvent(number, time, 'Change');
    return eventKind === 1 ? outboundEvent(number, time, stats) : inboundEvent(number, time, stats);
  };

  const shape = fc.record({
    eventKind: fc.integer({ min: 0, max: 4 }),
    hours: fc.integer({ min: 0, max: 100 }),
    endpoint: fc.integer({ min: 0, max: 3 }),
    fields: fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 100 })), { maxLength: 4 }),
  });
  /** `events` are indexes. If `waits` is true, the next batch waits for all responses. */
  const batchesArbitrary = fc.array(
    fc.record({ events: fc.array(fc.nat(), { minLength: 1, maxLength: 8 }), waits: fc.boolean() }),
    { maxLength: 10 },
  );

  it('result in the same totals regardless of batches, order, repetition and concurrency', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(shape, { minLength: 1, maxLength: 12 }), batchesArbitrary, async (shapes, batches) => {
        run += 1;
        const events = shapes.map(eventOf);
        const [firstPda, secondPda] = [await exchange.insertRegisteredPda(), await exchange.insertRegisteredPda()];
        const { statistics } = exchange.exchange;

        const initialSums = await readSums();
        await statistics.report(firstPda, events);
        const sumsAfterFirst = await readSums();

        let takenCount = 0;
        const pendingReports: Promise<void>[] = [];
        const send = async (batch: StatisticEvent[]): Promise<void> => {
          const response = await statistics.report(secondPda, batch);
          expect(response.taken + response.known).toBe(batch.length);
          takenCount += response.taken;
        };
        for (const { events: indexes, waits } of batches) {
          pendingReports.push(send(indexes.flatMap((index) => events[index % events.length] ?? [])));
          if (waits) await Promise.all(pendingReports);
        }
        pendingReports.push(send(events.toReversed()), send(events));
        await Promise.all(pendingReports);

        expect(takenCount).toBe(events.length);
        expect(growthOf(sumsAfterFirst, await readSums())).toEqual(growthOf(initialSums, sumsAfterFirst));
        expect(await statistics.reportsOf(secondPda.pdaId)).toMatchObject({ events: events.length });
      }),
      { numRuns: Number(process.env['PDA_RUNS'] ?? 8) },
    );
  });
});
