import { randomBytes } from 'node:crypto';
import { requestPda } from '../../platform/outbound/pda-request.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { publicKeyOf, verifyPdaToken } from '../../platform/auth/pda-token.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import { proofResponseSchema } from '../../wire/exchange.ts';

export type AddressProof = {
  /** PEM. */
  publicKey: string;
  /** Returns true if the given previous key (PEM) also signed the challenge. */
  isSignedByPrevious(publicKey: string): Promise<boolean>;
};

/**
 * Creates a function that verifies that a PDA responds at an address, holds the key that it serves, and uses this
 * exchange. The reason for a failure is logged and not returned, so that clients cannot probe addresses.
 */
export const createAddressVerifier = (parts: {
  fetch: SafeFetch;
  isOwnHost: (host: string) => boolean;
  clock: Clock;
  log: Log;
}) => {
  const { fetch, clock, log } = parts;

  const createRefusal = (address: string, reason: string): Failure => {
    log.info({ pda: address, reason }, 'PDA address could not be verified');
    return new Failure('invalid_input', 'No PDA that uses this exchange responds at this address.', {
      details: [{ path: 'body.pdaAddress', problem: 'no PDA responds here' }],
    });
  };

  const requestText = async (address: string, path: string, json?: unknown): Promise<string> => {
    const response = await requestPda(fetch, address, path, json);
    if ('problem' in response) throw createRefusal(address, `${path}: ${response.problem}`);
    return response.text;
  };

  const parseProof = (address: string, text: string): { token: string; previous?: string | undefined } => {
    try {
      return proofResponseSchema.parse(JSON.parse(text));
    } catch {
      throw createRefusal(address, 'invalid response to the challenge');
    }
  };

  /** @throws Failure invalid_input */
  return async (address: string): Promise<AddressProof> => {
    const key = publicKeyOf(await requestText(address, '/publickey'));
    if (key === undefined) throw createRefusal(address, '/publickey serves no RSA key of 2048 to 8192 bits');
    const challenge = randomBytes(32).toString('base64url');
    const proof = parseProof(address, await requestText(address, '/api/v2.6/exchange/proof', { challenge }));

    const isSignedBy = async (token: string, publicKey: string): Promise<boolean> => {
      const check = { accessScope: 'proof', resource: parts.isOwnHost, clock };
      const claims = await verifyPdaToken(token, publicKey, check);
      return claims !== undefined && claims.iss === address && claims.challenge === challenge;
    };
    if (!(await isSignedBy(proof.token, key.pem)))
      throw createRefusal(address, 'the token is not a valid proof of this address and challenge');
    return {
      publicKey: key.pem,
      isSignedByPrevious: async (publicKey) => proof.previous !== undefined && isSignedBy(proof.previous, publicKey),
    };
  };
};
