import { z } from 'zod';
import { ownerOnly } from '../../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, jsonText } from '../../../../platform/http/route.ts';
import { endpointSchema, pagingQuery } from '../../../../wire/common.ts';
import {
  activityDaySchema,
  browsedRecordSchema,
  browsePageSchema,
  deletedRecordPageSchema,
  deletionEntrySchema,
  deletionRequestSchema,
  deletionSchema,
  endpointSummarySchema,
  recordRestoreRequestSchema,
  restoreResultSchema,
} from '../../../../wire/owner.ts';
import { DELETION_BODY_MAX_BYTES, MAX_FILTER_TEXT_CHARS } from '../../../../wire/limits.ts';
import { filtersParameter, sortsParameter } from '../../../../wire/table.ts';
import type { EventService } from '../../../core/events/service.ts';
import type { BrowseService } from './service.ts';
import type { DeletionService } from '../deletions/service.ts';
import { originOf } from '../handlers.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your data', access: ownerOnly });
const MAX_ACTIVITY_DAYS = 400;
const MAX_SKIPPED_DELETIONS = 1_000_000;
// Maximum numbers of entries per page.
const MAX_BROWSED_RECORDS = 10_000;
const MAX_LISTED_DELETIONS = 200;
const MAX_LISTED_DELETED_RECORDS = 100;

const deletionParams = z.strictObject({ deletionId: z.uuid() });

const boundedNumber = (fallback: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/u, 'must be a whole number')
    .default(String(fallback))
    .transform((text) => Math.min(max, Number(text)));

export const ownerRecordRoutes = (parts: {
  browse: BrowseService;
  deletions: DeletionService;
  events: EventService;
}) => {
  const { browse, deletions, events } = parts;
  return [
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/endpoints',
      summary: 'List endpoints with their size and dates',
      responses: {
        200: { description: 'One entry for each endpoint with records', schema: z.array(endpointSummarySchema) },
      },
      handler: async () => jsonText(200, await browse.endpoints()),
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/activity',
      summary: 'Count the created, changed and deleted records per day',
      query: z.object({
        days: boundedNumber(30, MAX_ACTIVITY_DAYS).transform((days) => Math.max(1, days)),
      }),
      responses: { 200: { description: 'Every day, oldest first, in UTC', schema: z.array(activityDaySchema) } },
      handler: ({ query }) => json(200, events.countActivity(query.days)),
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/records',
      summary: 'Browse the records of an endpoint',
      query: z.object({
        ...pagingQuery,
        endpoint: endpointSchema,
        search: z.string().max(MAX_FILTER_TEXT_CHARS).default(''),
        filters: filtersParameter,
        sorts: sortsParameter,
      }),
      responses: { 200: { description: 'A page of records and the total', schema: browsePageSchema } },
      errors: ['query_limit_exceeded'],
      handler: async ({ query }) => {
        const { endpoint, search, filters = [], skip, take, orderBy = '', ordering } = query;
        const descending = ordering === 'descending';
        const sorts = query.sorts ?? (orderBy === '' ? [] : [{ field: orderBy, descending }]);
        const selection = { search, filters, sorts, oldestFirst: !descending };
        return jsonText(
          200,
          await browse.page({ endpoint, selection, skip, take: Math.min(take, MAX_BROWSED_RECORDS) }),
        );
      },
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/records/:recordId',
      summary: 'Read one record with its metadata',
      params: z.strictObject({ recordId: z.uuid() }),
      responses: { 200: { description: 'The record', schema: browsedRecordSchema } },
      errors: ['not_found'],
      handler: ({ params }) => jsonText(200, browse.record(params.recordId)),
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/deletions',
      summary: 'Delete records or an endpoint; can be undone for 30 days',
      description:
        'The response is sent once all records have been deleted. An endpoint is deleted in one transaction. More than 100 selected records, or 500 kB, are deleted in several transactions; if the server stops before the last one, the deletion contains the records deleted so far.',
      body: { as: 'json', schema: deletionRequestSchema, maxBytes: DELETION_BODY_MAX_BYTES },
      responses: { 201: { description: 'Deleted', schema: deletionSchema } },
      errors: ['data_missing', 'not_found'],
      takesMinutes: true,
      handler: async ({ body, caller }) => {
        const origin = originOf(caller.principal);
        const deletion =
          'records' in body
            ? deletions.deleteRecords(
                body.records.map((id) => id.toLowerCase()),
                origin,
              )
            : deletions.deleteEndpoint(body.endpoint, origin);
        return json(201, await deletion);
      },
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/deletions',
      summary: 'List deletions that can be undone',
      query: z.strictObject({
        skip: boundedNumber(0, MAX_SKIPPED_DELETIONS),
        take: boundedNumber(MAX_LISTED_DELETIONS, MAX_LISTED_DELETIONS),
      }),
      responses: { 200: { description: 'Newest first', schema: z.array(deletionEntrySchema) } },
      handler: ({ query }) => json(200, deletions.list(query)),
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/deletions/:deletionId/records',
      summary: 'List the records of a deletion',
      params: deletionParams,
      query: z.strictObject({
        after: boundedNumber(0, Number.MAX_SAFE_INTEGER),
        take: boundedNumber(MAX_LISTED_DELETED_RECORDS, MAX_LISTED_DELETED_RECORDS),
      }),
      responses: { 200: { description: 'In the order of creation', schema: deletedRecordPageSchema } },
      errors: ['not_found'],
      handler: ({ params, query }) => json(200, deletions.records(params.deletionId, query)),
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/deletions/:deletionId/restore',
      summary: 'Restore individual records of a deletion',
      params: deletionParams,
      body: { as: 'json', schema: recordRestoreRequestSchema },
      responses: { 200: { description: 'Restored with their ids and dates', schema: restoreResultSchema } },
      errors: ['not_found', 'data_missing'],
      takesMinutes: true,
      handler: async ({ params, body, caller }) =>
        json(200, await deletions.restore(params.deletionId, body.seqs, originOf(caller.principal))),
    }),
    ownerRoute({
      method: 'DELETE',
      path: '/api/v2.6/owner/deletions/:deletionId',
      summary: 'Make a deletion permanent',
      params: deletionParams,
      responses: { 200: { description: 'The deletion can no longer be undone', schema: deletionSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => json(200, await deletions.deletePermanently(params.deletionId)),
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/deletions/:deletionId/undo',
      summary: 'Undo a deletion',
      params: deletionParams,
      responses: { 200: { description: 'All records are restored with their ids and dates', schema: deletionSchema } },
      errors: ['not_found'],
      takesMinutes: true,
      handler: async ({ params, caller }) =>
        json(200, await deletions.undo(params.deletionId, originOf(caller.principal))),
    }),
  ] as const;
};
