import type { AvailableData, DailyStatistics, Statistics } from '../../wire/statistics.ts';
import type { Audit, Tx } from '../storage/index.ts';
import { availableDataOf } from './reports/available-data.ts';
import type { Counts } from './counts.ts';
import { createSingleFlightCache } from '../../platform/async/single-flight-cache.ts';
import { readClaimDays, readPlugAndClaimCounts } from './reports/totals-store.ts';
import { createReporting } from './reports/ingestion.ts';
import { dateOfDay, dayOf, type CountKind } from './rules.ts';
import {
  deletePdaReports,
  findPdaReports,
  readDailyCounts,
  readDescriptions,
  readKnownNames,
  readTotals,
  writeDescription,
  type Description,
} from './store.ts';

export type StatisticsService = ReturnType<typeof createStatisticsService>;

const PUBLISHED_NAMES_MAX = 20_000;
const TOP_DATAPOINTS_COUNT = 10;

export const createStatisticsService = (
  parts: Parameters<typeof createReporting>[0] & {
    audit: Audit;
    counts: Counts;
    /** Number of PDAs that must report a name before it is published, because a rare name could identify a person. */
    minReportingPdas: number;
  },
) => {
  const { database, audit, counts, minReportingPdas, clock } = parts;
  const report = createReporting(parts);

  const readNames = () =>
    database.run(async (db) => ({
      names: await readKnownNames(db, minReportingPdas, PUBLISHED_NAMES_MAX),
      descriptions: await readDescriptions(db),
    }));
  const availableNames = createSingleFlightCache(clock, async () => {
    const { names, descriptions } = await readNames();
    return { names, data: availableDataOf(names, descriptions) };
  });

  const readTotalsByKind = async (): Promise<Map<CountKind, { value: number; updated: number }>> => {
    const sums = new Map<CountKind, { value: number; updated: number }>();
    for (const { kind, amount, updated } of await database.run(readTotals)) {
      const sum = sums.get(kind) ?? { value: 0, updated: 0 };
      sums.set(kind, { value: sum.value + amount, updated: Math.max(sum.updated, updated) });
    }
    return sums;
  };

  const readTopDatapoints = async (updated: number): Promise<Statistics[number]> => {
    const { names } = await availableNames.get();
    const topNames = names.filter(({ field }) => field === '').slice(0, TOP_DATAPOINTS_COUNT);
    const title = 'Top Datapoints';
    const value = topNames.reduce((sum, { amount }) => sum + amount, 0);
    const children = Object.fromEntries(
      topNames.map(({ endpoint, amount }) => [endpoint, { title: endpoint, value: amount, updated }]),
    );
    return { title, value, updated, children };
  };

  const statistics = createSingleFlightCache(clock, async () => {
    const [sums, otherCounts] = await Promise.all([readTotalsByKind(), database.run(readPlugAndClaimCounts)]);
    const now = clock.now();
    const sumOf = (kind: CountKind, updatedIfNone = now) => sums.get(kind) ?? { value: 0, updated: updatedIfNone };
    const [registrations, removals] = [sumOf('registration'), sumOf('leaving', 0)];
    const list: Statistics = [
      { title: 'Data Plugs', value: otherCounts.plugs, updated: now },
      { title: 'Total Offer Claims', value: otherCounts.claims, updated: now },
      { title: 'Data Out', ...sumOf('values.out') },
      { title: 'Data In', ...sumOf('values.in') },
      await readTopDatapoints(sumOf('values.in').updated),
      {
        title: 'Registered PDAs',
        value: registrations.value - removals.value,
        updated: Math.max(registrations.updated, removals.updated),
      },
    ];
    return JSON.stringify(list);
  });

  const availableText = createSingleFlightCache(clock, async () => JSON.stringify((await availableNames.get()).data));

  return {
    /** @throws Failure rate_limited | not_found (the PDA was removed) */
    report,
    /** Returns JSON. */
    readStatistics: statistics.get,
    /** Returns JSON. */
    readAvailableData: availableText.get,

    /** Stores descriptions; an empty one deletes the stored one. @returns all published data */
    async describe(data: AvailableData, actor: string): Promise<AvailableData> {
      const rows: Description[] = data.flatMap(({ namespace, description, endpoints }) => [
        { namespace, endpoint: '', field: '', description },
        ...endpoints.flatMap(({ endpoint, description: endpointDescription, fields }) => [
          { namespace, endpoint, field: '', description: endpointDescription },
          ...fields.map((field) => ({ namespace, endpoint, field: field.name, description: field.description })),
        ]),
      ]);
      await database.transact(async (tx) => {
        for (const row of rows) await writeDescription(tx, row);
        const subject = data.map(({ namespace }) => namespace).join(' ');
        const detail = `${rows.length} entries`;
        await audit.note(tx, { actor, action: 'available-data.described', subject, detail });
      });
      availableNames.forget();
      availableText.forget();
      return (await availableNames.get()).data;
    },

    async readDailyStatistics(days: number): Promise<DailyStatistics> {
      const today = dayOf(clock.now());
      const firstDay = today - days + 1;
      const [entries, claims] = await database.run(
        async (db) => [await readDailyCounts(db, firstDay), await readClaimDays(db, firstDay)] as const,
      );
      const createEmptyDay = () => ({
        registrations: 0,
        removals: 0,
        claims: 0,
        confirmations: 0,
        eventsIn: 0,
        eventsOut: 0,
        valuesIn: 0,
        valuesOut: 0,
        applications: {} as Record<string, number>,
      });
      const rows = new Map(Array.from({ length: days }, (_, index) => [firstDay + index, createEmptyDay()]));
      for (const { kind, name, day, amount } of entries) {
        const row = rows.get(day);
        if (row === undefined) continue;
        if (kind === 'application') row.applications[name] = (row.applications[name] ?? 0) + amount;
        else if (kind !== 'events.debit') row[FIELD_OF_KIND[kind]] += amount;
      }
      for (const { day, claims: count, confirmed } of claims) {
        const row = rows.get(day);
        if (row === undefined) continue;
        row.claims += count;
        row.confirmations += confirmed;
      }
      return [...rows].map(([day, row]) => ({ day: dateOfDay(day), ...row }));
    },

    async reportsOf(pdaId: string): Promise<{ events: number; last: number | null }> {
      const { events, last } = (await database.run((db) => findPdaReports(db, pdaId))) ?? { events: 0, last: null };
      return { events, last };
    },

    /** Deletes the rows of a removed PDA and counts the removal. The totals remain, because they identify no PDA. */
    async forgetPda(tx: Tx, pdaId: string): Promise<void> {
      await deletePdaReports(tx, pdaId);
      await counts.add(tx, 'leaving');
    },
  };
};

const FIELD_OF_KIND = {
  registration: 'registrations',
  leaving: 'removals',
  'events.in': 'eventsIn',
  'events.out': 'eventsOut',
  'values.in': 'valuesIn',
  'values.out': 'valuesOut',
} as const;
