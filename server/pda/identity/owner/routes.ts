import { z } from 'zod';
import { isoTime } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { publicKeyRoutes } from '../../../platform/service/key-routes.ts';
import { publicAccess, anyToken, ownerOnly, type Principal } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, messageResponse, route } from '../../../platform/http/route.ts';
import { decodeSignInHeaders, signInHeadersSchema } from '../../../platform/auth/sign-in-headers.ts';
import { messageSchema } from '../../../wire/common.ts';
import {
  endedSessionsSchema,
  ownerSchema,
  passwordChangeSchema,
  passwordStrengthRequestSchema,
  passwordStrengthSchema,
  sessionSchema,
  setupRequestSchema,
  setupStateSchema,
  tokenResponseSchema,
} from '../../../wire/owner.ts';
import { MAX_SECOND_FACTOR_CHARS } from '../../../wire/limits.ts';
import { parseSecondFactor } from './sign-in/second-factor-header.ts';
import type { OwnerService } from './service.ts';

const SIGN_IN_TAG = 'Sign-in and keys';
const tokenRoute = createRouteDeclarer({ tag: SIGN_IN_TAG, access: anyToken });
const ownerRoute = createRouteDeclarer({ tag: 'Owner', access: ownerOnly });
const publicRoute = createRouteDeclarer({ tag: 'Owner', access: publicAccess });

const sessionIdOf = (principal: Principal): string => ('sessionId' in principal ? principal.sessionId : '');

