import { z } from 'zod';
import { bearerHeader, bearerOf } from '../../platform/bearer.ts';
import { json, route } from '../../platform/route.ts';
import { pdaOnly } from '../../platform/service-access.ts';
import { contractIdSchema, joinedSchema } from '../../wire/contracts.ts';
import { pdaNameSchema } from '../../wire/owner.ts';
import type { MemberService } from './service.ts';

const PATH = '/v1/contracts/:id/pdas/:name';
const TAG = 'PDAs';
const params = z.object({ id: contractIdSchema, name: pdaNameSchema });
const TOKEN =
  'With `Authorization: Bearer <token>`: a token of the PDA’s key (RS256, `typ` JWT, five minutes) with `accessScope` `contract`, `iss` the PDA’s address, `sub` its name, `contract` the contract’s id, `resource` the host of this service, `jti`. Each counts once.';

export const memberRoutes = ({ members }: { members: MemberService }) =>
  [
    route({
      method: 'PUT',
      path: PATH,
      tag: TAG,
      summary: 'Join a contract',
      description: `${TOKEN} A name belongs to the PDA that used it first: its address, and the key that was found at \`/publickey\` there.`,
      access: pdaOnly,
      params,
      headers: bearerHeader,
      identify: async ({ params: { id, name }, headers, caller }) => {
        const call = { contract: id, name, token: bearerOf(headers), from: caller.address, joins: true };
        const principal = await members.identify(call);
        return { principal, current: () => principal };
      },
      responses: { 200: { description: 'Joined, also when it was before', schema: joinedSchema } },
      errors: ['not_authenticated', 'not_found', 'wrong_state', 'rate_limited'],
      handler: async ({ params: { id, name }, caller }) =>
        json(200, await members.join(caller.principal, { contract: id, name })),
    }),
    route({
      method: 'DELETE',
      path: PATH,
      tag: TAG,
      summary: 'Leave a contract',
      description: TOKEN,
      access: pdaOnly,
      params,
      headers: bearerHeader,
      identify: async ({ params: { id, name }, headers, caller }) => {
        const call = { contract: id, name, token: bearerOf(headers), from: caller.address, joins: false };
        const principal = await members.identify(call);
        return { principal, current: () => principal };
      },
      responses: { 200: { description: 'Left, also when it had not joined', schema: joinedSchema } },
      errors: ['not_authenticated', 'not_found', 'wrong_state', 'rate_limited'],
      handler: async ({ params: { id, name }, caller }) =>
        json(200, await members.leave(caller.principal, { contract: id, name })),
    }),
  ] as const;
