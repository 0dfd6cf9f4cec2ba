import { z } from 'zod';
import { ownerOnly, ownerSessionOf } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import {
  applicationIdSchema,
  applicationViewSchema,
  ownerApplicationSchema,
  setupApprovalSchema,
} from '../../../wire/applications.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import type { ApplicationService } from './service.ts';

const TAG = 'Your applications';

const params = z.strictObject({ id: applicationIdSchema });

/** Applications as the dashboard shows them: what is asked, what was approved, what a token reaches. */
export const ownerApplicationRoutes = (parts: { applications: ApplicationService }) => {
  const { applications } = parts;
  return [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/applications',
      tag: TAG,
      summary: 'Applications with what they ask for and what was approved',
      access: ownerOnly,
      responses: { 200: { description: 'All that are known here', schema: z.array(ownerApplicationSchema) } },
      handler: async ({ caller }) => {
        const views = await applications.ownerList();
        await applications.recordReviews(
          caller.principal,
          views.map(({ item }) => item.application),
        );
        return json(200, views);
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/applications/:id',
      tag: TAG,
      summary: 'One application with what it asks for and what was approved',
      access: ownerOnly,
      params,
      responses: { 200: { description: 'The application', schema: ownerApplicationSchema } },
      errors: ['not_found'],
      handler: async ({ params: { id }, caller }) => {
        const view = await applications.ownerFind(id);
        await applications.recordReviews(caller.principal, [view.item.application]);
        return json(200, view);
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/applications/:id/setup',
      tag: TAG,
      summary: 'Set an application up as it was seen',
      description: 'Names the version that was looked at; another one that was published meanwhile is refused.',
      access: ownerOnly,
      params,
      body: { as: 'json', schema: setupApprovalSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'The application as it is now', schema: ownerApplicationSchema } },
      errors: ['not_found', 'already_exists', 'wrong_state'],
      handler: async ({ params: { id }, body, caller: { principal } }) => {
        await applications.setUp(id, { ...body, session: ownerSessionOf(principal) });
        return json(200, await applications.ownerFind(id));
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/applications/:id/view',
      tag: TAG,
      summary: 'What the token of an application reaches',
      access: ownerOnly,
      params,
      responses: { 200: { description: 'At this moment', schema: applicationViewSchema } },
      errors: ['not_found'],
      handler: ({ params: { id } }) => json(200, applications.view(id)),
    }),
  ] as const;
};
