import { createPublicKey, randomUUID, type KeyObject } from 'node:crypto';
import { SignJWT, decodeJwt, jwtVerify } from 'jose';
import { z } from 'zod';
import { PROOF_VALIDITY_MS } from '../../wire/limits.ts';
import type { Clock } from '../clock.ts';

// Tokens by which a PDA and a service prove their identity to each other. Times are Unix seconds. A token is bound to
// one purpose (`accessScope`) and one audience (`resource`).

const claimsSchema = z.object({
  iss: z.string().min(1).max(300),
  resource: z.string().min(1).max(300),
  accessScope: z.string().min(1).max(100),
  iat: z.number(),
  exp: z.number(),
  jti: z.string().min(1).max(200),
  sub: z.string().max(300).optional(),
  challenge: z.string().max(300).optional(),
  contract: z.string().max(300).optional(),
});

export type PdaClaims = z.infer<typeof claimsSchema>;

export type NewPdaToken = Pick<PdaClaims, 'iss' | 'resource' | 'accessScope'> &
  Partial<Pick<PdaClaims, 'sub' | 'challenge' | 'contract'>>;

/** Tolerance for an issuer's clock that is ahead of this computer's clock. */
const CLOCK_SKEW_MS = 60_000;
const MAX_TOKEN_CHARS = 8000;

const SPKI_PEM = /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/u;
const MAX_PEM_CHARS = 4000;

/**
 * Parses the public key of a PDA and normalises its PEM. Returns undefined for anything but an RSA key with 2048 to
 * 8192 bits. Larger keys cost too much time.
 */
export const publicKeyOf = (pem: string): { pem: string; key: KeyObject } | undefined => {
  // Node would also accept a private key and derive the public key. A private key must never be sent to a service.
  if (pem.length > MAX_PEM_CHARS || !SPKI_PEM.test(pem)) return undefined;
  try {
    const key = createPublicKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    if (key.asymmetricKeyType !== 'rsa' || bits < 2048 || bits > 8192) return undefined;
    return { pem: key.export({ type: 'spki', format: 'pem' }).toString(), key };
  } catch {
    return undefined;
  }
};

export const signPdaToken = async (
  key: { privateKey: KeyObject; kid?: string },
  token: NewPdaToken,
  clock: Clock,
): Promise<string> => {
  const iat = Math.floor(clock.now() / 1000);
  const { sub, ...otherClaims } = token;
  const times = { iat, exp: iat + PROOF_VALIDITY_MS / 1000, jti: randomUUID() };
  return new SignJWT({ ...otherClaims, ...(sub === undefined ? {} : { sub }), ...times })
    .setProtectedHeader({ typ: 'JWT', alg: 'RS256', ...(key.kid === undefined ? {} : { kid: key.kid }) })
    .sign(key.privateKey);
};

const decodePart = (token: string, index: 0 | 1): unknown => {
  try {
    return JSON.parse(Buffer.from(token.split('.', 3)[index] ?? '', 'base64url').toString());
  } catch {
    return undefined;
  }
};

/** Reads the issuer and key ID of an unverified token, to find the key for its verification. */
export const issuerAndKeyIdOf = (token: string): { iss: string | undefined; kid: string | undefined } => ({
  iss: z.object({ iss: z.string() }).safeParse(decodePart(token, 1)).data?.iss,
  kid: z.object({ kid: z.string() }).safeParse(decodePart(token, 0)).data?.kid,
});

/** Reads the claims of an unverified token, to find the key for its verification. */
export const readPdaToken = async (token: string): Promise<PdaClaims | undefined> => {
  if (token.length > MAX_TOKEN_CHARS) return undefined;
  try {
    return claimsSchema.safeParse(decodeJwt(token)).data;
  } catch {
    return undefined;
  }
};

export type PdaTokenCheck = {
  /** Required audience: a host[:port], or a predicate for services with several hosts. */
  resource: string | ((host: string) => boolean);
  accessScope: string;
  clock: Clock;
  /** Maximum lifetime in milliseconds, counted from `iat`. */
  validityMs?: number;
};

/** Returns the claims, or undefined if the signature, audience, purpose or lifetime is wrong. */
export const verifyPdaToken = async (
  token: string,
  publicKey: string | KeyObject,
  check: PdaTokenCheck,
): Promise<PdaClaims | undefined> => {
  const { resource, accessScope, clock, validityMs = PROOF_VALIDITY_MS } = check;
  if (token.length > MAX_TOKEN_CHARS) return undefined;
  try {
    const key = typeof publicKey === 'string' ? createPublicKey(publicKey) : publicKey;
    const { payload } = await jwtVerify(token, key, {
      // Allowing only one algorithm rejects `none`, and an HMAC keyed with the public key.
      algorithms: ['RS256'],
      typ: 'JWT',
      currentDate: new Date(clock.now()),
    });
    const claims = claimsSchema.safeParse(payload).data;
    if (claims === undefined || claims.accessScope !== accessScope) return undefined;
    if (typeof resource === 'string' ? claims.resource !== resource : !resource(claims.resource)) return undefined;
    return hasValidLifetime(claims, clock.now(), validityMs) ? claims : undefined;
  } catch {
    return undefined;
  }
};

/**
 * Returns true if a token is valid now and its whole lifetime is at most `validityMs`, which bounds the use of a leaked
 * token.
 */
export const hasValidLifetime = (claims: Pick<PdaClaims, 'iat' | 'exp'>, now: number, validityMs: number): boolean =>
  now < claims.exp * 1000 &&
  claims.iat * 1000 <= now + CLOCK_SKEW_MS &&
  (claims.exp - claims.iat) * 1000 <= validityMs &&
  claims.exp > claims.iat;
