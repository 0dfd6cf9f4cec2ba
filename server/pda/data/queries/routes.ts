import { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import type { Scope } from '../../../platform/auth/principal.ts';
import {
  createRouteDeclarer,
  headResponse,
  json,
  jsonText,
  messageResponse,
  type Caller,
} from '../../../platform/http/route.ts';
import { nonOwnerReaderOf, type NonOwnerReader } from '../../../platform/auth/access-trace.ts';
import { messageSchema, pagingQuery, pathNameSchema, dateTimeSchema } from '../../../wire/common.ts';
import { outputsEntireRecords } from '../../../wire/entire-records.ts';
import { PROFILE_BUNDLE } from '../../../wire/profile.ts';
import { bundleSchema, combinatorSchema, type Bundle, type CombinatorEntry } from '../../../wire/query.ts';
import { recordListSchema } from '../../../wire/records.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import type { QueryService } from './service.ts';

/** Access for the owner, and for applications with the role `owner`. */
const privilegedAccess = { auth: 'scopes', scopesFor: (): readonly Scope[] => ['queries:use'] } as const;
const privilegedRoute = createRouteDeclarer({ tag: 'Combinators and bundles', access: privilegedAccess });

const REGISTERED_BEFORE_READ =
  'If reading the bundle exceeds a limit, the request fails, but the bundle is registered.';

const nameParams = z.strictObject({ name: pathNameSchema });
const bundleData = z.record(z.string(), recordListSchema).meta({ id: 'BundleData' });
const namedList = z.array(z.strictObject({ name: z.string(), created: dateTimeSchema }));

/**
 * Rejects a change to the bundle of the profile by an application with the role `owner`: the profile is public, and
 * only the owner decides what anonymous callers can read.
 */
const requireOwnerForProfile = (name: string, { principal }: Caller): void => {
  if (name === PROFILE_BUNDLE && principal.kind !== 'owner')
    throw new Failure('forbidden', 'Only the owner can change the bundle of the public profile.');
};

/** Rejects bundle names that end in `/structure`, because GET on such a path returns the definition of a bundle. */
const rejectReservedName = (name: string): void => {
  if (!name.endsWith('/structure')) return;
  throw new Failure('invalid_input', 'A bundle name cannot end in /structure.', {
    details: [{ path: 'path.name', problem: 'ends in /structure' }],
  });
};

/**
 * Marks a change as stored. The access log records a change by the owner only for the bundle of the public profile,
 * because only that is a decision about access.
 */
const traceChange = ({ trace }: Caller, name: string): void => {
  trace.isUnrecorded = name !== PROFILE_BUNDLE;
  trace.isDecisionStored = true;
};

/** Returns the non-owner reader, and adds the fields that it reads to the trace. Returns undefined for the owner. */
const readerOf = (caller: Caller, entries: readonly CombinatorEntry[]): NonOwnerReader | undefined => {
  const nonOwner = nonOwnerReaderOf(caller);
  if (nonOwner === undefined) return undefined;
  const fields = new Set<string>();
  let readsAllFields = false;
  for (const { mapping } of entries) {
    if (outputsEntireRecords(mapping)) readsAllFields = true;
    for (const name of Object.keys(mapping ?? {})) fields.add(name);
  }
  caller.trace.fields = readsAllFields ? null : [...fields].toSorted();
  return nonOwner;
};
const bundleReaderOf = (caller: Caller, bundle: Bundle): NonOwnerReader | undefined =>
  readerOf(
    caller,
    Object.values(bundle).flatMap((property) => property.endpoints),
  );

export const queryRoutes = ({ queries }: { queries: QueryService }) => {
  const registerAndRead = async (name: string, bundle: Bundle, caller: Caller, replace: boolean) => {
    requireOwnerForProfile(name, caller);
    rejectReservedName(name);
    await queries.registerBundle(name, bundle, replace);
    traceChange(caller, name);
    return jsonText(200, await queries.readBundle(bundle, bundleReaderOf(caller, bundle)));
  };

  return [
    privilegedRoute({
      method: 'GET',
      path: '/api/v2.6/combinator',
      summary: 'List combinators',
      responses: { 200: { description: 'Sorted by name', schema: namedList } },
      handler: () => json(200, queries.combinators()),
    }),
    privilegedRoute({
      method: 'POST',
      path: '/api/v2.6/combinator/*name',
      summary: 'Register a combinator',
      description: 'Fails if the name exists. Use PUT to replace it.',
      params: nameParams,
      body: { as: 'json', schema: combinatorSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 201: { description: 'Registered', schema: messageSchema } },
      errors: ['already_exists'],
      handler: async ({ params, body }) => {
        await queries.registerCombinator(params.name, body, false);
        return messageResponse(201, `Combinator ${params.name} registered`);
      },
    }),
    privilegedRoute({
      method: 'PUT',
      path: '/api/v2.6/combinator/*name',
      summary: 'Register or change a combinator',
      params: nameParams,
      body: { as: 'json', schema: combinatorSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Registered', schema: messageSchema } },
      handler: async ({ params, body }) => {
        await queries.registerCombinator(params.name, body, true);
        return messageResponse(200, `Combinator ${params.name} registered`);
      },
    }),
    privilegedRoute({
      method: 'GET',
      path: '/api/v2.6/combinator/*name',
      summary: 'Read the records of a combinator',
      params: nameParams,
      query: z.object(pagingQuery),
      responses: { 200: { description: 'Filtered and mapped records, interleaved', schema: recordListSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: ({ params, query, caller }) => {
        const { skip, take, orderBy } = query;
        const ordering = query.ordering === 'descending' ? 'descending' : 'ascending';
        const entries = queries.combinator(params.name);
        if (caller.headersOnly) return headResponse(200);
        return queries.respond(entries, {
          orderBy: orderBy === '' ? undefined : orderBy,
          ordering,
          skip,
          take,
          nonOwner: readerOf(caller, entries),
        });
      },
    }),
    privilegedRoute({
      method: 'DELETE',
      path: '/api/v2.6/combinator/*name',
      summary: 'Remove a combinator',
      params: nameParams,
      responses: { 200: { description: 'Removed', schema: messageSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => {
        await queries.removeCombinator(params.name);
        return messageResponse(200, `Combinator ${params.name} removed`);
      },
    }),
    privilegedRoute({
      method: 'GET',
      path: '/api/v2.6/data-bundle',
      summary: 'List bundles',
      responses: { 200: { description: 'Sorted by name', schema: namedList } },
      handler: () => json(200, queries.bundles()),
    }),
    privilegedRoute({
      method: 'POST',
      path: '/api/v2.6/data-bundle/*name',
      summary: 'Register a bundle and read it',
      description: `Fails if the name exists. Use PUT to replace a bundle that does not belong to a Data Debit. ${REGISTERED_BEFORE_READ}`,
      params: nameParams,
      body: { as: 'json', schema: bundleSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Records by property', schema: bundleData } },
      errors: ['already_exists', 'query_limit_exceeded'],
      ownerDecision: true,
      handler: ({ params, body, caller }) => registerAndRead(params.name, body, caller, false),
    }),
    privilegedRoute({
      method: 'PUT',
      path: '/api/v2.6/data-bundle/*name',
      summary: 'Register or change a bundle and read it',
      description: `Fails if the bundle belongs to a Data Debit. ${REGISTERED_BEFORE_READ}`,
      params: nameParams,
      body: { as: 'json', schema: bundleSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Records by property', schema: bundleData } },
      errors: ['already_exists', 'query_limit_exceeded'],
      ownerDecision: true,
      handler: ({ params, body, caller }) => registerAndRead(params.name, body, caller, true),
    }),
    privilegedRoute({
      method: 'GET',
      path: '/api/v2.6/data-bundle/*name/structure',
      summary: 'Get the definition of a bundle',
      params: nameParams,
      responses: {
        200: { description: 'Name and definition', schema: z.strictObject({ name: z.string(), bundle: bundleSchema }) },
      },
      errors: ['not_found'],
      handler: ({ params }) => json(200, { name: params.name, bundle: queries.bundle(params.name) }),
    }),
    privilegedRoute({
      method: 'GET',
      path: '/api/v2.6/data-bundle/*name',
      summary: 'Read a bundle',
      params: nameParams,
      responses: { 200: { description: 'Records by property', schema: bundleData } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ params, caller }) => {
        const bundle = queries.bundle(params.name);
        if (caller.headersOnly) return headResponse(200);
        return jsonText(200, await queries.readBundle(bundle, bundleReaderOf(caller, bundle)));
      },
    }),
    privilegedRoute({
      method: 'DELETE',
      path: '/api/v2.6/data-bundle/*name',
      summary: 'Remove a bundle',
      description: 'Fails if the bundle belongs to a Data Debit.',
      params: nameParams,
      responses: { 200: { description: 'Removed', schema: messageSchema } },
      errors: ['not_found', 'already_exists'],
      ownerDecision: true,
      handler: async ({ params, caller }) => {
        requireOwnerForProfile(params.name, caller);
        await queries.removeBundle(params.name);
        traceChange(caller, params.name);
        return messageResponse(200, `Bundle ${params.name} removed`);
      },
    }),
  ] as const;
};
