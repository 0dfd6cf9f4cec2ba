import { requestPda } from '../../platform/outbound/pda-request.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import {
  hasValidLifetime,
  publicKeyOf,
  readPdaToken,
  verifyPdaToken,
  type PdaClaims,
} from '../../platform/auth/pda-token.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import { PROOF_VALIDITY_MS } from '../../wire/limits.ts';
import { pdaAddressSchema } from '../../wire/pda-address.ts';

export type MembershipProof = { claims: PdaClaims; address: string; publicKey: string };

const PROOF_SCOPE = 'contract';

/** Verifies the tokens with which PDAs join and leave contracts. Reasons for refusals are logged, but not returned. */
export const createProofVerifier = (parts: {
  fetch: SafeFetch;
  isOwnHost: (host: string) => boolean;
  clock: Clock;
  log: Log;
}) => {
  const { fetch, isOwnHost, clock, log } = parts;

  const createRefusal = (reason: string): Failure => {
    log.info({ reason }, 'PDA token refused');
    return new Failure(
      'not_authenticated',
      'The token is missing or invalid. Sign a token for this request with the key of the PDA.',
    );
  };

  return {
    /** Validates the claims of a PDA's token, but not its signature. @throws Failure not_authenticated */
    async checkClaims(token: string | undefined, request: { contract: string; name: string }): Promise<PdaClaims> {
      const claims = token === undefined ? undefined : await readPdaToken(token);
      if (claims === undefined) throw createRefusal('missing or malformed');
      const { iss, sub, contract, resource, accessScope } = claims;
      if (sub !== request.name || contract !== request.contract) throw createRefusal('issued for a different request');
      if (accessScope !== PROOF_SCOPE || !isOwnHost(resource))
        throw createRefusal('issued for a different service or purpose');
      if (!hasValidLifetime(claims, clock.now(), PROOF_VALIDITY_MS))
        throw createRefusal('expired, in the future, or valid for too long');
      // Only the canonical spelling is accepted, so that a PDA cannot register under several addresses.
      if (pdaAddressSchema.safeParse(iss).data !== iss) throw createRefusal('issuer is not a canonical address');
      return claims;
    },

    /** @throws Failure unavailable with the same message for all causes, so that a client cannot probe for addresses */
    async fetchKey(address: string): Promise<string> {
      const response = await requestPda(fetch, address, '/publickey');
      const key = 'text' in response ? publicKeyOf(response.text) : undefined;
      if (key !== undefined) return key.pem;
      const reason = 'problem' in response ? response.problem : 'no public key in the response';
      log.info({ pda: address, reason }, 'could not fetch the public key of a PDA');
      throw new Failure(
        'unavailable',
        'Cannot fetch the public key of the PDA from this address. Try again when the PDA is reachable.',
        { headers: { 'retry-after': '60' } },
      );
    },

    async isSignedBy(publicKey: string, token: string): Promise<boolean> {
      const check = { resource: isOwnHost, accessScope: PROOF_SCOPE, clock };
      return (await verifyPdaToken(token, publicKey, check)) !== undefined;
    },

    createRefusal,
  };
};
