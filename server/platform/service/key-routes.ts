import { publicAccess } from '../auth/principal.ts';
import { json, route } from '../http/route.ts';
import { toPublicJwk } from '../auth/signing-keys.ts';
import type { SigningKey } from '../auth/tokens.ts';
import { keySetSchema } from '../../wire/contracts.ts';

const PEM_CONTENT_TYPE = 'text/plain; charset=utf-8';

/** Serves all public keys as a JSON Web Key Set (RFC 7517, section 5). */
export const keySetRoute = (parts: {
  tag: string;
  summary: string;
  description?: string;
  keys: () => Promise<readonly Pick<SigningKey, 'kid' | 'publicKey'>[]>;
}) =>
  route({
    method: 'GET',
    path: '/.well-known/jwks.json',
    tag: parts.tag,
    summary: parts.summary,
    ...(parts.description === undefined ? {} : { description: parts.description }),
    access: publicAccess,
    responses: { 200: { description: 'All published keys', schema: keySetSchema } },
    handler: async () => json(200, { keys: (await parts.keys()).map(toPublicJwk) }),
  });

/** Serves the current public key as PEM, and all keys as a JSON Web Key Set (RFC 7517). */
export const publicKeyRoutes = (parts: {
  tag: string;
  summary: string;
  publicKey: () => string | Promise<string>;
  keys: () => readonly SigningKey[] | Promise<readonly SigningKey[]>;
}) =>
  [
    route({
      method: 'GET',
      path: '/publickey',
      tag: parts.tag,
      summary: parts.summary,
      access: publicAccess,
      responses: { 200: { description: 'PEM, for verifying RS256 signatures', contentType: PEM_CONTENT_TYPE } },
      handler: async () => ({ status: 200, text: await parts.publicKey(), contentType: PEM_CONTENT_TYPE }),
    }),
    keySetRoute({
      tag: parts.tag,
      summary: 'Get the public keys as a JSON Web Key Set',
      keys: async () => parts.keys(),
    }),
  ] as const;
