import { CompactSign } from 'jose';
import type { SigningKey } from '../../../platform/auth/tokens.ts';

/**
 * A detached JWS (RFC 7515, appendix F): `header..signature` over the very bytes that are sent. The receiver puts the base64url of the body
 * between the dots and verifies with the key of that `kid` in `/.well-known/jwks.json`.
 */
export const detachedSignature = async (body: Buffer, key: SigningKey): Promise<string> => {
  const jws = await new CompactSign(body).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(key.privateKey);
  const [header, , signature] = jws.split('.');
  return `${header}..${signature}`;
};
