import { z } from 'zod';
import { anyone } from '../../platform/principal.ts';
import { json, message, route } from '../../platform/route.ts';
import { accountOf, withRole } from '../../platform/service-access.ts';
import { readSignInHeaders, signInHeadersSchema } from '../../platform/sign-in-headers.ts';
import { messageSchema } from '../../wire/common.ts';
import { accountChangeSchema, accountSchema, exchangeTokenSchema, newAccountSchema } from '../../wire/exchange.ts';
import type { AccountService } from './service.ts';

const SIGN_IN = 'Sign-in and keys';
const ACCOUNTS = 'Accounts';

/** Any account, and no PDA. */
const anyAccount = { want: 'some-scope', startsWith: 'role:' } as const;
const accountId = z.object({ id: z.uuid() });

export const accountRoutes = ({ accounts }: { accounts: AccountService }) =>
  [
    route({
      method: 'GET',
      path: '/api/users/access_token',
      tag: SIGN_IN,
      summary: 'Sign in',
      description:
        'Headers `username` and `password`, each percent-encoded. Tries are limited per address and per account.',
      access: anyone,
      headers: signInHeadersSchema,
      responses: { 200: { description: 'A token of the account', schema: exchangeTokenSchema } },
      errors: ['invalid_credentials', 'rate_limited'],
      handler: async ({ headers, caller }) => {
        const { username, password } = readSignInHeaders(headers);
        const { token, userId } = await accounts.signIn(username, password, caller);
        return json(200, { accessToken: token, access_token: token, userId }, { 'x-auth-token': token });
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/users/access_token',
      tag: SIGN_IN,
      summary: 'Sign out',
      access: anyAccount,
      responses: { 200: { description: 'The session has ended', schema: messageSchema } },
      errors: ['not_found'],
      handler: async ({ caller }) => {
        await accounts.signOut(accountOf(caller).sessionId);
        return { ...message(200, 'Signed out'), endsSession: true };
      },
    }),
    route({
      method: 'GET',
      path: '/publickey',
      tag: SIGN_IN,
      summary: 'The public key that tokens of the exchange are signed by',
      access: anyone,
      responses: {
        200: { description: 'PEM, for verifying RS256 signatures', contentType: 'text/plain; charset=utf-8' },
      },
      handler: async () => ({
        status: 200,
        text: await accounts.publicKey(),
        contentType: 'text/plain; charset=utf-8',
      }),
    }),
    route({
      method: 'GET',
      path: '/.well-known/jwks.json',
      tag: SIGN_IN,
      summary: 'The public keys as a JSON Web Key Set',
      access: anyone,
      responses: {
        200: {
          description: 'Current and retired keys',
          schema: z.strictObject({ keys: z.array(z.record(z.string(), z.string())) }).meta({ id: 'JsonWebKeySet' }),
        },
      },
      handler: async () => json(200, { keys: await accounts.jwks() }),
    }),
    route({
      method: 'GET',
      path: '/api/accounts',
      tag: ACCOUNTS,
      summary: 'All accounts',
      access: withRole('administrator'),
      responses: { 200: { description: 'By name', schema: z.array(accountSchema) } },
      handler: async () => json(200, await accounts.list()),
    }),
    route({
      method: 'GET',
      path: '/api/accounts/self',
      tag: ACCOUNTS,
      summary: 'The account that asks',
      access: anyAccount,
      responses: { 200: { description: 'It', schema: accountSchema } },
      errors: ['not_found'],
      handler: async ({ caller }) => json(200, await accounts.get(accountOf(caller).accountId)),
    }),
    route({
      method: 'POST',
      path: '/api/accounts',
      tag: ACCOUNTS,
      summary: 'A new account',
      access: withRole('administrator'),
      body: { as: 'json', schema: newAccountSchema },
      responses: { 201: { description: 'It', schema: accountSchema } },
      errors: ['already_exists'],
      handler: async ({ body, caller }) => json(201, await accounts.create(body, accountOf(caller).name)),
    }),
    route({
      method: 'PUT',
      path: '/api/accounts/:id',
      tag: ACCOUNTS,
      summary: 'Changes roles or password of an account, disables or enables it',
      description: 'All of it works at once: a new password and disabling end every session.',
      access: withRole('administrator'),
      params: accountId,
      body: { as: 'json', schema: accountChangeSchema },
      responses: { 200: { description: 'The account as it is now', schema: accountSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, body, caller }) => {
        const { name, accountId: userId } = accountOf(caller);
        return json(200, await accounts.change(params.id, body, { name, userId }));
      },
    }),
  ] as const;
