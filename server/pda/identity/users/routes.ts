import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, type Caller } from '../../../platform/http/route.ts';
import {
  newUserSchema,
  userChangeSchema,
  userIdSchema,
  userListSchema,
  userSchema,
  type User,
} from '../../../wire/users.ts';
import type { UserService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Users', access: ownerOnly });

const userParams = z.strictObject({ userId: userIdSchema });

export const userRoutes = (parts: { users: UserService }) => {
  const { users } = parts;

  const listAt = <Path extends string>(path: Path) =>
    ownerRoute({
      method: 'GET',
      path,
      summary: 'List users',
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
    ownerRoute({
      method: 'POST',
      path: '/users/user',
      summary: 'Add a user',
      description:
        'Users sign in with this name and password, and see only what they are granted. Names are compared regardless of case.',
      body: { as: 'json', schema: newUserSchema },
      responses: { 201: { description: 'The new user', schema: userSchema } },
      errors: ['already_exists'],
      ownerDecision: true,
      handler: async ({ body, caller }) => json(201, traceDecision(caller, await users.create(body))),
    }),
    ownerRoute({
      method: 'PUT',
      path: '/users/user/:userId/update',
      summary: 'Change a name, an e-mail address or a password',
      description: 'A new password ends the sessions of the user.',
      params: userParams,
      body: { as: 'json', schema: userChangeSchema },
      responses: { 200: { description: 'The changed user', schema: userSchema } },
      errors: ['not_found', 'already_exists'],
      ownerDecision: true,
      handler: async ({ params, body, caller }) =>
        json(200, traceDecision(caller, await users.update(params.userId, body))),
    }),
    ownerRoute({
      method: 'PUT',
      path: '/users/user/:userId/enable',
      summary: 'Enable a user',
      params: userParams,
      responses: { 200: { description: 'The changed user', schema: userSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) => json(200, traceDecision(caller, await users.enable(params.userId))),
    }),
    ownerRoute({
      method: 'PUT',
      path: '/users/user/:userId/disable',
      summary: 'Disable a user',
      description:
        'Their sessions end immediately, and they cannot sign in. Their grants are retained for when they are enabled again.',
      params: userParams,
      responses: { 200: { description: 'The changed user', schema: userSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) => json(200, traceDecision(caller, await users.disable(params.userId))),
    }),
    ownerRoute({
      method: 'PUT',
      path: '/users/user/:userId/delete',
      summary: 'Delete a user',
      description:
        'Their sessions end immediately, and their grants are revoked. Their name stays in the access history.',
      params: userParams,
      responses: { 200: { description: 'The deleted user', schema: userSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) => json(200, traceDecision(caller, await users.remove(params.userId))),
    }),
  ] as const;
};
