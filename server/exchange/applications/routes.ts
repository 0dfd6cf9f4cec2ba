import { z } from 'zod';
import { Failure } from '../../platform/failure.ts';
import { anyone, type Principal } from '../../platform/principal.ts';
import { json, message, route } from '../../platform/route.ts';
import { accountOf, hasRole, withRole } from '../../platform/service-access.ts';
import { conditionalHeaders, tagged, UNCHANGED } from '../../platform/tagged.ts';
import { applicationIdSchema, applicationSchema, publishedApplicationSchema } from '../../wire/applications.ts';
import { messageSchema, wholeNumber } from '../../wire/common.ts';
import { listedApplicationSchema, newApplicationPropertiesSchema } from '../../wire/exchange.ts';
import { pdaAddressSchema } from '../../wire/pda-address.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../wire/limits.ts';
import type { ApplicationService, Developer } from './service.ts';

const idParams = z.object({ id: applicationIdSchema });

const unpublishedQuery = {
  unpublished: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: '`true`: newest versions, published or not; of a developer’s own, administrators all' }),
};

/** `DataPlug` is read too. */
const kindQuery = z
  .enum(['App', 'Data Plug', 'DataPlug', 'Tool', 'Contract'])
  .transform((kind) => (kind === 'DataPlug' ? 'Data Plug' : kind))
  .optional();

const addressOf = (principal: Principal): string | null => (principal.kind === 'pda' ? principal.address : null);

/** Whose drafts a caller sees; undefined: everybody's. @throws Failure forbidden */
const draftsOf = (principal: Principal): string | undefined => {
  if (hasRole(principal, 'administrator')) return undefined;
  if (principal.kind === 'account' && hasRole(principal, 'developer')) return principal.accountId;
  throw new Failure('forbidden', 'What is not published is for its developer and for administrators.');
};

const developerOf = (caller: { principal: Principal }): Developer => {
  const { accountId, name } = accountOf(caller);
  return { accountId, name };
};

const listedAnswer = (description: string) => ({ description, schema: listedApplicationSchema });

