import { z } from 'zod';
import { anyToken } from '../../platform/auth/principal.ts';
import { json, messageResponse, route } from '../../platform/http/route.ts';
import { accountOf, withRole } from '../../platform/service/authorization.ts';
import { conditionalHeaders, conditionalResponse, NOT_MODIFIED } from '../../platform/http/response/etag.ts';
import { messageSchema } from '../../wire/common.ts';
import { dataPlugChangeSchema, dataPlugSchema, newDataPlugSchema } from '../../wire/data-plugs.ts';
import { pdaAddressSchema } from '../../wire/pda-address.ts';
import type { PlugService } from './service.ts';

const TAG = 'Data Plugs';

const params = z.strictObject({ id: z.uuid() });

export const plugRoutes = ({ plugs }: { plugs: PlugService }) =>
  [
    route({
      method: 'GET',
      path: '/api/dataplugs',
      tag: TAG,
      summary: 'List Data Plugs',
      description:
        'Accounts receive all Data Plugs, PDAs only those that are approved and connected. Supports `ETag` and `If-None-Match`.',
      access: anyToken,
      headers: conditionalHeaders,
      responses: {
        200: { description: 'Data Plugs, ordered by name', schema: z.array(dataPlugSchema) },
        ...NOT_MODIFIED,
      },
      handler: async ({ headers, caller }) =>
        conditionalResponse(await plugs.list(caller.principal), headers['if-none-match']),
    }),
    route({
      method: 'POST',
      path: '/api/dataplugs',
      tag: TAG,
      summary: 'Register a Data Plug',
      description:
        '`owner` must be the name of an account with the role dataPlug. Also creates the application with which owners of PDAs set up the Data Plug.',
      access: withRole('administrator'),
      body: { as: 'json', schema: newDataPlugSchema },
      responses: { 201: { description: 'Registered', schema: dataPlugSchema } },
      errors: ['already_exists'],
      handler: async ({ body, caller }) => json(201, await plugs.register(body, accountOf(caller).name)),
    }),
    route({
      method: 'PUT',
      path: '/api/dataplugs/:id',
      tag: TAG,
      summary: 'Change a Data Plug',
      description:
        'Administrators may change all fields of the body; the account that owns the Data Plug may change only `passwordHash`, `url` and `illustrationUrl`. Name, owner and namespace stay unchanged.',
      access: withRole('dataPlug'),
      params,
      body: { as: 'json', schema: dataPlugChangeSchema },
      responses: { 200: { description: 'The changed Data Plug', schema: dataPlugSchema } },
      errors: ['not_found', 'already_exists'],
      handler: async ({ params: { id }, body, caller }) => json(200, await plugs.change(id, body, accountOf(caller))),
    }),
    route({
      method: 'GET',
      path: '/api/dataplugs/:id/connect',
      tag: TAG,
      summary: 'Connect a Data Plug',
      description:
        'Called by the account that owns the Data Plug, once the Data Plug is running. PDAs list it from then on. With `pda`, also checks that this PDA is registered.',
      access: withRole('dataPlug'),
      params,
      query: z.strictObject({ pda: pdaAddressSchema.optional() }),
      responses: { 200: { description: 'Connected', schema: messageSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params: { id }, query: { pda }, caller }) =>
        messageResponse(200, await plugs.connect(id, pda, accountOf(caller))),
    }),
  ] as const;
