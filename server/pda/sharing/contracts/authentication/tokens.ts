import { compactVerify, decodeProtectedHeader } from 'jose';
import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { shortLivedClaimsSchema, type ShortLivedClaims } from '../../../../wire/contracts.ts';
import type { Credentials } from './credentials.ts';
import type { ContractKeys } from './keys.ts';

/** Verified tokens kept at most. */
const MAX_CACHED = 2000;
/** Seconds by which the clock of the service may be ahead of ours. */
const AHEAD_SECONDS = 300;

/** What a token amounts to: whose it is, and whether it still counts. */
export type ContractToken = { claims: ShortLivedClaims; expired: boolean };

/** Knows the short-lived tokens of the contracts service. */
export const createContractTokens = (parts: {
  keys: ContractKeys;
  /** Where the contracts service is; undefined when there is none. */
  contractsUrl: () => string | undefined;
  clock: Clock;
}) => {
  const { keys, contractsUrl, clock } = parts;
  // The hash is the key, so that a memory dump of the cache holds no token that could be used.
  const verified = new Map<string, ShortLivedClaims>();

  const check = async (service: string, token: string): Promise<ShortLivedClaims | undefined> => {
    try {
      const { kid, alg, typ } = decodeProtectedHeader(token);
      // Before any key is asked for: what could never be good is not worth a call.
      if (alg !== 'RS256' || typ !== 'JWT' || typeof kid !== 'string' || kid.length > 200) return undefined;
      const key = await keys.find(service, kid);
      if (key === undefined) return undefined;
      // Naming the one algorithm is what keeps `none` and an HMAC over the public key out.
      const { payload } = await compactVerify(token, key, { algorithms: ['RS256'] });
      return shortLivedClaimsSchema.safeParse(JSON.parse(Buffer.from(payload).toString())).data;
    } catch {
      // All invalid tokens get the same result.
      return undefined;
    }
  };

  const standing = (claims: ShortLivedClaims): ContractToken => {
    const now = clock.now() / 1000;
    return { claims, expired: now >= claims.exp || claims.iat > now + AHEAD_SECONDS };
  };

  return {
    /** What a token says, when the contracts service signed it; else undefined. */
    async verify({ tokenHash, token }: Pick<Credentials, 'tokenHash' | 'token'>): Promise<ContractToken | undefined> {
      const service = contractsUrl();
      if (service === undefined) return undefined;
      const key = `${service} ${tokenHash}`;
      const known = verified.get(key);
      if (known !== undefined) {
        const found = standing(known);
        if (found.expired) verified.delete(key);
        return found;
      }
      const claims = await check(service, token());
      if (claims === undefined) return undefined;
      const found = standing(claims);
      if (!found.expired) setBounded(verified, key, claims, MAX_CACHED);
      return found;
    },
    /** The keys are others now. */
    forget: (): void => verified.clear(),
  };
};

export type ContractTokens = ReturnType<typeof createContractTokens>;
