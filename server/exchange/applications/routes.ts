import { z } from 'zod';
import { Failure } from '../../platform/failure.ts';
import { publicAccess, type Principal } from '../../platform/auth/principal.ts';
import { json, messageResponse, route } from '../../platform/http/route.ts';
import { accountOf, hasRole, withRole } from '../../platform/service/authorization.ts';
import { conditionalHeaders, conditionalResponse, NOT_MODIFIED } from '../../platform/http/response/etag.ts';
import { applicationIdSchema, applicationSchema, publishedApplicationSchema } from '../../wire/applications.ts';
import { messageSchema, wholeNumber } from '../../wire/common.ts';
import { listedApplicationSchema, newApplicationPropertiesSchema } from '../../wire/exchange.ts';
import { pdaAddressSchema } from '../../wire/pda-address.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../wire/limits.ts';
import type { ApplicationService } from './service.ts';

const idParams = z.object({ id: applicationIdSchema });

const unpublishedQuery = {
  unpublished: z.enum(['true', 'false']).default('false').meta({
    description:
      '`true` returns the newest versions including drafts: developers receive their own, administrators all',
  }),
};

const kindQuery = z
  .enum(['App', 'Data Plug', 'DataPlug', 'Tool', 'Contract'])
  .transform((kind) => (kind === 'DataPlug' ? 'Data Plug' : kind))
  .optional();

const addressOf = (principal: Principal): string | null => (principal.kind === 'pda' ? principal.address : null);

/**
 * Returns the account whose drafts the principal may see; undefined if it may see the drafts of all accounts.
 * @throws Failure forbidden
 */
const draftOwnerOf = (principal: Principal): string | undefined => {
  if (hasRole(principal, 'administrator')) return undefined;
  if (principal.kind === 'account' && hasRole(principal, 'developer')) return principal.accountId;
  throw new Failure('forbidden', 'Only developers and administrators may see unpublished applications.');
};

const listedResponse = (description: string) => ({ description, schema: listedApplicationSchema });

