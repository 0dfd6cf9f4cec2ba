import { z } from 'zod';
import { publicKeyRoutes } from '../../platform/service/key-routes.ts';
import { publicAccess } from '../../platform/auth/principal.ts';
import { json, messageResponse, route } from '../../platform/http/route.ts';
import { accountOf, withRole } from '../../platform/service/authorization.ts';
import { decodeSignInHeaders, signInHeadersSchema } from '../../platform/auth/sign-in-headers.ts';
import { messageSchema } from '../../wire/common.ts';
import { accountChangeSchema, accountSchema, exchangeTokenSchema, newAccountSchema } from '../../wire/exchange.ts';
import type { AccountService } from './service.ts';

const SIGN_IN = 'Sign-in and keys';
const ACCOUNTS = 'Accounts';

/** Admits every account, but no PDA. */
const anyAccount = { auth: 'anyScope', startsWith: 'role:' } as const;
const accountId = z.object({ id: z.uuid() });

export const accountRoutes = ({ accounts }: { accounts: AccountService }) =>
  [
    route({
      method: 'GET',
      path: '/api/users/access_token',
      tag: SIGN_IN,
      summary: 'Sign in',
      description:
        'Requires the headers `username` and `password`, percent-encoded. Attempts are limited per network and per account name.',
      access: publicAccess,
      headers: signInHeadersSchema,
      responses: { 200: { description: 'A token for the account', schema: exchangeTokenSchema } },
      errors: ['invalid_credentials'],
      handler: async ({ headers, caller }) => {
        const { username, password } = decodeSignInHeaders(headers);
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
      responses: { 200: { description: 'Signed out', schema: messageSchema } },
      errors: ['not_found'],
      handler: async ({ caller }) => {
        await accounts.signOut(accountOf(caller).sessionId);
        return { ...messageResponse(200, 'Signed out'), endsSession: true };
      },
    }),
    ...publicKeyRoutes({
      tag: SIGN_IN,
      summary: 'Get the public key of the exchange’s current signing key',
      publicKey: accounts.getPublicKey,
      keys: accounts.listKeys,
    }),
    route({
      method: 'GET',
      path: '/api/accounts',
      tag: ACCOUNTS,
      summary: 'List accounts',
      access: withRole('administrator'),
      responses: { 200: { description: 'Accounts, ordered by name', schema: z.array(accountSchema) } },
      handler: async () => json(200, await accounts.list()),
    }),
    route({
      method: 'GET',
      path: '/api/accounts/self',
      tag: ACCOUNTS,
      summary: 'Get the account to which the token belongs',
      access: anyAccount,
      responses: { 200: { description: 'The account', schema: accountSchema } },
      errors: ['not_found'],
      handler: async ({ caller }) => json(200, await accounts.get(accountOf(caller).accountId)),
    }),
    route({
      method: 'POST',
      path: '/api/accounts',
      tag: ACCOUNTS,
      summary: 'Create an account',
      access: withRole('administrator'),
      body: { as: 'json', schema: newAccountSchema },
      responses: { 201: { description: 'The account', schema: accountSchema } },
      errors: ['already_exists'],
      handler: async ({ body, caller }) => json(201, await accounts.create(body, accountOf(caller).name)),
    }),
    route({
      method: 'PUT',
      path: '/api/accounts/:id',
      tag: ACCOUNTS,
      summary: 'Change the roles or the password of an account, or disable or enable it',
      description: 'Takes effect immediately. Setting a password or disabling the account ends all its sessions.',
      access: withRole('administrator'),
      params: accountId,
      body: { as: 'json', schema: accountChangeSchema },
      responses: { 200: { description: 'The changed account', schema: accountSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, body, caller }) => {
        const { name, accountId: userId } = accountOf(caller);
        return json(200, await accounts.change(params.id, body, { name, userId }));
      },
    }),
  ] as const;
