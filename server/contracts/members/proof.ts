import { askPda } from '../../platform/ask-pda.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { isWithinTime, publicKeyOf, readPdaToken, verifyPdaToken, type PdaClaims } from '../../platform/pda-proof.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import { PROOF_VALIDITY_MS } from '../../wire/limits.ts';
import { pdaAddressSchema } from '../../wire/pda-address.ts';

/** What a PDA asks for, and the proof that it does. */
export type Proof = { claims: PdaClaims; address: string; publicKey: string };

const SCOPE = 'contract';

/** Looks at the tokens by which PDAs join and leave. What was wrong is written into the log only. */
export const createProofs = (parts: {
  fetch: SafeFetch;
  isOwnHost: (host: string) => boolean;
  clock: Clock;
  log: Log;
}) => {
  const { fetch, isOwnHost, clock, log } = parts;

  const noProof = (why: string): Failure => {
    log.info({ why }, 'a token of a PDA was refused');
    return new Failure('not_authenticated', 'This needs a token of the key of the PDA, made for this call.');
  };

  return {
    /** What a token says, as far as it can be seen without the key: nothing else is worth a look or a call. @throws Failure not_authenticated */
    async read(token: string | undefined, call: { contract: string; name: string }): Promise<PdaClaims> {
      const claims = token === undefined ? undefined : await readPdaToken(token);
      if (claims === undefined) throw noProof('it is none');
      const { iss, sub, contract, resource, accessScope } = claims;
      if (sub !== call.name || contract !== call.contract) throw noProof('it is for another call');
      if (accessScope !== SCOPE || !isOwnHost(resource)) throw noProof('it is for somebody else');
      if (!isWithinTime(claims, clock.now(), PROOF_VALIDITY_MS)) throw noProof('its time is over, or too long');
      // Only the one spelling of an address counts, or one PDA could be several.
      if (pdaAddressSchema.safeParse(iss).data !== iss) throw noProof('it is from no address');
      return claims;
    },

    /** @throws Failure unavailable: to whoever named the address, all addresses at which no key is found look alike */
    async keyAt(address: string): Promise<string> {
      const answer = await askPda(fetch, address, '/publickey');
      const key = 'text' in answer ? publicKeyOf(answer.text) : undefined;
      if (key !== undefined) return key.pem;
      const why = 'why' in answer ? answer.why : 'status 200';
      log.info({ pda: address, why }, 'the key of a PDA could not be had');
      throw new Failure('unavailable', 'No PDA showed its key at that address. Try again when it can be reached.', {
        headers: { 'retry-after': '60' },
      });
    },

    async isSignedBy(publicKey: string, token: string): Promise<boolean> {
      return (await verifyPdaToken(token, publicKey, { resource: isOwnHost, accessScope: SCOPE, clock })) !== undefined;
    },
    noProof,
  };
};
