import { z } from 'zod';
import { Failure } from '../../platform/failure.ts';
import { ownerOnly, type Principal, type Scope } from '../../platform/auth/principal.ts';
import { createRouteDeclarer, headResponse, json, jsonText } from '../../platform/http/route.ts';
import { nonOwnerReaderOf } from '../../platform/auth/access-trace.ts';
import { endpointSchema, endpointPathSchema } from '../../wire/common.ts';
import { feedItemSchema } from '../../wire/feed.ts';
import {
  dryRunRequestSchema,
  dryRunSchema,
  functionConfigurationSchema,
  functionIdSchema,
  functionRunDetailSchema,
  functionRunPageSchema,
  functionRunSchema,
} from '../../wire/functions.ts';
import { MAX_FEED_ITEMS } from '../../wire/limits.ts';
import { feedQuery, wholeNumberOr, windowOf } from './feed/query.ts';
import type { Feed } from './feed/reader.ts';
import type { FunctionService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Functions', access: ownerOnly });

const functionAccess = { auth: 'scopes', scopesFor: (): readonly Scope[] => ['functions:use'] } as const;
const functionRoute = createRouteDeclarer({ tag: 'Functions', access: functionAccess });

const params = z.strictObject({ id: functionIdSchema });
const runParams = z.strictObject({ id: functionIdSchema, runId: z.uuid() });
const RUNS_PER_PAGE_MAX = 200;

const AVAILABILITY_ERRORS = ['function_not_available', 'not_found'] as const;

export const functionRoutes = (parts: { functions: FunctionService; feed: Feed; now: () => number }) => {
  const { functions, feed } = parts;

  /** Rejects applications if the function is remote: its input leaves this PDA, which only the owner may allow. */
  const refuseRemoteUnlessOwner = (principal: Principal, id: string): void => {
    if (principal.kind !== 'owner' && functions.isRemote(id))
      throw new Failure('forbidden', 'This function runs remotely. Only the owner can enable or disable it.');
  };

  return [
    functionRoute({
      method: 'GET',
      path: '/api/v2.6/she/function',
      summary: 'List functions with their status',
      responses: {
        200: {
          description: 'All functions whose configuration is known',
          schema: z.array(functionConfigurationSchema),
        },
      },
      handler: () => json(200, functions.list()),
    }),
    functionRoute({
      method: 'GET',
      path: '/api/v2.6/she/function/:id',
      summary: 'Get a function with its status',
      params,
      responses: { 200: { description: 'The function', schema: functionConfigurationSchema } },
      errors: ['not_found'],
      handler: ({ params: { id } }) => json(200, functions.find(id)),
    }),
    functionRoute({
      method: 'GET',
      path: '/api/v2.6/she/function/:id/enable',
      summary: 'Enable a function',
      description:
        'The function then runs according to its published trigger and reads only what its published bundle names. Only the owner can enable a remote function.',
      params,
      responses: { 200: { description: 'The updated function', schema: functionConfigurationSchema } },
      errors: AVAILABILITY_ERRORS,
      ownerDecision: true,
      handler: async ({ params: { id }, caller }) => {
        refuseRemoteUnlessOwner(caller.principal, id);
        if (caller.principal.kind === 'owner') caller.trace.consent = { kind: 'function', name: id, detail: '' };
        return json(200, await functions.enable(id));
      },
    }),
    functionRoute({
      method: 'GET',
      path: '/api/v2.6/she/function/:id/disable',
      summary: 'Disable a function',
      description: 'A run in progress is cancelled and stores nothing. Only the owner can disable a remote function.',
      params,
      responses: { 200: { description: 'The updated function', schema: functionConfigurationSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params: { id }, caller }) => {
        refuseRemoteUnlessOwner(caller.principal, id);
        if (caller.principal.kind === 'owner') caller.trace.consent = { kind: 'function', name: id, detail: '' };
        return json(200, await functions.disable(id));
      },
    }),
    functionRoute({
      method: 'GET',
      path: '/api/v2.6/she/function/:id/trigger',
      takesMinutes: true,
      summary: 'Run a function now',
      description:
        'Processes the changes since the last successful run, in several runs if they exceed the limits of one. Runs once even if there are no changes. With `useAll=true`, or if the function always reads its whole bundle, processes the whole bundle. Responds when the last run has ended. A failed run returns 502 with the kind of failure as the error code.',
      params,
      query: z.object({ useAll: z.enum(['true', 'false']).default('false') }),
      responses: { 200: { description: 'The function after the run', schema: functionConfigurationSchema } },
      errors: [
        ...AVAILABILITY_ERRORS,
        'function_not_enabled',
        'wrong_state',
        'query_limit_exceeded',
        'memory',
        'time',
        'error',
        'output',
        'crashed',
      ],
      handler: async ({ params: { id }, query }) => json(200, await functions.trigger(id, query.useAll === 'true')),
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/she/function/:id/runs',
      summary: 'List the runs of a function',
      params,
      query: z.object({
        skip: wholeNumberOr(0),
        take: wholeNumberOr(50).transform((take) => Math.min(take, RUNS_PER_PAGE_MAX)),
      }),
      responses: { 200: { description: 'The runs, newest first', schema: functionRunPageSchema } },
      errors: ['not_found'],
      handler: ({ params: { id }, query }) => json(200, functions.runs(id, query)),
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/she/function/:id/runs/:runId',
      summary: 'Get a run with its log and its records',
      params: runParams,
      responses: { 200: { description: 'The run', schema: functionRunDetailSchema } },
      errors: ['not_found'],
      handler: async ({ params: { id, runId } }) => json(200, await functions.run(id, runId)),
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/she/function/:id/runs/:runId/undo',
      summary: 'Delete the records that a run stored',
      description: 'The deletion can be undone for 30 days.',
      params: runParams,
      responses: { 200: { description: 'The updated run', schema: functionRunSchema } },
      errors: ['not_found', 'wrong_state', 'data_missing'],
      takesMinutes: true,
      handler: async ({ params: { id, runId } }) => json(200, await functions.undo(id, runId)),
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/she/function/:id/dry-run',
      takesMinutes: true,
      summary: 'Run a function and save nothing',
      description:
        'Shows the exact input and output of a run. A remote function receives the input only with `send: true`; the access log then records it. Also available before the function is enabled.',
      params,
      body: { as: 'json', schema: dryRunRequestSchema },
      responses: { 200: { description: 'Input and output of the run', schema: dryRunSchema } },
      errors: [...AVAILABILITY_ERRORS, 'wrong_state', 'query_limit_exceeded'],
      handler: async ({ params: { id }, body }) => jsonText(200, await functions.dryRun(id, body)),
    }),
    functionRoute({
      method: 'GET',
      path: '/api/v2.6/she/feed',
      summary: 'Get the feed',
      description: `Records that have the shape of a feed item, newest first. Includes only endpoints whose newest record has this shape. A response has at most ${MAX_FEED_ITEMS} items, fewer if they are large.`,
      query: feedQuery,
      responses: { 200: { description: 'Feed items', schema: z.array(feedItemSchema) } },
      errors: ['query_limit_exceeded'],
      handler: async ({ query, caller }) =>
        caller.headersOnly
          ? headResponse(200)
          : json(200, await feed.items(undefined, windowOf(query, parts.now()), nonOwnerReaderOf(caller))),
    }),
    functionRoute({
      method: 'GET',
      path: '/api/v2.6/she/feed/*endpoint',
      summary: 'Get the feed of one endpoint',
      params: z.strictObject({ endpoint: z.union([endpointSchema, endpointPathSchema]) }),
      query: feedQuery,
      responses: { 200: { description: 'Feed items', schema: z.array(feedItemSchema) } },
      errors: ['query_limit_exceeded'],
      handler: async ({ params: { endpoint }, query, caller }) =>
        caller.headersOnly
          ? headResponse(200)
          : json(200, await feed.items(endpoint, windowOf(query, parts.now()), nonOwnerReaderOf(caller))),
    }),
  ] as const;
};
