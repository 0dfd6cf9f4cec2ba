import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import { newUserSchema, userChangeSchema, userIdSchema, userListSchema, userSchema } from '../../../wire/users.ts';
import type { UserService } from './service.ts';

const TAG = 'People';

const userParams = z.strictObject({ userId: userIdSchema });

/** People beside the owner. Nothing here ever answers a password, or what is kept of one. */
export const userRoutes = (parts: { users: UserService }) => {
  const { users } = parts;

  const listAt = <Path extends string>(path: Path) =>
    route({
      method: 'GET',
      path,
      tag: TAG,
      summary: 'People who can be given access to files',
      access: ownerOnly,
      responses: { 200: { description: 'By name', schema: userListSchema } },
      handler: () => json(200, users.list()),
    });

  return [
    listAt('/users/user'),
    listAt('/api/v2.6/users/user'),
    route({
      method: 'POST',
      path: '/users/user',
      tag: TAG,
      summary: 'Add a person',
      description:
        'They sign in with this name and password, and see nothing but what they are given. Names are compared without case.',
      access: ownerOnly,
      body: { as: 'json', schema: newUserSchema },
      responses: { 201: { description: 'The person', schema: userSchema } },
      errors: ['already_exists'],
      handler: async ({ body }) => json(201, await users.create(body)),
    }),
    route({
      method: 'PUT',
      path: '/users/user/:userId/update',
      tag: TAG,
      summary: 'Change a name, an e-mail address or a password',
      description: 'A new password ends the sessions of this person.',
      access: ownerOnly,
      params: userParams,
      body: { as: 'json', schema: userChangeSchema },
      responses: { 200: { description: 'The person now', schema: userSchema } },
      errors: ['not_found', 'already_exists'],
      handler: async ({ params, body }) => json(200, await users.update(params.userId, body)),
    }),
    route({
      method: 'PUT',
      path: '/users/user/:userId/enable',
      tag: TAG,
      summary: 'Let a person sign in again',
      access: ownerOnly,
      params: userParams,
      responses: { 200: { description: 'The person now', schema: userSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => json(200, await users.enable(params.userId)),
    }),
    route({
      method: 'PUT',
      path: '/users/user/:userId/disable',
      tag: TAG,
      summary: 'Shut a person out',
      description:
        'Their sessions end at once, and they cannot sign in. What they were given is kept for when they are enabled.',
      access: ownerOnly,
      params: userParams,
      responses: { 200: { description: 'The person now', schema: userSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => json(200, await users.disable(params.userId)),
    }),
    route({
      method: 'PUT',
      path: '/users/user/:userId/delete',
      tag: TAG,
      summary: 'Delete a person',
      description:
        'Their sessions end at once, and what they were given is taken back. Their name stays in the access history.',
      access: ownerOnly,
      params: userParams,
      responses: { 200: { description: 'The person as they last were', schema: userSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => json(200, await users.remove(params.userId)),
    }),
  ] as const;
};
