import { z } from 'zod';
import { bearerHeader, bearerTokenOf } from '../../platform/auth/bearer-token.ts';
import { json, route } from '../../platform/http/route.ts';
import { pdaOnly } from '../../platform/service/authorization.ts';
import { contractIdSchema, contractMembershipSchema } from '../../wire/contracts.ts';
import { pdaNameSchema } from '../../wire/owner.ts';
import type { MemberService } from './service.ts';

const PATH = '/v1/contracts/:id/pdas/:name';
const TAG = 'PDAs';
const params = z.object({ id: contractIdSchema, name: pdaNameSchema });
const TOKEN_DESCRIPTION =
  'Requires `Authorization: Bearer <token>`: a JWT signed with the key of the PDA (RS256, valid for at most five minutes) with the claims `accessScope` (`contract`), `iss` (address of the PDA), `sub` (its name), `contract` (id of the contract), `resource` (host of this service) and `jti`. Each token can be used once.';

export const memberRoutes = ({ members }: { members: MemberService }) =>
  [
    route({
      method: 'PUT',
      path: PATH,
      tag: TAG,
      summary: 'Join a contract',
      description: `${TOKEN_DESCRIPTION} The first join of a PDA binds its name to its address and to the key served at \`/publickey\` there, until the PDA has left every contract.`,
      access: pdaOnly,
      params,
      headers: bearerHeader,
      identify: async ({ params: { id, name }, headers, caller }) => {
        const request = { contract: id, name, token: bearerTokenOf(headers), from: caller.address, joins: true };
        const principal = await members.identify(request);
        return { principal, currentPrincipal: () => principal };
      },
      responses: { 200: { description: 'Joined, or already a member', schema: contractMembershipSchema } },
      errors: ['not_authenticated', 'not_found', 'wrong_state'],
      handler: async ({ params: { id, name }, caller }) =>
        json(200, await members.join(caller.principal, { contract: id, name })),
    }),
    route({
      method: 'DELETE',
      path: PATH,
      tag: TAG,
      summary: 'Leave a contract',
      description: `${TOKEN_DESCRIPTION} Responds with 404 if the PDA has not joined any contract.`,
      access: pdaOnly,
      params,
      headers: bearerHeader,
      identify: async ({ params: { id, name }, headers, caller }) => {
        const request = { contract: id, name, token: bearerTokenOf(headers), from: caller.address, joins: false };
        const principal = await members.identify(request);
        return { principal, currentPrincipal: () => principal };
      },
      responses: { 200: { description: 'Left, or not a member of this contract', schema: contractMembershipSchema } },
      errors: ['not_authenticated', 'not_found', 'wrong_state'],
      handler: async ({ params: { id, name }, caller }) =>
        json(200, await members.leave(caller.principal, { contract: id, name })),
    }),
  ] as const;
