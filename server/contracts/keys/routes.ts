import { anyone } from '../../platform/principal.ts';
import { json, route } from '../../platform/route.ts';
import { keySetSchema } from '../../wire/contracts.ts';
import type { KeyService } from './service.ts';

export const keyRoutes = ({ keys }: { keys: KeyService }) =>
  [
    route({
      method: 'GET',
      path: '/.well-known/jwks.json',
      tag: 'Keys',
      summary: 'The public keys of short-lived tokens as a JSON Web Key Set',
      description: 'A key is here a while before it signs, and until the last token that it signed is over.',
      access: anyone,
      responses: { 200: { description: 'Keys', schema: keySetSchema } },
      handler: async () => json(200, { keys: await keys.published() }),
    }),
  ] as const;
