import { createPublicKey, randomUUID, type KeyObject } from 'node:crypto';
import { SignJWT, decodeJwt, jwtVerify } from 'jose';
import { z } from 'zod';
import { PROOF_VALIDITY_MS } from '../../wire/limits.ts';
import type { Clock } from '../clock.ts';

/**
 * Tokens by which a PDA proves to a service who it is, and a service to a PDA: RS256, `typ` JWT, for minutes. Made for one purpose
 * (`accessScope`) and one reader (`resource`): whoever gets one can do nothing with it elsewhere.
 */

const claimsSchema = z.object({
  iss: z.string().min(1).max(300),
  resource: z.string().min(1).max(300),
  accessScope: z.string().min(1).max(100),
  iat: z.number(),
  exp: z.number(),
  jti: z.string().min(1).max(200),
  sub: z.string().max(300).optional(),
  /** Of a proof of address: what was asked. */
  challenge: z.string().max(300).optional(),
  /** Of joining and leaving: which contract. */
  contract: z.string().max(300).optional(),
});

export type PdaClaims = z.infer<typeof claimsSchema>;

export type NewPdaToken = Pick<PdaClaims, 'iss' | 'resource' | 'accessScope'> &
  Partial<Pick<PdaClaims, 'sub' | 'challenge' | 'contract'>>;

/** Milliseconds by which the clock of a PDA may be ahead of ours. */
const CLOCK_SKEW_MS = 60_000;
const MAX_TOKEN_CHARS = 8000;

const SPKI_PEM = /^\s*-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----\s*$/u;
const MAX_PEM_CHARS = 4000;

/**
 * The public key that a PDA shows at `/publickey`: RSA from 2048 to 8192 bits, as PEM in its one spelling. Undefined for everything else; a larger
 * one would only make us work.
 */
export const publicKeyOf = (pem: string): { pem: string; key: KeyObject } | undefined => {
  // Node would take a private key too and derive the public one from it: nobody should send us that.
  if (pem.length > MAX_PEM_CHARS || !SPKI_PEM.test(pem)) return undefined;
  try {
    const key = createPublicKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    if (key.asymmetricKeyType !== 'rsa' || bits < 2048 || bits > 8192) return undefined;
    return { pem: key.export({ type: 'spki', format: 'pem' }).toString(), key };
  } catch {
    // Every way for a key to be no key has one answer.
    return undefined;
  }
};

/** A token of this key, good for five minutes. */
export const signPdaToken = async (
  key: { privateKey: KeyObject; kid?: string },
  token: NewPdaToken,
  clock: Clock,
): Promise<string> => {
  const iat = Math.floor(clock.now() / 1000);
  const { sub, ...rest } = token;
  const times = { iat, exp: iat + PROOF_VALIDITY_MS / 1000, jti: randomUUID() };
  return new SignJWT({ ...rest, ...(sub === undefined ? {} : { sub }), ...times })
    .setProtectedHeader({ typ: 'JWT', alg: 'RS256', ...(key.kid === undefined ? {} : { kid: key.kid }) })
    .sign(key.privateKey);
};

const partOf = (token: string, index: 0 | 1): unknown => {
  try {
    return JSON.parse(Buffer.from(token.split('.', 3)[index] ?? '', 'base64url').toString());
  } catch {
    // Whatever it is, it is no token, and says nothing.
    return undefined;
  }
};

/** Who a token says made it, and by which key. Nothing of it is proven: it tells whose key to look at. */
export const issuerOf = (token: string): { iss: string | undefined; kid: string | undefined } => ({
  iss: z.object({ iss: z.string() }).safeParse(partOf(token, 1)).data?.iss,
  kid: z.object({ kid: z.string() }).safeParse(partOf(token, 0)).data?.kid,
});

/** What a token says of itself. Nothing of it is proven: it tells whose key to look at. */
export const readPdaToken = async (token: string): Promise<PdaClaims | undefined> => {
  if (token.length > MAX_TOKEN_CHARS) return undefined;
  try {
    return claimsSchema.safeParse(decodeJwt(token)).data;
  } catch {
    return undefined;
  }
};

export type PdaTokenCheck = {
  /** Whom it must be made for: one host[:port], or whether a host is one of several. */
  resource: string | ((host: string) => boolean);
  accessScope: string;
  clock: Clock;
  /** Milliseconds that it may be good for at most, from when it was signed. */
  validityMs?: number;
};

/** The claims of a token that the holder of this key made for us, for this purpose, minutes ago; else undefined. */
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
      // Naming the one algorithm is what keeps `none` and an HMAC over the public key out.
      algorithms: ['RS256'],
      typ: 'JWT',
      currentDate: new Date(clock.now()),
    });
    const claims = claimsSchema.safeParse(payload).data;
    if (claims === undefined || claims.accessScope !== accessScope) return undefined;
    if (typeof resource === 'string' ? claims.resource !== resource : !resource(claims.resource)) return undefined;
    return isWithinTime(claims, clock.now(), validityMs) ? claims : undefined;
  } catch {
    // Every way for a token to be wrong has one answer.
    return undefined;
  }
};

/** Whether a token counts now, and was never good for longer than it may be: one that is found later opens nothing. */
export const isWithinTime = (claims: Pick<PdaClaims, 'iat' | 'exp'>, now: number, validityMs: number): boolean =>
  now < claims.exp * 1000 &&
  claims.iat * 1000 <= now + CLOCK_SKEW_MS &&
  (claims.exp - claims.iat) * 1000 <= validityMs &&
  claims.exp > claims.iat;
