import { z } from 'zod';
import { anyone } from '../../platform/principal.ts';
import { json, message, route } from '../../platform/route.ts';
import { accountOf, pdaOf, pdaOnly, withRole } from '../../platform/service-access.ts';
import { messageSchema, wholeNumber } from '../../wire/common.ts';
import { knownOfPdaSchema, pdaKeySchema, registeredPdaSchema, registerPdaSchema } from '../../wire/exchange.ts';
import { pdaAddressSchema } from '../../wire/pda-address.ts';
import type { PdaService } from './service.ts';

const TAG = 'PDAs';
const pdaId = z.object({ id: z.uuid() });

export const pdaRoutes = ({ pdas }: { pdas: PdaService }) =>
  [
    route({
      method: 'POST',
      path: '/api/users/registerPda',
      tag: TAG,
      summary: 'Registers the PDA that answers at an address',
      description:
        'The exchange calls the address: `GET /publickey`, then `POST /api/v2.6/exchange/proof` with a challenge that the PDA signs. Asking again refreshes. ' +
        'A registered address stays with its key: another one needs the signature of the one before, or an administrator.',
      access: anyone,
      body: { as: 'json', schema: registerPdaSchema },
      responses: { 200: { description: 'It is registered', schema: messageSchema } },
      errors: ['forbidden', 'rate_limited'],
      handler: async ({ body, caller }) => {
        await pdas.register(body.pdaAddress, { from: caller.address, applicationId: body.applicationId });
        return message(200, `The PDA ${body.pdaAddress} is registered.`);
      },
    }),
    route({
      method: 'GET',
      path: '/api/pdas/self',
      tag: TAG,
      summary: 'Everything that the exchange knows of the PDA that asks',
      access: pdaOnly,
      responses: { 200: { description: 'All of it', schema: knownOfPdaSchema } },
      errors: ['not_found'],
      handler: async ({ caller }) => json(200, await pdas.known(pdaOf(caller).pdaId)),
    }),
    route({
      method: 'DELETE',
      path: '/api/pdas/self',
      tag: TAG,
      summary: 'The PDA that asks leaves; what is kept of it is deleted',
      access: pdaOnly,
      responses: { 200: { description: 'It has left', schema: messageSchema } },
      errors: ['not_found'],
      handler: async ({ caller }) => {
        const { pdaId: id, address } = pdaOf(caller);
        await pdas.remove(id, address);
        return { ...message(200, 'This PDA has left.'), endsSession: true };
      },
    }),
    route({
      method: 'GET',
      path: '/api/pdas',
      tag: TAG,
      summary: 'Registered PDAs, in the order in which they came',
      description: '`after` is the id of the last one of the page before; `address` looks for one.',
      access: withRole('administrator'),
      query: z.object({
        after: z.uuid().optional(),
        address: pdaAddressSchema.optional(),
        take: wholeNumber.pipe(z.int().min(1).max(1000)).default(100),
      }),
      responses: { 200: { description: 'One page', schema: z.array(registeredPdaSchema) } },
      handler: async ({ query: { take, after, address } }) =>
        json(
          200,
          await pdas.list({
            take,
            ...(after === undefined ? {} : { after }),
            ...(address === undefined ? {} : { address }),
          }),
        ),
    }),
    route({
      method: 'PUT',
      path: '/api/pdas/:id/key',
      tag: TAG,
      summary: 'Lets a changed key in',
      description:
        'The key is the one that waits (`waitingKey`): whoever sends another one does not know what they let in.',
      access: withRole('administrator'),
      params: pdaId,
      body: { as: 'json', schema: pdaKeySchema },
      responses: { 200: { description: 'The PDA with its new key', schema: registeredPdaSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, body, caller }) =>
        json(200, await pdas.letKeyIn(params.id, body.publicKey, accountOf(caller).name)),
    }),
    route({
      method: 'DELETE',
      path: '/api/pdas/:id',
      tag: TAG,
      summary: 'Removes a PDA',
      access: withRole('administrator'),
      params: pdaId,
      responses: { 200: { description: 'It is gone', schema: messageSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller }) => {
        await pdas.remove(params.id, accountOf(caller).name);
        return message(200, 'The PDA is removed.');
      },
    }),
  ] as const;