export const ownerRoutes = (parts: {
  owner: OwnerService;
  ownAddresses: { list: () => string[]; publicUrl: () => string | undefined };
  version: string;
}) => {
  const { owner } = parts;
  return [
    route({
      method: 'GET',
      path: '/users/access_token',
      tag: SIGN_IN_TAG,
      summary: 'Sign in',
      description:
        'Headers `username` and `password`, each percent-encoded: those of the owner, of a user, of a Data Plug that the owner has ' +
        'set up, or of the provider of a claimed Offer. The token of a user has the `accessScope` `user`, that of a provider `offer`; ' +
        'a Data Plug gets a token for its application. Attempts are limited per network and per account. If the owner needs a second ' +
        'factor (`GET /api/v2.6/owner/sign-in-ways`), send it in `x-second-factor`: six digits of the authenticator app, a recovery ' +
        'code, or `passkey` and a `PasskeyAssertion` as JSON in base64url.',
      access: publicAccess,
      headers: signInHeadersSchema.extend({ 'x-second-factor': z.string().max(MAX_SECOND_FACTOR_CHARS).optional() }),
      responses: { 200: { description: 'A token of the signed-in principal', schema: tokenResponseSchema } },
      errors: ['invalid_credentials', 'second_factor_required', 'forbidden', 'out_of_disk'],
      handler: async ({ headers, caller }) => {
        const { username, password } = decodeSignInHeaders(headers);
        const session = await owner.signIn(username, password, caller, parseSecondFactor(headers['x-second-factor']));
        return json(200, session, { 'x-auth-token': session.accessToken });
      },
    }),
    tokenRoute({
      method: 'GET',
      path: '/users/access_token/validate',
      summary: 'Check whether a token is valid',
      responses: { 200: { description: 'The token is valid', schema: messageSchema } },
      handler: () => messageResponse(200, 'Authenticated'),
    }),
    tokenRoute({
      method: 'DELETE',
      path: '/users/access_token',
      summary: 'Sign out',
      description:
        "Ends the session of the owner's or a user's token. Only the owner can end the sessions of applications and providers.",
      responses: { 200: { description: 'The session has ended', schema: messageSchema } },
      errors: ['forbidden', 'not_found'],
      handler: async ({ caller }) => {
        const { principal } = caller;
        if (principal.kind === 'owner') await owner.endSession(principal.sessionId, caller);
        else if (principal.kind === 'user') await owner.endUserSession(principal.sessionId);
        else throw new Failure('forbidden', 'Only the owner and users can sign out.');
        return { ...messageResponse(200, 'Signed out'), endsSession: true };
      },
    }),
    route({
      method: 'GET',
      path: '/users/application_token',
      tag: SIGN_IN_TAG,
      summary: 'Issue a token for another service',
      description: 'Proves the owner’s identity to the service `resource`. The token grants no access to this PDA.',
      access: ownerOnly,
      query: z.object({ name: z.string().min(1).max(200), resource: z.string().min(1).max(500) }),
      responses: { 200: { description: 'A token with `accessScope` `validate`', schema: tokenResponseSchema } },
      handler: async ({ query, caller }) => json(200, await owner.serviceToken(query.resource, caller)),
    }),
    ...publicKeyRoutes({
      tag: SIGN_IN_TAG,
      summary: "Get the PDA's public key",
      publicKey: owner.publicKey,
      keys: owner.keys,
    }),
    publicRoute({
      method: 'GET',
      path: '/api/v2.6/owner/setup',
      summary: 'Get the set-up state of this PDA',
      beforeSetup: true,
      responses: {
        200: {
          description: 'State; after the set-up, also the name of the owner and whether there is a public profile',
          schema: setupStateSchema,
        },
      },
      handler: () => {
        const profile = owner.profile();
        if (profile === undefined) return json(200, { state: 'waiting' });
        return json(200, { state: 'done', name: profile.name, profile: owner.publicFieldCount() > 0 });
      },
    }),
    publicRoute({
      method: 'POST',
      path: '/api/v2.6/owner/setup',
      summary: 'Set up this PDA',
      description: "Possible only once, from the PDA's own machine, with the code that the server printed at startup.",
      beforeSetup: true,
      body: { as: 'json', schema: setupRequestSchema },
      responses: { 201: { description: 'Set up; the owner is signed in', schema: tokenResponseSchema } },
      errors: ['wrong_state', 'invalid_setup_code'],
      handler: async ({ body, caller }) => {
        if (!caller.local) throw new Failure('setup_only_local', 'This PDA can be set up only from its own machine.');
        return json(201, await owner.setUp(body, caller));
      },
    }),
    publicRoute({
      method: 'POST',
      path: '/api/v2.6/owner/password-strength',
      summary: 'Rate the strength of a password',
      description:
        "Available on the PDA's own machine before the set-up, and to the owner afterwards. Nothing is stored.",
      beforeSetup: true,
      body: { as: 'json', schema: passwordStrengthRequestSchema },
      responses: { 200: { description: 'Score and advice', schema: passwordStrengthSchema } },
      errors: ['not_authenticated'],
      handler: async ({ body, caller }) => {
        if (owner.isSetUp() && caller.principal.kind !== 'owner')
          throw new Failure('not_authenticated', 'Sign in as the owner of this PDA.');
        return json(200, await owner.strength(body.password, body.name));
      },
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner',
      summary: 'Get this PDA and its owner',
      responses: { 200: { description: 'Name, addresses, version', schema: ownerSchema } },
      handler: () => {
        const profile = owner.profile();
        if (profile === undefined) throw new Failure('not_set_up', 'This PDA is not set up yet.');
        const { id: userId, name, created } = profile;
        return json(200, {
          userId,
          name,
          created: isoTime(created),
          version: parts.version,
          addresses: parts.ownAddresses.list(),
          publicUrl: parts.ownAddresses.publicUrl() ?? null,
        });
      },
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/password',
      summary: 'Change the password',
      description:
        'Requires the second factor if a sign-in from the same origin does. Every session ends; the response contains a new token.',
      body: { as: 'json', schema: passwordChangeSchema },
      responses: { 200: { description: 'Changed', schema: tokenResponseSchema } },
      handler: async ({ body, caller }) => {
        const session = await owner.changePassword(body, caller, sessionIdOf(caller.principal));
        return { ...json(200, session, { 'x-auth-token': session.accessToken }), endsSession: true };
      },
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/sign-out',
      summary: 'Sign out',
      responses: { 200: { description: 'The session has ended', schema: messageSchema } },
      errors: ['not_found'],
      handler: async ({ caller }) => {
        await owner.endSession(sessionIdOf(caller.principal), caller);
        return { ...messageResponse(200, 'Signed out'), endsSession: true };
      },
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/sessions',
      summary: 'List sessions',
      responses: { 200: { description: 'Live sessions, most recently used first', schema: z.array(sessionSchema) } },
      handler: ({ caller }) => json(200, owner.sessions(sessionIdOf(caller.principal))),
    }),
    ownerRoute({
      method: 'DELETE',
      path: '/api/v2.6/owner/sessions',
      summary: 'Sign out everywhere',
      description:
        'Ends all sessions, including those of users and applications; with `except=current`, all except the current one.',
      query: z.object({ except: z.literal('current').optional() }),
      responses: {
        200: { description: 'Number of ended sessions, excluding expired ones', schema: endedSessionsSchema },
      },
      handler: async ({ query, caller }) => {
        const keptSessionId = query.except === 'current' ? sessionIdOf(caller.principal) : '';
        const ended = await owner.endSessionsExcept(keptSessionId, caller);
        return { ...json(200, { ended }), endsSession: keptSessionId === '' };
      },
    }),
    ownerRoute({
      method: 'DELETE',
      path: '/api/v2.6/owner/sessions/:sessionId',
      summary: 'End one session',
      params: z.object({ sessionId: z.uuid() }),
      responses: { 200: { description: 'Ended', schema: endedSessionsSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller }) => ({
        ...json(200, { ended: await owner.endSession(params.sessionId, caller) }),
        endsSession: params.sessionId === sessionIdOf(caller.principal),
      }),
    }),
  ] as const;
};
