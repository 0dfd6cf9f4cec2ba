import { hash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { createNetworkRateLimit } from '../../platform/limits/network-rate-limit.ts';
import { publicKeyOf, verifyPdaToken, type PdaClaims } from '../../platform/auth/pda-token.ts';
import { hashSpki } from '../../platform/auth/signing-keys.ts';
import { createRateLimit } from '../../platform/limits/rate-limit.ts';
import { TUNNEL_SCOPE } from '../../platform/tunnel/protocol.ts';
import type { RelayAddresses } from '../addresses.ts';
import type { RelayLimits } from '../limits.ts';
import type { NameRegistry } from './registry.ts';
import type { ReplayGuard } from './replay-guard.ts';

/** Credentials of `GET /<name>` or `DELETE /<name>`. `address` is the client's IP address. */
export type NameClaim = { name: string; token: string | undefined; key: string | undefined; address: string };

export type ClaimVerifier = ReturnType<typeof createClaimVerifier>;

type ClaimProof = { tokenClaims: PdaClaims; keyFingerprint: string };

const MAX_KEY_CHARS = 2000;
const TOO_MANY_CLAIMS = 'Too many claims for this name.';
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/u;

const parseKey = (text: string): { pem: string; fingerprint: string } | undefined => {
  if (text.length > MAX_KEY_CHARS || !BASE64.test(text)) return undefined;
  const parsed = publicKeyOf(`-----BEGIN PUBLIC KEY-----\n${text}\n-----END PUBLIC KEY-----\n`);
  if (parsed === undefined) return undefined;
  // The key is re-encoded, so that all encodings of a key have the same fingerprint.
  return { pem: parsed.pem, fingerprint: hashSpki(parsed.key, 'base64url') };
};

const enforceRateLimit = (waitMs: number, reason: string): void => {
  if (waitMs === 0) return;
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  throw new Failure('rate_limited', `${reason} Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
};

/** Verifies that a claim comes from the holder of the name. The first key that claims a name becomes its holder. */
export const createClaimVerifier = (parts: {
  addresses: RelayAddresses;
  names: Pick<NameRegistry, 'find' | 'register'>;
  replayGuard: Pick<ReplayGuard, 'use'>;
  limits: RelayLimits;
  clock: Clock;
  log: Log;
}) => {
  const { addresses, names, replayGuard, limits, clock, log } = parts;
  const claimsPerNetwork = createNetworkRateLimit({
    burst: limits.claimBurst,
    intervalMs: limits.claimIntervalMs,
    clock,
  });
  const claimsPerName = createRateLimit({
    burst: limits.claimPerNameBurst,
    intervalMs: limits.claimPerNameIntervalMs,
    clock,
  });
  const newNames = createNetworkRateLimit({ burst: limits.newNameBurst, intervalMs: limits.newNameIntervalMs, clock });

  const invalidProofFailure = (name: string, reason: string): Failure => {
    log.info({ name, reason }, 'claim refused');
    return new Failure(
      'not_authenticated',
      'The proof is missing or invalid. Sign a new token for this relay with the key of the PDA.',
    );
  };

  const verify = async (claim: NameClaim): Promise<ClaimProof> => {
    const { name, token, address } = claim;
    enforceRateLimit(claimsPerNetwork.take(address), 'Too many claims from this network.');
    const key = claim.key === undefined ? undefined : parseKey(claim.key);
    if (token === undefined || key === undefined) throw invalidProofFailure(name, 'no token or no valid key');
    const tokenClaims = await verifyPdaToken(token, key.pem, {
      resource: addresses.isOwnHost,
      accessScope: TUNNEL_SCOPE,
      clock,
    });
    if (tokenClaims === undefined) throw invalidProofFailure(name, 'wrong signature, relay, scope or time');
    if (tokenClaims.iss !== addresses.pdaHost(name)) throw invalidProofFailure(name, 'issued for another name');
    return { tokenClaims, keyFingerprint: key.fingerprint };
  };

  const consume = async (name: string, { tokenClaims, keyFingerprint }: ClaimProof): Promise<void> => {
    const id = hash('sha256', `${keyFingerprint} ${tokenClaims.jti}`, 'base64url');
    if (!(await replayGuard.use(id, tokenClaims.exp))) throw invalidProofFailure(name, 'token was used before');
  };

  const notHolderFailure = (name: string): Failure => {
    log.warn({ name }, 'claim with a key that does not hold the name');
    return new Failure('forbidden', 'This name is not registered with this key.');
  };

  return {
    /**
     * Registers a free name, or confirms that the claim comes from the name's holder.
     * @throws Failure not_authenticated | forbidden | rate_limited | unavailable
     */
    async claim(claim: NameClaim): Promise<void> {
      const { name } = claim;
      const proof = await verify(claim);
      const existing = await names.find(name);
      // Checked before the token is recorded. Otherwise claims with another key would fill the replay guard and use up
      // the holder's rate limit.
      if (existing === undefined)
        enforceRateLimit(newNames.take(claim.address), 'Too many new names from this network.');
      else if (existing.key !== proof.keyFingerprint) throw notHolderFailure(name);
      else enforceRateLimit(claimsPerName.take(name), TOO_MANY_CLAIMS);
      await consume(name, proof);
      // Read again, because the operator may have released the name while the token was written to disk.
      const holder = existing === undefined ? await names.register(name, proof.keyFingerprint) : await names.find(name);
      if (holder?.key !== proof.keyFingerprint) throw notHolderFailure(name);
      if (existing === undefined) log.info({ name, key: proof.keyFingerprint }, 'name registered');
    },

    /** @throws Failure not_authenticated | forbidden | rate_limited | unavailable */
    async verifyHolder(claim: NameClaim): Promise<void> {
      const proof = await verify(claim);
      const existing = await names.find(claim.name);
      if (existing?.key !== proof.keyFingerprint) throw notHolderFailure(claim.name);
      enforceRateLimit(claimsPerName.take(claim.name), TOO_MANY_CLAIMS);
      await consume(claim.name, proof);
    },
  };
};
