import { z } from 'zod';
import { publicAccess } from '../../platform/auth/principal.ts';
import { json, messageResponse, route } from '../../platform/http/route.ts';
import { accountOf, pdaOf, pdaOnly, withRole } from '../../platform/service/authorization.ts';
import { messageSchema, wholeNumber } from '../../wire/common.ts';
import { pdaDisclosureSchema, pdaKeySchema, registeredPdaSchema, registerPdaSchema } from '../../wire/exchange.ts';
import { pdaAddressSchema } from '../../wire/pda-address.ts';
import type { PdaService } from './service.ts';

const TAG = 'PDAs';
const params = z.object({ id: z.uuid() });

export const pdaRoutes = ({ pdas }: { pdas: PdaService }) =>
  [
    route({
      method: 'POST',
      path: '/api/users/registerPda',
      tag: TAG,
      summary: 'Register the PDA at an address',
      description:
        'The exchange requests `GET /publickey` and `POST /api/v2.6/exchange/proof` from the address, with a challenge that the PDA signs. Registering again refreshes the registration. ' +
        'A registered address is bound to its key. A new key needs a signature by the previous key or the approval of an administrator.',
      access: publicAccess,
      body: { as: 'json', schema: registerPdaSchema },
      responses: { 200: { description: 'Registered', schema: messageSchema } },
      errors: ['forbidden'],
      handler: async ({ body, caller }) => {
        await pdas.register(body.pdaAddress, { from: caller.address, applicationId: body.applicationId });
        return messageResponse(200, `The PDA ${body.pdaAddress} is registered.`);
      },
    }),
    route({
      method: 'GET',
      path: '/api/pdas/self',
      tag: TAG,
      summary: 'Show the registration, reports and claims of the calling PDA',
      access: pdaOnly,
      responses: { 200: { description: 'The stored data', schema: pdaDisclosureSchema } },
      errors: ['not_found'],
      handler: async ({ caller }) => json(200, await pdas.showStoredData(pdaOf(caller).pdaId)),
    }),
    route({
      method: 'DELETE',
      path: '/api/pdas/self',
      tag: TAG,
      summary: 'Remove the calling PDA, its reports and its claims',
      access: pdaOnly,
      responses: { 200: { description: 'Removed', schema: messageSchema } },
      errors: ['not_found'],
      handler: async ({ caller }) => {
        const { pdaId, address } = pdaOf(caller);
        await pdas.remove(pdaId, address);
        return { ...messageResponse(200, 'This PDA has left.'), endsSession: true };
      },
    }),
    route({
      method: 'GET',
      path: '/api/pdas',
      tag: TAG,
      summary: 'List registered PDAs in the order of their registration',
      description: '`after` is the id of the last PDA of the previous page. `address` finds a single PDA.',
      access: withRole('administrator'),
      query: z.object({
        after: z.uuid().optional(),
        address: pdaAddressSchema.optional(),
        take: wholeNumber.pipe(z.int().min(1).max(1000)).default(100),
      }),
      responses: { 200: { description: 'A page of PDAs', schema: z.array(registeredPdaSchema) } },
      handler: async ({ query }) => json(200, await pdas.list(query)),
    }),
    route({
      method: 'PUT',
      path: '/api/pdas/:id/key',
      tag: TAG,
      summary: "Approve a PDA's new key",
      description:
        'The body must contain the key that awaits approval (`waitingKey`), so that an administrator cannot approve a key unseen.',
      access: withRole('administrator'),
      params,
      body: { as: 'json', schema: pdaKeySchema },
      responses: { 200: { description: 'The PDA with its new key', schema: registeredPdaSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params: { id }, body, caller }) =>
        json(200, await pdas.approveKey(id, body.publicKey, accountOf(caller).name)),
    }),
    route({
      method: 'DELETE',
      path: '/api/pdas/:id',
      tag: TAG,
      summary: 'Remove a PDA',
      access: withRole('administrator'),
      params,
      responses: { 200: { description: 'Removed', schema: messageSchema } },
      errors: ['not_found'],
      handler: async ({ params: { id }, caller }) => {
        await pdas.remove(id, accountOf(caller).name);
        return messageResponse(200, 'The PDA was removed.');
      },
    }),
  ] as const;
