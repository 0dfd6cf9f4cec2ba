import { z } from 'zod';
import { ownerOnly, ownerSessionOf } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../platform/http/route.ts';
import {
  applicationIdSchema,
  applicationViewSchema,
  ownerApplicationSchema,
  setupApprovalSchema,
} from '../../../wire/applications.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import type { ApplicationService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your applications', access: ownerOnly });

const params = z.strictObject({ id: applicationIdSchema });

export const ownerApplicationRoutes = (parts: { applications: ApplicationService }) => {
  const { applications } = parts;
  return [
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/applications',
      summary: 'List applications with requested and approved rights',
      responses: { 200: { description: 'All known applications', schema: z.array(ownerApplicationSchema) } },
      handler: async ({ caller }) => {
        const views = await applications.ownerList();
        await applications.recordReviews(
          caller.principal,
          views.map(({ item }) => item.application),
        );
        return json(200, views);
      },
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/applications/:id',
      summary: 'Get an application with requested and approved rights',
      params,
      responses: { 200: { description: 'The application', schema: ownerApplicationSchema } },
      errors: ['not_found'],
      handler: async ({ params: { id }, caller }) => {
        const view = await applications.ownerFind(id);
        await applications.recordReviews(caller.principal, [view.item.application]);
        return json(200, view);
      },
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/applications/:id/setup',
      summary: 'Set up the reviewed version of an application',
      description:
        '`version` is the version that the owner reviewed. Returns 409 if a different version or edition is ' +
        'published. Without `edition`, returns 409 if the definition has changed since this session last read it.',
      params,
      body: { as: 'json', schema: setupApprovalSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'The application after the set-up', schema: ownerApplicationSchema } },
      errors: ['not_found', 'already_exists', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ params: { id }, body, caller: { principal, trace } }) => {
        await applications.setUp(id, { ...body, session: ownerSessionOf(principal) });
        trace.consent = { kind: 'application', name: id, detail: '' };
        return json(200, await applications.ownerFind(id));
      },
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/applications/:id/view',
      summary: "List the data that an application's token can reach",
      params,
      responses: {
        200: {
          description: 'Endpoints that are reachable now, and the Data Debits of the application in all states',
          schema: applicationViewSchema,
        },
      },
      errors: ['not_found'],
      handler: ({ params: { id } }) => json(200, applications.view(id)),
    }),
  ] as const;
};