export const applicationRoutes = ({ applications }: { applications: ApplicationService }) =>
  [
    route({
      method: 'GET',
      path: '/api/v2/applications',
      tag: 'Applications',
      summary: 'Published applications',
      description:
        'In the order of their ids. `ETag` and `If-None-Match` work. To a PDA that shows its token some may look different: see `update-application`.',
      access: anyone,
      query: z.object({
        ...unpublishedQuery,
        kind: kindQuery,
        startId: applicationIdSchema.optional().meta({ description: 'Begin with this one' }),
        limit: wholeNumber.pipe(z.int().min(1)).optional(),
      }),
      headers: conditionalHeaders,
      responses: { 200: { description: 'Applications', schema: z.array(applicationSchema) }, ...UNCHANGED },
      errors: ['forbidden'],
      handler: async ({ query, headers, caller }) => {
        const { unpublished, ...filter } = query;
        if (unpublished === 'true') return json(200, await applications.newest(filter, draftsOf(caller.principal)));
        return tagged(await applications.catalogue(filter, addressOf(caller.principal)), headers['if-none-match']);
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2/applications/:id',
      tag: 'Applications',
      summary: 'One application',
      access: anyone,
      params: idParams,
      query: z.object(unpublishedQuery),
      headers: conditionalHeaders,
      responses: { 200: { description: 'The application', schema: applicationSchema }, ...UNCHANGED },
      errors: ['not_found', 'forbidden'],
      handler: async ({ params, query, headers, caller }) => {
        const { principal } = caller;
        if (query.unpublished === 'true')
          return json(200, await applications.newestOne(params.id, draftsOf(principal)));
        return tagged(await applications.publicOne(params.id, addressOf(principal)), headers['if-none-match']);
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2/applications',
      tag: 'Applications',
      summary: 'Create an application',
      description: 'A draft. Its id is the developer’s from then on; ids are compared without case.',
      access: withRole('developer'),
      body: { as: 'json', schema: publishedApplicationSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 201: listedAnswer('The draft') },
      errors: ['already_exists', 'wrong_state'],
      handler: async ({ body, caller }) => json(201, await applications.create(body, developerOf(caller))),
    }),
    route({
      method: 'PUT',
      path: '/api/v2/applications/:id',
      tag: 'Applications',
      summary: 'Change the draft, or begin the next version',
      description:
        'What is published stays as it is until the new version is. A published version is never changed: the next one has a higher number.',
      access: withRole('developer'),
      params: idParams,
      body: { as: 'json', schema: publishedApplicationSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: listedAnswer('The draft') },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, body, caller }) => {
        if (body.id.toLowerCase() !== params.id.toLowerCase()) {
          throw new Failure('invalid_input', 'An application keeps its id.', {
            details: [{ path: 'body.id', problem: `must be \`${params.id}\`` }],
          });
        }
        return json(200, await applications.change(params.id, body, developerOf(caller)));
      },
    }),
    route({
      method: 'PUT',
      path: '/api/v2/applications/:id/submit',
      tag: 'Applications',
      summary: 'Ask for the newest version to be published',
      access: withRole('developer'),
      params: idParams,
      responses: { 200: listedAnswer('It waits for a verdict') },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller }) => json(200, await applications.submit(params.id, developerOf(caller))),
    }),
    route({
      method: 'PUT',
      path: '/api/v2/applications/:id/publish',
      tag: 'Applications',
      summary: 'Publish what was submitted, or what was suspended',
      description:
        '`changed` is that of the application that was looked at: one that was changed since is not published.',
      access: withRole('administrator'),
      params: idParams,
      query: z.object({ changed: wholeNumber.optional() }),
      responses: { 200: listedAnswer('It is published') },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, query, caller }) =>
        json(200, await applications.publish(params.id, accountOf(caller).name, query.changed)),
    }),
    route({
      method: 'PUT',
      path: '/api/v2/applications/:id/suspend',
      tag: 'Applications',
      summary: 'Take it from where PDAs read, or turn a submitted one down',
      access: withRole('administrator'),
      params: idParams,
      responses: { 200: listedAnswer('It is suspended') },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller }) => json(200, await applications.suspend(params.id, accountOf(caller).name)),
    }),
    route({
      method: 'GET',
      path: '/api/applications/listed',
      tag: 'Applications',
      summary: 'Applications and where they stand',
      description: 'A developer’s own; administrators all. In the order of their ids.',
      access: withRole('developer'),
      query: z.object({
        state: z.enum(['draft', 'waiting', 'published', 'suspended']).optional(),
        id: applicationIdSchema.optional().meta({ description: 'Only this one' }),
        after: applicationIdSchema.optional().meta({ description: 'Id of the last one of the page before' }),
        take: wholeNumber.pipe(z.int().min(1).max(500)).default(200),
      }),
      responses: { 200: { description: 'Applications', schema: z.array(listedApplicationSchema) } },
      handler: async ({ query, caller }) => {
        const accountId = draftsOf(caller.principal);
        const { after, id, ...listing } = query;
        return json(
          200,
          await applications.listed({
            ...listing,
            ...(after === undefined ? {} : { after: after.toLowerCase() }),
            ...(id === undefined ? {} : { key: id.toLowerCase() }),
            ...(accountId === undefined ? {} : { accountId }),
          }),
        );
      },
    }),
    route({
      method: 'POST',
      path: '/api/users/update-application',
      tag: 'Applications',
      summary: 'Change how an application is shown to some PDAs',
      description:
        'The application whose id or name is `title`. PDAs whose address lies in `cluster` (a domain, or a domain with a port), and the one at `pdaFilter`, read it with this description, logo and address; without either everybody does. Sent again for the same PDAs, it replaces what was sent before.',
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
        return message(200, `${body.title} was updated.`);
      },
    }),
  ] as const;
