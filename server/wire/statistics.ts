import { z } from 'zod';
import { namespaceSchema, endpointPathSchema, unixMs } from './common.ts';
import { MAX_REPORTED_EVENTS } from './limits.ts';

/** Numbers of leaf values by field path (`a.b`, array elements `a[].b`): names of fields only, never values. */
const propertyStatsSchema = z.record(z.string().max(300), z.int().min(0).max(10_000_000));
const endpointStatsSchema = z.strictObject({
  endpoint: z.string().max(401),
  records: z.int().min(0).max(10_000_000),
  propertyStats: propertyStatsSchema,
});
const eventParts = {
  /** A repeated event is not counted again. */
  id: z.uuid(),
  time: unixMs,
};

/** Event in a report of a PDA (`POST /stats/report`). */
export const statisticEventSchema = z.discriminatedUnion('statsType', [
  z.strictObject({
    ...eventParts,
    statsType: z.literal('inbound'),
    application: z.string().max(100),
    stats: z.array(endpointStatsSchema).max(1000),
  }),
  z.strictObject({
    ...eventParts,
    statsType: z.literal('outbound'),
    dataDebitKey: z.string().max(200),
    stats: z.array(endpointStatsSchema).max(1000),
  }),
  z.strictObject({
    ...eventParts,
    statsType: z.literal('datadebit'),
    dataDebitKey: z.string().max(200),
    operation: z.enum(['Create', 'Change', 'Enable', 'Disable', 'Remove']),
  }),
]);
export const reportSchema = z.array(statisticEventSchema).min(1).max(MAX_REPORTED_EVENTS);
export const reportResponseSchema = z
  .strictObject({
    message: z.string(),
    taken: z.int().meta({ description: 'Events that were new' }),
    known: z.int().meta({
      description:
        'Events that are not counted: reported before, older than 35 days, or dated more than a day in the future',
    }),
  })
  .meta({ id: 'ReportResponse' });

const statisticSchema = z.strictObject({ title: z.string(), value: z.int(), updated: unixMs });
/** `GET /stats`. */
export const statisticsSchema = z.array(
  statisticSchema.extend({ children: z.record(z.string(), statisticSchema).optional() }).meta({ id: 'Statistic' }),
);

/** Response of `GET /stats/available-data`, and body of `POST /stats/available-data/descriptions`. */
export const availableDataSchema = z.array(
  z
    .strictObject({
      namespace: namespaceSchema,
      description: z.string().max(5000),
      endpoints: z.array(
        z.strictObject({
          endpoint: endpointPathSchema,
          description: z.string().max(5000),
          fields: z.array(
            z.strictObject({ name: z.string().max(300), description: z.string().max(5000), count: z.int().min(0) }),
          ),
        }),
      ),
    })
    .meta({ id: 'AvailableData' }),
);

/** `GET /api/statistics/daily`, for administrators: one entry per UTC day without gaps, newest last. */
export const dailyStatisticsSchema = z.array(
  z
    .strictObject({
      day: z.iso.date(),
      registrations: z.int().meta({ description: 'Newly registered PDAs, including those that had left before' }),
      removals: z.int(),
      claims: z.int().meta({ description: 'Claims of Offers on that day' }),
      confirmations: z.int().meta({ description: 'Confirmed claims, by the day of the last report about them' }),
      eventsIn: z.int(),
      eventsOut: z.int(),
      valuesIn: z.int(),
      valuesOut: z.int(),
      applications: z.record(z.string(), z.int()).meta({
        description:
          'Number of values received, by the id of the published application that wrote them; `other` for the rest',
      }),
    })
    .meta({ id: 'StatisticsDay' }),
);

export type StatisticEvent = z.infer<typeof statisticEventSchema>;
export type Statistics = z.infer<typeof statisticsSchema>;
export type AvailableData = z.infer<typeof availableDataSchema>;
export type DailyStatistics = z.infer<typeof dailyStatisticsSchema>;
