import { z } from 'zod';
import { publicAccess, ownerOnly, ownerSessionOf } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import {
  applicationIdSchema,
  applicationItemSchema,
  applicationSchema,
  setupApprovalSchema,
} from '../../../wire/applications.ts';
import { tokenResponseSchema } from '../../../wire/owner.ts';
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
      handler: async ({ caller }) => {
        const items = await applications.list();
        await applications.recordReviews(
          caller.principal,
          items.map(({ application }) => application),
        );
        return json(200, items);
      },
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
      handler: async ({ params: { id }, caller }) => {
        const item = await applications.find(id);
        await applications.recordReviews(caller.principal, [item.application]);
        return json(200, item);
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/applications/:id/hmi',
      tag: TAG,
      summary: 'What an application is, for anybody',
      description: 'One that config.json lists needs a token of any kind: without one it is not found.',
      access: publicAccess,
      params,
      responses: { 200: { description: 'The application as its maker describes it', schema: applicationSchema } },
      errors: ['not_found'],
      handler: ({ params: { id }, caller: { principal } }) =>
        json(200, applications.publicDescription(id, principal.kind !== 'visitor')),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/applications/:id/setup',
      tag: TAG,
      summary: 'Set an application up',
      description:
        'Approves all that the published version asks for, its Data Debit `app-<id>` included; everything or nothing. Repeating it without changes changes nothing. With `version` or `edition` 409 unless that is the published one; without `edition` 409 when this session was shown another one.',
      access: ownerOnly,
      params,
      query: z.object({
        version: setupApprovalSchema.shape.version.optional(),
        edition: setupApprovalSchema.shape.edition,
      }),
      responses: { 200: { description: 'The application as it is now', schema: applicationItemSchema } },
      errors: ['not_found', 'already_exists', 'wrong_state'],
      handler: async ({ params: { id }, query, caller: { principal } }) =>
        json(200, await applications.setUp(id, { ...query, session: ownerSessionOf(principal) })),
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