export const applicationRoutes = ({ applications }: { applications: ApplicationService }) =>
  [
    route({
      method: 'GET',
      path: '/api/v2/applications',
      tag: 'Applications',
      summary: 'List published applications',
      description:
        'Ordered by id. Supports `ETag` and `If-None-Match`, except with `unpublished=true`. A PDA that sends its token receives the properties that apply to it (see `update-application`).',
      access: publicAccess,
      query: z.object({
        ...unpublishedQuery,
        kind: kindQuery,
        startId: applicationIdSchema.optional().meta({ description: 'The first id of the page' }),
        limit: wholeNumber.pipe(z.int().min(1)).optional(),
      }),
      headers: conditionalHeaders,
      responses: { 200: { description: 'Applications', schema: z.array(applicationSchema) }, ...NOT_MODIFIED },
      errors: ['forbidden'],
      handler: async ({ query, headers, caller }) => {
        const { unpublished, ...filter } = query;
        if (unpublished === 'true')
          return json(200, await applications.listNewest(filter, draftOwnerOf(caller.principal)));
        return conditionalResponse(
          await applications.listPublished(filter, addressOf(caller.principal)),
          headers['if-none-match'],
        );
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2/applications/:id',
      tag: 'Applications',
      summary: 'Get an application',
      access: publicAccess,
      params: idParams,
      query: z.object(unpublishedQuery),
      headers: conditionalHeaders,
      responses: { 200: { description: 'The application', schema: applicationSchema }, ...NOT_MODIFIED },
      errors: ['not_found', 'forbidden'],
      handler: async ({ params, query, headers, caller }) => {
        const { principal } = caller;
        if (query.unpublished === 'true')
          return json(200, await applications.getNewest(params.id, draftOwnerOf(principal)));
        return conditionalResponse(
          await applications.getPublished(params.id, addressOf(principal)),
          headers['if-none-match'],
        );
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2/applications',
      tag: 'Applications',
      summary: 'Create an application',
      description: 'Creates a draft and reserves its id for the developer. Ids are not case-sensitive.',
      access: withRole('developer'),
      body: { as: 'json', schema: publishedApplicationSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 201: listedResponse('The draft') },
      errors: ['already_exists', 'wrong_state'],
      handler: async ({ body, caller }) => json(201, await applications.create(body, accountOf(caller))),
    }),
    route({
      method: 'PUT',
      path: '/api/v2/applications/:id',
      tag: 'Applications',
      summary: 'Change the draft or start the next version',
      description:
        'The published version stays public until the new version is published. Published versions cannot be changed; the next version needs a higher number.',
      access: withRole('developer'),
      params: idParams,
      body: { as: 'json', schema: publishedApplicationSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: listedResponse('The draft') },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, body, caller }) => {
        if (body.id.toLowerCase() !== params.id.toLowerCase()) {
          throw new Failure('invalid_input', 'The id of an application cannot be changed.', {
            details: [{ path: 'body.id', problem: `must be \`${params.id}\`` }],
          });
        }
        return json(200, await applications.change(params.id, body, accountOf(caller)));
      },
    }),
    route({
      method: 'PUT',
      path: '/api/v2/applications/:id/submit',
      tag: 'Applications',
      summary: 'Submit the newest version for review',
      access: withRole('developer'),
      params: idParams,
      responses: { 200: listedResponse('The application, awaiting review') },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller }) => json(200, await applications.submit(params.id, accountOf(caller))),
    }),
    route({
      method: 'PUT',
      path: '/api/v2/applications/:id/publish',
      tag: 'Applications',
      summary: 'Publish a submitted version or lift a suspension',
      description:
        'If `changed` is sent with its value from the reviewed application, the request fails if the application was changed after the review.',
      access: withRole('administrator'),
      params: idParams,
      query: z.object({ changed: wholeNumber.optional() }),
      responses: { 200: listedResponse('The application') },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, query, caller }) =>
        json(200, await applications.publish(params.id, accountOf(caller).name, query.changed)),
    }),
    route({
      method: 'PUT',
      path: '/api/v2/applications/:id/suspend',
      tag: 'Applications',
      summary: 'Suspend a published application or reject a submitted version',
      description: 'Rejecting a version also suspends the published version, if there is one.',
      access: withRole('administrator'),
      params: idParams,
      responses: { 200: listedResponse('The suspended application') },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller }) => json(200, await applications.suspend(params.id, accountOf(caller).name)),
    }),
    route({
      method: 'GET',
      path: '/api/applications/listed',
      tag: 'Applications',
      summary: 'List applications with their states',
      description: 'Developers receive their own applications, administrators all. Ordered by id.',
      access: withRole('developer'),
      query: z.object({
        state: z.enum(['draft', 'waiting', 'published', 'suspended']).optional(),
        id: applicationIdSchema.optional().meta({ description: 'Id of a single application' }),
        after: applicationIdSchema.optional().meta({ description: 'Id of the last application of the previous page' }),
        take: wholeNumber.pipe(z.int().min(1).max(500)).default(200),
      }),
      responses: { 200: { description: 'Applications', schema: z.array(listedApplicationSchema) } },
      handler: async ({ query, caller }) => {
        const { after, id, ...filter } = query;
        const rows = await applications.list({
          ...filter,
          after: after?.toLowerCase(),
          key: id?.toLowerCase(),
          accountId: draftOwnerOf(caller.principal),
        });
        return json(200, rows);
      },
    }),
    route({
      method: 'POST',
      path: '/api/users/update-application',
      tag: 'Applications',
      summary: 'Change how an application is shown to some PDAs',
      description:
        'Changes the description, logo and addresses of the published application with the id `title` or, if there is none, of all published applications with this name. `cluster` (a domain, optionally with a port) restricts the change to PDAs at or below it, `pdaFilter` to a single PDA; if both are empty, the change applies to all readers. A repeated request with the same restrictions replaces the previous change.',
      access: withRole('administrator'),
      query: z.object({
        cluster: z.union([z.literal(''), pdaAddressSchema]).default(''),
        pdaFilter: z.union([z.literal(''), pdaAddressSchema]).default(''),
      }),
      body: { as: 'json', schema: newApplicationPropertiesSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Changed', schema: messageSchema } },
      errors: ['not_found'],
      handler: async ({ query, body, caller }) => {
        const scope = { cluster: query.cluster, pda: query.pdaFilter };
        await applications.changeProperties(body, scope, accountOf(caller).name);
        return messageResponse(200, `${body.title} was updated.`);
      },
    }),
  ] as const;
