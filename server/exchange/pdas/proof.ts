import { randomBytes } from 'node:crypto';
import { askPda } from '../../platform/ask-pda.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { publicKeyOf, verifyPdaToken } from '../../platform/pda-proof.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import { proofAnswerSchema } from '../../wire/exchange.ts';

/** What answers at an address: its key, and whether the holder of another key vouches for it. */
export type Proven = {
  publicKey: string;
  /** Whether whoever holds this key (PEM) signed the same: it was the key before. */
  vouchedBy(publicKey: string): Promise<boolean>;
};

/**
 * Asks whoever answers at an address to prove that a PDA is there which holds the key that it shows, and that its owner chose this exchange. What
 * was wrong is written into the log only: to whoever named the address, all addresses without a PDA look alike.
 */
export const createProofs = (parts: {
  fetch: SafeFetch;
  isOwnHost: (host: string) => boolean;
  clock: Clock;
  log: Log;
}) => {
  const { fetch, clock, log } = parts;

  const noPda = (address: string, why: string): Failure => {
    log.info({ pda: address, why }, 'a PDA did not prove its address');
    return new Failure('invalid_input', 'No PDA that is set to this exchange answered at that address.', {
      details: [{ path: 'body.pdaAddress', problem: 'no PDA proved that it answers here' }],
    });
  };

  const call = async (address: string, path: string, json?: unknown): Promise<string> => {
    const answer = await askPda(fetch, address, path, json);
    if ('why' in answer) throw noPda(address, `${path}: ${answer.why}`);
    return answer.text;
  };

  const parsed = (address: string, text: string): { token: string; previous?: string | undefined } => {
    try {
      return proofAnswerSchema.parse(JSON.parse(text));
    } catch {
      throw noPda(address, 'the answer is no proof');
    }
  };

  /** @throws Failure invalid_input */
  return async (address: string): Promise<Proven> => {
    const shown = publicKeyOf(await call(address, '/publickey'));
    if (shown === undefined) throw noPda(address, 'what is at /publickey is no RSA key');
    const challenge = randomBytes(32).toString('base64url');
    const answer = parsed(address, await call(address, '/api/v2.6/exchange/proof', { challenge }));

    const signedBy = async (token: string, publicKey: string): Promise<boolean> => {
      const check = { accessScope: 'proof', resource: parts.isOwnHost, clock };
      const claims = await verifyPdaToken(token, publicKey, check);
      return claims !== undefined && claims.iss === address && claims.challenge === challenge;
    };
    if (!(await signedBy(answer.token, shown.pem))) throw noPda(address, 'the proof does not hold');
    return {
      publicKey: shown.pem,
      vouchedBy: async (publicKey) => answer.previous !== undefined && signedBy(answer.previous, publicKey),
    };
  };
};
