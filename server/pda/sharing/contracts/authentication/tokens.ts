import { compactVerify, decodeProtectedHeader } from 'jose';
import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { shortLivedClaimsSchema, type ShortLivedClaims } from '../../../../wire/contracts.ts';
import type { Credentials } from './credentials.ts';
import type { ContractKeys } from './keys.ts';

const MAX_CACHED_TOKENS = 2000;
const MAX_KEY_ID_CHARS = 200;
/** Maximum time by which the service's clock may be ahead. */
const MAX_CLOCK_LEAD_SECONDS = 300;

/** `isOutsideValidity` is true for expired tokens and for issue times over `MAX_CLOCK_LEAD_SECONDS` in the future. */
type ContractToken = { claims: ShortLivedClaims; isOutsideValidity: boolean };

export const createContractTokens = (parts: {
  keys: ContractKeys;
  /** Returns undefined if no contracts service is configured. */
  contractsUrl: () => string | undefined;
  clock: Clock;
}) => {
  const { keys, contractsUrl, clock } = parts;
  // Keyed by token hash, so that a memory dump contains no usable token.
  let verifiedClaims = new Map<string, ShortLivedClaims>();

  const readVerifiedClaims = async (service: string, token: string): Promise<ShortLivedClaims | undefined> => {
    try {
      const { kid, alg, typ } = decodeProtectedHeader(token);
      // Checked before the key is fetched, so that a malformed token causes no request.
      if (alg !== 'RS256' || typ !== 'JWT' || typeof kid !== 'string' || kid.length > MAX_KEY_ID_CHARS)
        return undefined;
      const key = await keys.find(service, kid);
      if (key === undefined) return undefined;
      // The explicit algorithm excludes `none` and an HMAC with the public key.
      const { payload } = await compactVerify(token, key, { algorithms: ['RS256'] });
      return shortLivedClaimsSchema.safeParse(JSON.parse(Buffer.from(payload).toString())).data;
    } catch {
      return undefined;
    }
  };

  const toContractToken = (claims: ShortLivedClaims): ContractToken => {
    const now = clock.now() / 1000;
    return { claims, isOutsideValidity: now >= claims.exp || claims.iat > now + MAX_CLOCK_LEAD_SECONDS };
  };

  return {
    /** Returns undefined unless the token is well-formed and signed with a key of the contracts service. */
    async verify({ tokenHash, token }: Pick<Credentials, 'tokenHash' | 'token'>): Promise<ContractToken | undefined> {
      const service = contractsUrl();
      if (service === undefined) return undefined;
      const key = `${service} ${tokenHash}`;
      // If the keys change during the verification, its result goes into the replaced cache, because the key may have been
      // withdrawn.
      const cache = verifiedClaims;
      const cachedClaims = cache.get(key);
      if (cachedClaims !== undefined) {
        const result = toContractToken(cachedClaims);
        if (result.isOutsideValidity) cache.delete(key);
        return result;
      }
      const claims = await readVerifiedClaims(service, token());
      if (claims === undefined) return undefined;
      const result = toContractToken(claims);
      if (!result.isOutsideValidity) setBounded(cache, key, claims, MAX_CACHED_TOKENS);
      return result;
    },
    /** Must be called when the keys change. */
    clearCache(): void {
      verifiedClaims = new Map();
    },
  };
};

export type ContractTokens = ReturnType<typeof createContractTokens>;
