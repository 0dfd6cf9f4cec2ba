import { z } from 'zod';
import { anyToken } from '../../platform/principal.ts';
import { json, message, route } from '../../platform/route.ts';
import { accountOf, withRole } from '../../platform/service-access.ts';
import { conditionalHeaders, tagged, UNCHANGED } from '../../platform/tagged.ts';
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
      summary: 'Data Plugs',
      description:
        'Accounts see all, PDAs those that are approved and connected: an owner is shown nothing that the operator has not approved. `ETag` and `If-None-Match` work.',
      access: anyToken,
      headers: conditionalHeaders,
      responses: { 200: { description: 'Data Plugs by name', schema: z.array(dataPlugSchema) }, ...UNCHANGED },
      handler: async ({ headers, caller }) => tagged(await plugs.list(caller.principal), headers['if-none-match']),
    }),
    route({
      method: 'POST',
      path: '/api/dataplugs',
      tag: TAG,
      summary: 'Register a Data Plug',
      description: 'For an account with the role dataPlug. The application that owners set up is made with it.',
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
      description: 'Administrators all of it; its owner the hash of its password and its addresses.',
      access: withRole('dataPlug'),
      params,
      body: { as: 'json', schema: dataPlugChangeSchema },
      responses: { 200: { description: 'As it is now', schema: dataPlugSchema } },
      errors: ['not_found', 'already_exists', 'wrong_state'],
      handler: async ({ params: { id }, body, caller }) => json(200, await plugs.change(id, body, accountOf(caller))),
    }),
    route({
      method: 'GET',
      path: '/api/dataplugs/:id/connect',
      tag: TAG,
      summary: 'Connect a Data Plug',
      description:
        'Its owner says that it runs: owners of PDAs find it from then on. With `pda`, whether that PDA is registered here is said too.',
      access: withRole('dataPlug'),
      params,
      query: z.strictObject({ pda: pdaAddressSchema.optional() }),
      responses: { 200: { description: 'It is connected', schema: messageSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params: { id }, query: { pda }, caller }) =>
        message(200, await plugs.connect(id, pda, accountOf(caller))),
    }),
  ] as const;
