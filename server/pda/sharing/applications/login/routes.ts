import { z } from 'zod';
import { ownerOnly, ownerSessionOf } from '../../../../platform/auth/principal.ts';
import { json, jsonText, route } from '../../../../platform/http/route.ts';
import {
  applicationIdSchema,
  applicationPreviewRequestSchema,
  loginAnswerSchema,
  loginOrderSchema,
  loginRequestSchema,
} from '../../../../wire/applications.ts';
import { previewSchema } from '../../../../wire/debits.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../../wire/limits.ts';
import type { LoginService } from './service.ts';

const TAG = 'Your applications';

/** Too long, or given twice: not an address that an application would send. Whether it is one is for the rules to say. */
const given = z.string().max(8000).optional();
const orNone = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/** What the pages at `/pdalogin` call. */
export const loginRoutes = (parts: { login: LoginService }) => {
  const { login } = parts;
  return [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/login-request',
      tag: TAG,
      summary: 'What a sign-in to an application would mean',
      description:
        'Takes the parameters of `/pdalogin`. Says whether the owner has to agree first, where the journey would end, or why it cannot.',
      access: ownerOnly,
      query: z.object({
        name: given,
        application_id: given,
        redirect: given,
        redirect_uri: given,
        fallback: given,
      }),
      responses: { 200: { description: 'What to show', schema: loginRequestSchema } },
      errors: ['out_of_disk'],
      handler: async ({ query, caller }) => {
        const asked = {
          name: orNone(query.name) ?? orNone(query.application_id),
          redirect: orNone(query.redirect) ?? orNone(query.redirect_uri),
          fallback: orNone(query.fallback),
        };
        const request = await login.request(asked, caller);
        if (request.application !== null)
          await login.recordReview(caller.principal, request.application.item.application);
        return json(200, request);
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/login',
      tag: TAG,
      summary: 'Let an application in',
      description:
        'Answers the address to go to, with the token of the application. With `version` the application is set up first, as it was seen; without it must be set up and current.',
      access: ownerOnly,
      body: { as: 'json', schema: loginOrderSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Where to go', schema: loginAnswerSchema } },
      errors: ['not_found', 'wrong_state', 'already_exists', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await login.login(body, caller, ownerSessionOf(caller.principal))),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/applications/:id/preview',
      tag: TAG,
      summary: 'What would leave to an application now',
      description: 'By the Data Debit that setting it up agrees to: exactly what its `values` would answer.',
      access: ownerOnly,
      params: z.strictObject({ id: applicationIdSchema }),
      body: { as: 'json', schema: applicationPreviewRequestSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'The records and how many there are', schema: previewSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ params, body }) => jsonText(200, await login.preview(params.id, body)),
    }),
  ] as const;
};
