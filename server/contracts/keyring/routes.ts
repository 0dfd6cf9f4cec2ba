import { bearerHeader, bearerTokenOf } from '../../platform/auth/bearer-token.ts';
import { jsonText, route } from '../../platform/http/route.ts';
import { keyringQuerySchema, keyringSchema } from '../../wire/contracts.ts';
import type { KeyringService } from './service.ts';

export const keyringRoutes = ({ keyring }: { keyring: KeyringService }) =>
  [
    route({
      method: 'GET',
      path: '/v1/contracts/keyring',
      tag: 'Contracts',
      summary: 'Get a short-lived token and the names of the PDAs that joined',
      description:
        'Requires `Authorization: Bearer <long-lived token>`. The returned token is valid for 15 minutes at every listed PDA, within the namespaces of the contract.',
      access: { auth: 'scopes', scopesFor: () => ['keyring:read'] },
      headers: bearerHeader,
      query: keyringQuerySchema,
      identify: async ({ headers, caller }) => {
        const principal = await keyring.identify(bearerTokenOf(headers), caller.address);
        return { principal, currentPrincipal: () => principal };
      },
      responses: { 200: { description: 'The keyring', schema: keyringSchema } },
      errors: ['not_authenticated', 'not_found'],
      handler: async ({ query, caller }) => {
        caller.admitLongRead();
        // `identify` returns only contracts.
        const contract = caller.principal.kind === 'contract' ? caller.principal.contract : '';
        return jsonText(200, await keyring.stream(contract, { host: caller.host, ...query }));
      },
    }),
  ] as const;
