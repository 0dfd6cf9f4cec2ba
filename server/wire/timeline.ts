import { z } from 'zod';
import { dateTimeSchema, endpointSchema, jsonSchema, wholeNumber } from './common.ts';
import { feedItemSchema } from './feed.ts';
import { endpointDisplay } from './fields.ts';
import { ownerFileSchema } from './files.ts';
import { runOutcomeSchema } from './functions.ts';
import { importJobSchema } from './imports.ts';
import { ledgerRowSchema } from './ledger.ts';
import { MAX_RECORD_SEARCH_CHARS, MAX_TIMELINE_ITEMS, MAX_TIMELINE_MATCHES, MAX_TIMELINE_MONTHS } from './limits.ts';

// Days are in the PDA's time zone. Pictures, and times with a numeric UTC offset, keep the day that they state.

/** Sources that are not endpoints. */
const TIMELINE_KINDS = ['pictures', 'imports', 'decisions', 'runs'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** Size of a record up to which its content is listed. */
export const TIMELINE_RECORD_MAX_BYTES = 16_000;
/** Maximum number of items of one day that can be skipped. */
const MAX_TIMELINE_SKIP = 10_000;
/** Maximum number of endpoints in `leftOut` that are listed by name. */
export const NAMED_LEFT_OUT_MAX = 100;

const source = z
  .string()
  .max(500)
  .meta({
    description: `An endpoint, or ${TIMELINE_KINDS.map((kind) => `\`${kind}\``).join(', ')}`,
  });
const day = z.iso.date().meta({ example: '2026-03-01' });
const month = z
  .string()
  .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/u, 'must be a month such as 2026-03')
  .meta({ example: '2026-03' });
const count = z.int().min(0);

export const timelineQuery = z.strictObject({ source: source.optional() });
export const timelineDaysQuery = z.strictObject({ month, source: source.optional() });
export const timelineItemsQuery = z.strictObject({
  source,
  day,
  skip: wholeNumber.refine((skip) => skip <= MAX_TIMELINE_SKIP, `must be at most ${MAX_TIMELINE_SKIP}`).default(0),
  take: wholeNumber.default(MAX_TIMELINE_ITEMS).transform((take) => Math.min(take, MAX_TIMELINE_ITEMS)),
});
export const timelineSearchQuery = z.strictObject({
  text: z.string().trim().min(1).max(MAX_RECORD_SEARCH_CHARS),
  source: source.optional().meta({ description: 'Limits the search to an endpoint' }),
});

const timelineSourceSchema = z
  .strictObject({
    source,
    kind: z.enum(['records', ...TIMELINE_KINDS]),
    name: z.string().meta({ description: 'Name of an endpoint; empty for the other kinds' }),
    icon: endpointDisplay.icon,
    colour: endpointDisplay.colour,
    items: count,
    excluded: count.meta({
      description: 'Records without a valid time, too large to be read, or beyond the limit of days',
    }),
    time: z.enum(['stated', 'stored']).meta({
      description: '`stored`: the records contain no time, so they are on the day on which they were stored',
    }),
    entries: z.boolean().meta({ description: 'True if the records are feed items' }),
  })
  .meta({ id: 'TimelineSource' });

export const timelineSchema = z
  .strictObject({
    months: z
      .array(z.strictObject({ month, days: count, items: count }))
      .max(MAX_TIMELINE_MONTHS)
      .meta({ description: 'Months with items, newest first; `days`: days with items' }),
    earlier: count.meta({ description: 'Items in earlier months' }),
    sources: z.array(timelineSourceSchema),
    leftOut: z
      .strictObject({
        total: count,
        first: z.array(z.strictObject({ source: endpointSchema, name: z.string() })).max(NAMED_LEFT_OUT_MAX),
      })
      .meta({ description: 'Endpoints beyond the limits, or whose records take too long to read' }),
    counting: z.boolean().meta({
      description: 'True while the counts of a large endpoint do not include its latest changes',
    }),
  })
  .meta({ id: 'Timeline' });

export const timelineDaysSchema = z
  .strictObject({
    days: z
      .array(z.strictObject({ day, groups: z.array(z.strictObject({ source, items: count })) }))
      .max(31)
      .meta({ description: 'Days with items, newest first' }),
  })
  .meta({ id: 'TimelineDays' });

const timelineRecordSchema = z.strictObject({
  kind: z.literal('record'),
  recordId: z.uuid(),
  time: z.string().max(16).meta({ description: 'Local time, such as 2026-03-01 or 2026-03-01 08:30' }),
  data: jsonSchema,
  entry: feedItemSchema.nullable(),
});

const timelineItemSchema = z.discriminatedUnion('kind', [
  timelineRecordSchema,
  z.strictObject({ kind: z.literal('picture'), file: ownerFileSchema }),
  z.strictObject({ kind: z.literal('import'), job: importJobSchema }),
  z.strictObject({ kind: z.literal('decision'), row: ledgerRowSchema }),
  z.strictObject({
    kind: z.literal('run'),
    runId: z.uuid(),
    function: z.string(),
    finished: dateTimeSchema,
    outcome: runOutcomeSchema.nullable(),
    records: count.meta({ description: 'Records that the run stored' }),
  }),
]);

export const timelineItemsSchema = z
  .strictObject({
    items: z.array(timelineItemSchema).meta({
      description: `The latest first. \`data\` of a record is null if it has more than ${TIMELINE_RECORD_MAX_BYTES} bytes, or if it is a feed item, which is in \`entry\``,
    }),
    more: z.boolean().meta({ description: 'True if there are more items on this day' }),
  })
  .meta({ id: 'TimelineItems' });

export const timelineMatchesSchema = z
  .strictObject({
    matches: z
      .array(z.strictObject({ source: endpointSchema, item: timelineRecordSchema }))
      .max(MAX_TIMELINE_MATCHES)
      .meta({ description: 'The matches that were stored last, sorted by their time, the latest first' }),
    undated: count.meta({ description: 'Further matches, which have no valid time or are too large to be read' }),
    more: z.boolean().meta({ description: 'True if there may be more matches' }),
    enabled: z.boolean().meta({ description: 'False if the search index is turned off' }),
    complete: z.boolean().meta({ description: 'False while records are missing from the index' }),
  })
  .meta({ id: 'TimelineMatches' });

export type Timeline = z.infer<typeof timelineSchema>;
export type TimelineSource = z.infer<typeof timelineSourceSchema>;
export type TimelineDays = z.infer<typeof timelineDaysSchema>;
export type TimelineItem = z.infer<typeof timelineItemSchema>;
export type TimelineItems = z.infer<typeof timelineItemsSchema>;
export type TimelineMatches = z.infer<typeof timelineMatchesSchema>;
export type TimelineRecord = z.infer<typeof timelineRecordSchema>;
