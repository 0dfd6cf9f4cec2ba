import { z } from 'zod';
import { publicAccess, ownerOnly, ownerSessionOf } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, route } from '../../../platform/http/route.ts';
import {
  applicationIdSchema,
  applicationItemSchema,
  applicationSchema,
  setupApprovalSchema,
} from '../../../wire/applications.ts';
import { tokenResponseSchema } from '../../../wire/owner.ts';
import type { ApplicationService } from './service.ts';

const TAG = 'Applications';
const ownerRoute = createRouteDeclarer({ tag: TAG, access: ownerOnly });

const params = z.strictObject({ id: applicationIdSchema });

export const applicationRoutes = (parts: { applications: ApplicationService }) => {
  const { applications } = parts;
  return [
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/applications',
      summary: 'List known applications',
      description:
        'Checks the service of each enabled application with external status. A result is reused for one minute, or ' +
        'for five minutes if a new check is slow.',
      responses: { 200: { description: 'Applications with their status', schema: z.array(applicationItemSchema) } },
      handler: async ({ caller }) => {
        const items = await applications.list();
        await applications.recordReviews(
          caller.principal,
          items.map(({ application }) => application),
        );
        return json(200, items);
      },
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/applications/:id',
      summary: 'Get an application',
      params,
      responses: { 200: { description: 'The application with its status', schema: applicationItemSchema } },
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
      summary: 'Get the public description of an application',
      description: 'Returns 404 without a valid token if the application is defined in `config.json`.',
      access: publicAccess,
      params,
      responses: { 200: { description: 'The application as its developer describes it', schema: applicationSchema } },
      errors: ['not_found'],
      handler: ({ params: { id }, caller: { principal } }) =>
        json(200, applications.publicDescription(id, principal.kind !== 'visitor')),
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/applications/:id/setup',
      summary: 'Set up an application',
      description:
        'Approves everything that the published version requests, including its Data Debit `app-<id>`. If any part ' +
        'fails, nothing is approved. Has no effect if the same definition is already set up and enabled, with its ' +
        'Data Debit running or scheduled. An edition identifies the exact published definition; it can change without ' +
        'a new `version`. Returns 409 if `version` or `edition` is given and is not the published one. Without ' +
        '`edition`, returns 409 if the definition has changed since this session last read it.',
      params,
      query: z.object({
        version: setupApprovalSchema.shape.version.optional(),
        edition: setupApprovalSchema.shape.edition,
      }),
      responses: { 200: { description: 'The updated application', schema: applicationItemSchema } },
      errors: ['not_found', 'already_exists', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ params: { id }, query, caller: { principal, trace } }) => {
        const item = await applications.setUp(id, { ...query, session: ownerSessionOf(principal) });
        trace.consent = { kind: 'application', name: id, detail: '' };
        return json(200, item);
      },
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/applications/:id/disable',
      summary: 'Disable an application',
      description:
        'Ends its Data Debits and its contract membership, and revokes its tokens, immediately. Has no effect if the ' +
        'application is not set up or already disabled.',
      params,
      responses: { 200: { description: 'The updated application', schema: applicationItemSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params: { id }, caller: { trace } }) => {
        const item = await applications.disable(id);
        trace.consent = { kind: 'application', name: id, detail: '' };
        return json(200, item);
      },
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/applications/:id/access-token',
      summary: 'Issue a token for an application',
      description: 'The token has the rights that the owner approved. The application must be set up and enabled.',
      params,
      responses: { 200: { description: 'The token', schema: tokenResponseSchema } },
      errors: ['not_found'],
      handler: async ({ params: { id }, caller }) => json(200, await applications.issueAccessToken(id, caller)),
    }),
  ] as const;
};
