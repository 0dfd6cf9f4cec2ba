import { hash, randomUUID, type KeyObject } from 'node:crypto';
import { SignJWT, decodeProtectedHeader, jwtVerify } from 'jose';
import { z } from 'zod';
import { RENEWAL_REUSE_MS, TOKEN_RENEWAL_MS, TOKEN_VALIDITY_MS } from '../../wire/limits.ts';
import { setBounded } from '../limits/bounded-map.ts';
import type { Clock } from '../clock.ts';

/** Claims of the tokens that this server issues (docs/decisions.md, section 2). Times are Unix seconds. */
const claimsSchema = z.object({
  iss: z.string(),
  sub: z.string(),
  jti: z.string(),
  iat: z.number(),
  exp: z.number(),
  /** Time of the initial sign-in. Limits renewals to 30 days while `iat` moves with each renewal. */
  auth_time: z.number(),
  accessScope: z.string().optional(),
  application: z.string().optional(),
  applicationVersion: z.string().optional(),
  resource: z.string().optional(),
});

export type TokenClaims = z.infer<typeof claimsSchema>;

export type SigningKey = {
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** A retired key still verifies existing tokens but signs no new ones. */
  retired: boolean;
};

export type NewToken = Pick<TokenClaims, 'iss' | 'sub'> &
  Partial<Pick<TokenClaims, 'accessScope' | 'application' | 'applicationVersion' | 'resource'>> & {
    jti?: string;
    validityMs?: number;
  };

export type Tokens = {
  issue(token: NewToken): Promise<{ token: string; claims: TokenClaims }>;
  /** Returns the claims; undefined for an expired, invalid or foreign token. The caller checks the session. */
  verify(token: string): Promise<TokenClaims | undefined>;
  /**
   * Returns the token with a later expiry; undefined 30 days after the sign-in. Signs at most once a minute per
   * session.
   */
  renew(claims: TokenClaims): Promise<string | undefined>;
};

const MAX_CACHED_TOKENS = 5000;

const toSeconds = (ms: number): number => Math.floor(ms / 1000);

export const createTokens = (options: { keys: () => readonly SigningKey[]; clock: Clock }): Tokens => {
  const { keys, clock } = options;
  // Keyed by hash, so that the cache contains no usable token.
  const verifiedClaims = new Map<string, TokenClaims>();
  const renewals = new Map<string, { time: number; token: Promise<string> }>();

  const requireActiveKey = (): SigningKey => {
    const key = keys().find((candidate) => !candidate.retired);
    if (key === undefined) throw new Error('no active signing key: all stored keys are retired');
    return key;
  };

  const sign = async (claims: TokenClaims): Promise<string> => {
    const key = requireActiveKey();
    return new SignJWT(claims).setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: key.kid }).sign(key.privateKey);
  };

  const verifySignature = async (token: string): Promise<TokenClaims | undefined> => {
    try {
      const { kid } = decodeProtectedHeader(token);
      const key = keys().find((candidate) => candidate.kid === kid);
      if (key === undefined) return undefined;
      const { payload } = await jwtVerify(token, key.publicKey, {
        // Allowing only one algorithm rejects `none`, and an HMAC keyed with the public key.
        algorithms: ['RS256'],
        typ: 'JWT',
        currentDate: new Date(clock.now()),
      });
      return claimsSchema.safeParse(payload).data;
    } catch {
      return undefined;
    }
  };

  const isUnexpired = (claims: TokenClaims): boolean => {
    const now = clock.now() / 1000;
    return now < claims.exp && now < claims.auth_time + TOKEN_RENEWAL_MS / 1000;
  };

  return {
    async issue({ jti = randomUUID(), validityMs = TOKEN_VALIDITY_MS, ...otherClaims }) {
      const now = toSeconds(clock.now());
      const claims: TokenClaims = { ...otherClaims, jti, iat: now, exp: now + toSeconds(validityMs), auth_time: now };
      return { token: await sign(claims), claims };
    },

    async verify(token) {
      const key = hash('sha256', token, 'base64');
      const cachedClaims = verifiedClaims.get(key);
      if (cachedClaims !== undefined) return isUnexpired(cachedClaims) ? cachedClaims : undefined;
      const claims = await verifySignature(token);
      if (claims === undefined || !isUnexpired(claims)) return undefined;
      setBounded(verifiedClaims, key, claims, MAX_CACHED_TOKENS);
      return claims;
    },

    renew(claims) {
      const now = clock.now();
      const lastRenewal = renewals.get(claims.jti);
      if (lastRenewal !== undefined && Math.abs(now - lastRenewal.time) < RENEWAL_REUSE_MS) return lastRenewal.token;
      const expiry = Math.min(toSeconds(now + TOKEN_VALIDITY_MS), claims.auth_time + TOKEN_RENEWAL_MS / 1000);
      if (expiry <= now / 1000) return Promise.resolve(undefined);
      const token = sign({ ...claims, iat: toSeconds(now), exp: expiry });
      setBounded(renewals, claims.jti, { time: now, token }, MAX_CACHED_TOKENS);
      token.catch(() => renewals.delete(claims.jti));
      return token;
    },
  };
};
