import { createHash } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import { Failure } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { createNetworkRate } from '../platform/network-gate.ts';
import { publicKeyOf, verifyPdaToken, type PdaClaims } from '../platform/pda-proof.ts';
import { createRateLimit } from '../platform/rate-limit.ts';
import { TUNNEL_SCOPE } from '../platform/tunnel-protocol.ts';
import type { Addresses } from './addresses.ts';
import type { RelayLimits } from './limits.ts';
import type { Names } from './names.ts';
import type { UsedClaims } from './used-claims.ts';

/** What came with `GET /<name>` or `DELETE /<name>`. */
export type Claim = { name: string; token: string | undefined; key: string | undefined; address: string };

const MAX_KEY_CHARS = 2000;
const TOO_OFTEN = 'Too many claims of this name. Wait a moment.';
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/u;

/** The key in the header, as the rest of ours reads keys, and its name. */
const readKey = (text: string): { pem: string; fingerprint: string } | undefined => {
  if (text.length > MAX_KEY_CHARS || !BASE64.test(text)) return undefined;
  const found = publicKeyOf(`-----BEGIN PUBLIC KEY-----\n${text}\n-----END PUBLIC KEY-----\n`);
  if (found === undefined) return undefined;
  // Of the key as we write it: one key has one name, however it was sent.
  const der = found.key.export({ type: 'spki', format: 'der' });
  return { pem: found.pem, fingerprint: createHash('sha256').update(der).digest('base64url') };
};

/** @param wait milliseconds */
const refuseFor = (wait: number, reason: string): void => {
  if (wait === 0) return;
  throw new Failure('rate_limited', reason, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(wait / 1000))) },
  });
};

/** Decides whether a claim is that of the name's holder. */
export const createClaims = (parts: {
  addresses: Addresses;
  names: Pick<Names, 'find' | 'take'>;
  usedClaims: Pick<UsedClaims, 'take'>;
  limits: RelayLimits;
  clock: Clock;
  log: Log;
}) => {
  const { addresses, names, usedClaims, limits, clock, log } = parts;
  const perNetwork = createNetworkRate({ burst: limits.claimBurst, intervalMs: limits.claimIntervalMs, clock });
  const perName = createRateLimit({
    burst: limits.claimPerNameBurst,
    intervalMs: limits.claimPerNameIntervalMs,
    clock,
  });
  const newNames = createNetworkRate({ burst: limits.newNameBurst, intervalMs: limits.newNameIntervalMs, clock });

  const noProof = (name: string, why: string): Failure => {
    log.info({ name, why }, 'a claim was refused');
    return new Failure('not_authenticated', 'A name needs a fresh proof of the key of its PDA, made for this relay.');
  };

  const prove = async ({ name, token, key: given, address }: Claim): Promise<{ claims: PdaClaims; key: string }> => {
    refuseFor(perNetwork.take(address), 'Too many claims from this network. Wait a moment.');
    const key = given === undefined ? undefined : readKey(given);
    if (token === undefined || key === undefined) throw noProof(name, 'it has no token, or no key');
    const claims = await verifyPdaToken(token, key.pem, {
      resource: addresses.isOwn,
      accessScope: TUNNEL_SCOPE,
      clock,
    });
    if (claims === undefined) throw noProof(name, 'the token is not of this key, for this relay, or of now');
    if (claims.iss !== addresses.pdaHost(name)) throw noProof(name, 'the token is for another name');
    return { claims, key: key.fingerprint };
  };

  const use = async (name: string, { claims, key }: { claims: PdaClaims; key: string }): Promise<void> => {
    const id = createHash('sha256').update(`${key} ${claims.jti}`).digest('base64url');
    if (!(await usedClaims.take(id, claims.exp))) throw noProof(name, 'the token was used before');
  };

  const taken = (name: string): Failure => {
    log.warn({ name }, 'a name was claimed with another key');
    return new Failure('forbidden', 'This name belongs to another PDA.');
  };

  return {
    /** Takes a name, or takes it again. @throws Failure not_authenticated, forbidden, rate_limited, unavailable */
    async claim(claim: Claim): Promise<void> {
      const { name } = claim;
      const proof = await prove(claim);
      const held = await names.find(name);
      // All of this before the token is remembered: a stranger's proofs take no room, and none of the tries of who has the name, or is the first to want it.
      if (held === undefined) refuseFor(newNames.take(claim.address), 'Too many new names from this network today.');
      else if (held.key !== proof.key) throw taken(name);
      else refuseFor(perName.take(name), TOO_OFTEN);
      await use(name, proof);
      // Looked at once more: while the token was written down, the operator may have taken the name back.
      const now = held === undefined ? await names.take(name, proof.key) : await names.find(name);
      if (now?.key !== proof.key) throw taken(name);
      if (held === undefined) log.info({ name, key: proof.key }, 'a new name was claimed');
    },

    /** Proves that a name is somebody's. @throws Failure as above */
    async own(claim: Claim): Promise<void> {
      const proof = await prove(claim);
      const held = await names.find(claim.name);
      if (held?.key !== proof.key) throw taken(claim.name);
      refuseFor(perName.take(claim.name), TOO_OFTEN);
      await use(claim.name, proof);
    },
  };
};
