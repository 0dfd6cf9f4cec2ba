import { z } from 'zod';
import { anyone, ownerOnly } from '../../platform/principal.ts';
import { json, route } from '../../platform/route.ts';
import { applicationIdSchema, applicationItemSchema, applicationSchema } from '../../wire/applications.ts';
import { tokenResponseSchema } from '../../wire/owner.ts';
import type { ApplicationService } from './service.ts';

const TAG = 'Applications';

const params = z.strictObject({ id: applicationIdSchema });

export const applicationRoutes = (parts: { applications: ApplicationService }) => {
  const { applications } = parts;
  return [
    route({
      method: 'GET',
      path: '/api/v2.6/applications',
      tag: TAG,
      summary: 'Applications that are known here',
      description:
        'Of each one that is set up its status is looked at; what its service answered is good for a minute.',
      access: ownerOnly,
      responses: { 200: { description: 'Each with where it stands', schema: z.array(applicationItemSchema) } },
      handler: async () => json(200, await applications.list()),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/applications/:id',
      tag: TAG,
      summary: 'One application',
      access: ownerOnly,
      params,
      responses: { 200: { description: 'The application and where it stands', schema: applicationItemSchema } },
      errors: ['not_found'],
      handler: async ({ params: { id } }) => json(200, await applications.find(id)),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/applications/:id/hmi',
      tag: TAG,
      summary: 'What an application is, for anybody',
      access: anyone,
      params,
      responses: { 200: { description: 'The application as its maker describes it', schema: applicationSchema } },
      errors: ['not_found'],
      handler: ({ params: { id } }) => json(200, applications.publicDescription(id)),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/applications/:id/setup',
      tag: TAG,
      summary: 'Set an application up',
      description:
        'Agrees to all that the published version asks for, its Data Debit `app-<id>` included; everything or nothing. Again without changes changes nothing.',
      access: ownerOnly,
      params,
      responses: { 200: { description: 'The application as it is now', schema: applicationItemSchema } },
      errors: ['not_found', 'already_exists', 'wrong_state'],
      handler: async ({ params: { id } }) => json(200, await applications.setUp(id)),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/applications/:id/disable',
      tag: TAG,
      summary: 'Disable an application',
      description: 'Its Data Debits and its tokens end at once. One that is not set up stays so.',
      access: ownerOnly,
      params,
      responses: { 200: { description: 'The application as it is now', schema: applicationItemSchema } },
      errors: ['not_found'],
      handler: async ({ params: { id } }) => json(200, await applications.disable(id)),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/applications/:id/access-token',
      tag: TAG,
      summary: 'A token for an application',
      description: 'With the rights that the owner approved. Only for one that is set up and enabled.',
      access: ownerOnly,
      params,
      responses: { 200: { description: 'The token', schema: tokenResponseSchema } },
      errors: ['not_found', 'forbidden', 'out_of_disk'],
      handler: async ({ params: { id }, caller }) => json(200, await applications.accessToken(id, caller)),
    }),
  ] as const;
};
