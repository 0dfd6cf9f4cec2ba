import { publicAccess } from '../../platform/auth/principal.ts';
import { json, route } from '../../platform/http/route.ts';
import { keySetSchema } from '../../wire/contracts.ts';
import type { KeyService } from './service.ts';

export const keyRoutes = ({ keys }: { keys: KeyService }) =>
  [
    route({
      method: 'GET',
      path: '/.well-known/jwks.json',
      tag: 'Keys',
      summary: 'List the public keys of short-lived tokens as a JSON Web Key Set',
      description: 'A key is published before it signs and until the last token that it signed has expired.',
      access: publicAccess,
      responses: { 200: { description: 'Keys', schema: keySetSchema } },
      handler: async () => json(200, { keys: await keys.listPublished() }),
    }),
  ] as const;
