import { z } from 'zod';
import { ownerOnly, ownerSessionOf } from '../../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, jsonText } from '../../../../platform/http/route.ts';
import {
  applicationIdSchema,
  applicationPreviewRequestSchema,
  loginApprovalSchema,
  loginRequestSchema,
  loginResponseSchema,
} from '../../../../wire/applications.ts';
import { previewSchema } from '../../../../wire/debits.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../../wire/limits.ts';
import type { ApplicationService } from '../service.ts';
import type { LoginService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your applications', access: ownerOnly });

const MAX_PARAMETER_CHARS = 8000;

/** URLs are validated in rules.ts. */
const queryText = z.string().max(MAX_PARAMETER_CHARS).optional();
const emptyToUndefined = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

export const loginRoutes = (parts: {
  login: LoginService;
  applications: Pick<ApplicationService, 'recordReviews'>;
}) => {
  const { login, applications } = parts;
  return [
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/login-request',
      summary: 'Preview a sign-in to an application',
      description:
        'Takes the parameters of `/pdalogin`. States whether the owner must approve first and where the sign-in ' +
        'returns to, or why it is refused.',
      query: z.object({
        name: queryText,
        application_id: queryText,
        redirect: queryText,
        redirect_uri: queryText,
        fallback: queryText,
      }),
      responses: { 200: { description: 'State of the sign-in', schema: loginRequestSchema } },
      handler: async ({ query, caller }) => {
        const parameters = {
          name: emptyToUndefined(query.name) ?? emptyToUndefined(query.application_id),
          redirect: emptyToUndefined(query.redirect) ?? emptyToUndefined(query.redirect_uri),
          fallback: emptyToUndefined(query.fallback),
        };
        const request = await login.checkRequest(parameters, caller);
        if (request.application !== null)
          await applications.recordReviews(caller.principal, [request.application.item.application]);
        return json(200, request);
      },
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/login',
      summary: 'Sign in to an application',
      description:
        'Returns the redirect URL with the application’s token. With `version`, sets up that reviewed version ' +
        'first; without it, the `state` of the sign-in request must be `ready`.',
      body: { as: 'json', schema: loginApprovalSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'The redirect URL', schema: loginResponseSchema } },
      errors: ['not_found', 'wrong_state', 'already_exists'],
      ownerDecision: true,
      handler: async ({ body, caller }) => {
        const { principal, trace } = caller;
        trace.consent = { kind: 'application', name: body.name, detail: '' };
        // A sign-in without a set-up decides nothing. It is logged as an action of the application.
        trace.isUnrecorded = body.version === undefined;
        return json(200, await login.login(body, caller, ownerSessionOf(principal)));
      },
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/applications/:id/preview',
      summary: 'Preview the data shared with an application',
      description:
        'Returns the records that the application would receive through its Data Debit if it were set up now.',
      params: z.strictObject({ id: applicationIdSchema }),
      body: { as: 'json', schema: applicationPreviewRequestSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Records and their number by property', schema: previewSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ params, body }) => jsonText(200, await login.preview(params.id, body)),
    }),
  ] as const;
};
