import { z } from 'zod';
import { Failure } from '../../platform/failure.ts';
import { ownerOnly, type Principal, type Scope } from '../../platform/auth/principal.ts';
import { headResponse, json, jsonText, route } from '../../platform/http/route.ts';
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
import { feedQuery, wholeNumber, windowOf } from './feed/query.ts';
import type { Feed } from './feed/reader.ts';
import type { FunctionService } from './service.ts';

const TAG = 'Functions';

/** The owner, and applications that the owner lets act as the owner. */
const usesFunctions = { auth: 'scopes', scopesFor: (): readonly Scope[] => ['functions:use'] } as const;

const params = z.strictObject({ id: functionIdSchema });
const runParams = z.strictObject({ id: functionIdSchema, runId: z.uuid() });
const MAX_RUNS = 200;

const NO_RUN = ['function_not_available', 'not_found'] as const;

export const functionRoutes = (parts: { functions: FunctionService; feed: Feed; now: () => number }) => {
  const { functions, feed } = parts;

  /** What a function elsewhere reads leaves this PDA: that is the owner's own to agree to. */
  const ownOnly = (principal: Principal, id: string): void => {
    if (principal.kind !== 'owner' && functions.isElsewhere(id))
      throw new Failure('forbidden', 'This function runs elsewhere. Only the owner can say what it gets.');
  };

  return [
    route({
      method: 'GET',
      path: '/api/v2.6/she/function',
      tag: TAG,
      summary: 'Functions with their status',
      access: usesFunctions,
      responses: { 200: { description: 'Every one that is known here', schema: z.array(functionConfigurationSchema) } },
      handler: () => json(200, functions.list()),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/she/function/:id',
      tag: TAG,
      summary: 'One function with its status',
      access: usesFunctions,
      params,
      responses: { 200: { description: 'The function', schema: functionConfigurationSchema } },
      errors: ['not_found'],
      handler: ({ params: { id } }) => json(200, functions.find(id)),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/she/function/:id/enable',
      tag: TAG,
      summary: 'Enable a function',
      description:
        'From now on it runs as it publishes, over what its published bundle names and nothing else. One that runs elsewhere can be enabled by the owner alone.',
      access: usesFunctions,
      params,
      responses: { 200: { description: 'The function as it is now', schema: functionConfigurationSchema } },
      errors: [...NO_RUN, 'forbidden', 'wrong_state'],
      handler: async ({ params: { id }, caller }) => {
        ownOnly(caller.principal, id);
        return json(200, await functions.enable(id));
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/she/function/:id/disable',
      tag: TAG,
      summary: 'Disable a function',
      description: 'A run under way is broken off, and stores nothing.',
      access: usesFunctions,
      params,
      responses: { 200: { description: 'The function as it is now', schema: functionConfigurationSchema } },
      errors: ['not_found', 'forbidden'],
      handler: async ({ params: { id }, caller }) => {
        ownOnly(caller.principal, id);
        return json(200, await functions.disable(id));
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/she/function/:id/trigger',
      takesMinutes: true,
      tag: TAG,
      summary: 'Run a function now',
      description:
        'Over what came since its last run, also when that is nothing; with `useAll=true` over its whole bundle. Answers when the run has ended; a run that failed is 502, and its code says how.',
      access: usesFunctions,
      params,
      query: z.object({ useAll: z.enum(['true', 'false']).default('false') }),
      responses: { 200: { description: 'It has run, and is so now', schema: functionConfigurationSchema } },
      errors: [
        ...NO_RUN,
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
    route({
      method: 'GET',
      path: '/api/v2.6/she/function/:id/runs',
      tag: TAG,
      summary: 'When a function ran, and what became of it',
      access: ownerOnly,
      params,
      query: z.object({ skip: wholeNumber(0), take: wholeNumber(50).transform((take) => Math.min(take, MAX_RUNS)) }),
      responses: { 200: { description: 'Newest first', schema: functionRunPageSchema } },
      errors: ['not_found'],
      handler: ({ params: { id }, query }) => json(200, functions.runs(id, query)),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/she/function/:id/runs/:runId',
      tag: TAG,
      summary: 'One run with its log and its records',
      access: ownerOnly,
      params: runParams,
      responses: { 200: { description: 'The run', schema: functionRunDetailSchema } },
      errors: ['not_found'],
      handler: async ({ params: { id, runId } }) => json(200, await functions.run(id, runId)),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/she/function/:id/runs/:runId/undo',
      tag: TAG,
      summary: 'Take away what a run stored',
      description: 'For 30 days that can be undone itself, like every deletion of records.',
      access: ownerOnly,
      params: runParams,
      responses: { 200: { description: 'The run as it is now', schema: functionRunSchema } },
      errors: ['not_found', 'wrong_state', 'data_missing'],
      handler: async ({ params: { id, runId } }) => json(200, await functions.undo(id, runId)),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/she/function/:id/dry-run',
      takesMinutes: true,
      tag: TAG,
      summary: 'Run a function and save nothing',
      description: 'Shows to the letter what it would get and what it answers; also before it is enabled.',
      access: ownerOnly,
      params,
      body: { as: 'json', schema: dryRunRequestSchema },
      responses: { 200: { description: 'What it got and what it gave', schema: dryRunSchema } },
      errors: [...NO_RUN, 'wrong_state', 'query_limit_exceeded'],
      handler: async ({ params: { id }, body }) => jsonText(200, await functions.dryRun(id, body)),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/she/feed',
      tag: TAG,
      summary: 'The feed',
      description: `Records that have the shape of a feed item, newest first; at most ${MAX_FEED_ITEMS} in one answer, and fewer where they are large.`,
      access: usesFunctions,
      query: feedQuery,
      responses: { 200: { description: 'Its items', schema: z.array(feedItemSchema) } },
      errors: ['query_limit_exceeded'],
      handler: async ({ query, caller }) =>
        caller.headersOnly
          ? headResponse(200)
          : json(200, await feed.items(undefined, windowOf(query, parts.now()), nonOwnerReaderOf(caller))),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/she/feed/*endpoint',
      tag: TAG,
      summary: 'The feed of one endpoint',
      access: usesFunctions,
      params: z.strictObject({ endpoint: z.union([endpointSchema, endpointPathSchema]) }),
      query: feedQuery,
      responses: { 200: { description: 'Its items', schema: z.array(feedItemSchema) } },
      errors: ['query_limit_exceeded'],
      handler: async ({ params: { endpoint }, query, caller }) =>
        caller.headersOnly
          ? headResponse(200)
          : json(200, await feed.items(endpoint, windowOf(query, parts.now()), nonOwnerReaderOf(caller))),
    }),
  ] as const;
};
