import { bearerHeader, bearerOf } from '../../platform/bearer.ts';
import { jsonText, route } from '../../platform/route.ts';
import { keyringQuerySchema, keyringSchema } from '../../wire/contracts.ts';
import type { KeyringService } from './service.ts';

export const keyringRoutes = ({ keyring }: { keyring: KeyringService }) =>
  [
    route({
      method: 'GET',
      path: '/v1/contracts/keyring',
      tag: 'Contracts',
      summary: 'A short-lived token, and the PDAs that joined',
      description:
        'With `Authorization: Bearer <long-lived token>`. The token in the answer is good for 15 minutes, on every PDA that is named, within the namespaces of the contract.',
      access: { want: 'scopes', of: () => ['keyring:read'] },
      headers: bearerHeader,
      query: keyringQuerySchema,
      identify: async ({ headers, caller }) => {
        const principal = await keyring.identify(bearerOf(headers), caller.address);
        return { principal, current: () => principal };
      },
      responses: { 200: { description: 'The keyring', schema: keyringSchema } },
      errors: ['not_authenticated', 'rate_limited', 'not_found'],
      handler: async ({ query, caller }) => {
        caller.longRead();
        // The declaration lets nobody else through.
        const contract = caller.principal.kind === 'contract' ? caller.principal.contract : '';
        return jsonText(200, await keyring.write(contract, { host: caller.host, ...query }));
      },
    }),
  ] as const;
