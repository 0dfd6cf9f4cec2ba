import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route, type Caller } from '../../../platform/http/route.ts';
import {
  newUserSchema,
  userChangeSchema,
  userIdSchema,
  userListSchema,
  userSchema,
  type User,
} from '../../../wire/users.ts';
import type { UserService } from './service.ts';

const TAG = 'Users';

const userParams = z.strictObject({ userId: userIdSchema });

/** No response contains a password or its hash. */
export const userRoutes = (parts: { users: UserService }) => {
  const { users } = parts;

  const listAt = <Path extends string>(path: Path) =>
    route({
      method: 'GET',
      path,
      tag: TAG,
      summary: 'List users',
      access: ownerOnly,
      responses: { 200: { description: 'Users, sorted by name', schema: userListSchema } },
      handler: () => json(200, users.list()),
    });

  const traceDecision = ({ trace }: Caller, user: User): User => {
    trace.consent = { kind: 'user', name: user.userId, detail: user.name };
    return user;
  };

  return [
    listAt('/users/user'),
    listAt('/api/v2.6/users/user'),
    route({
      method: 'POST',
      path: '/users/user',
      tag: TAG,
      summary: 'Add a user',
      description:
        'Users sign in with this name and password, and see only what they are granted. Names are compared regardless of case.',
      access: ownerOnly,
      body: { as: 'json', schema: newUserSchema },
      responses: { 201: { description: 'The new user', schema: userSchema } },
      errors: ['already_exists'],
      ownerDecision: true,
      handler: async ({ body, caller }) => json(201, traceDecision(caller, await users.create(body))),
    }),
    route({
      method: 'PUT',
      path: '/users/user/:userId/update',
      tag: TAG,
      summary: 'Change a name, an e-mail address or a password',
      description: 'A new password ends the sessions of the user.',
      access: ownerOnly,
      params: userParams,
      body: { as: 'json', schema: userChangeSchema },
      responses: { 200: { description: 'The changed user', schema: userSchema } },
      errors: ['not_found', 'already_exists'],
      ownerDecision: true,
      handler: async ({ params, body, caller }) =>
        json(200, traceDecision(caller, await users.update(params.userId, body))),
    }),
    route({
      method: 'PUT',
      path: '/users/user/:userId/enable',
      tag: TAG,
      summary: 'Enable a user',
      access: ownerOnly,
      params: userParams,
      responses: { 200: { description: 'The changed user', schema: userSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) => json(200, traceDecision(caller, await users.enable(params.userId))),
    }),
    route({
      method: 'PUT',
      path: '/users/user/:userId/disable',
      tag: TAG,
      summary: 'Disable a user',
      description:
        'Their sessions end immediately, and they cannot sign in. Their grants are retained for when they are enabled again.',
      access: ownerOnly,
      params: userParams,
      responses: { 200: { description: 'The changed user', schema: userSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) => json(200, traceDecision(caller, await users.disable(params.userId))),
    }),
    route({
      method: 'PUT',
      path: '/users/user/:userId/delete',
      tag: TAG,
      summary: 'Delete a user',
      description:
        'Their sessions end immediately, and their grants are revoked. Their name stays in the access history.',
      access: ownerOnly,
      params: userParams,
      responses: { 200: { description: 'The deleted user', schema: userSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) => json(200, traceDecision(caller, await users.remove(params.userId))),
    }),
  ] as const;
};
