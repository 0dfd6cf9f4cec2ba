import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import { readPdaToken, verifyPdaToken } from '../../../../platform/auth/pda-token.ts';
import { ANONYMOUS, type Principal, type Scope } from '../../../../platform/auth/principal.ts';
import type { Writer } from '../../../storage/index.ts';
import type { ExchangeList } from '../connection/cached-list.ts';
import type { ExchangeSettings } from '../connection/settings.ts';
import type { ExchangeStore } from '../store.ts';

/** Public key in the exchange's JWKS. Members of a private key are dropped. */
export const exchangeKeySchema = z.object({
  kty: z.literal('RSA'),
  kid: z.string().min(1).max(200),
  n: z.string().min(300).max(1400),
  e: z.string().min(1).max(12),
});
export type ExchangeKey = z.infer<typeof exchangeKeySchema>;

/** Minimum interval between reads of the JWKS that unknown key ids cause, because any token can contain such an id. */
const UNKNOWN_KEY_READ_INTERVAL_MS = 60_000;
const KEY_MIN_BITS = 2048;
const KEY_MAX_BITS = 8192;

const EXCHANGE_SCOPES: ReadonlySet<Scope> = new Set<Scope>(['exchange:claims']);

const importPublicKey = ({ kty, n, e }: ExchangeKey): KeyObject | undefined => {
  try {
    const key = createPublicKey({ key: { kty, n, e }, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return bits >= KEY_MIN_BITS && bits <= KEY_MAX_BITS ? key : undefined;
  } catch {
    return undefined;
  }
};

/** Returns the key id in the token's header, without verifying the token; undefined if there is none. */
const kidOf = (token: string): string | undefined => {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString());
    return z.object({ kid: z.string().max(200) }).safeParse(header).data?.kid;
  } catch {
    return undefined;
  }
};

/** Authenticates requests with tokens that the exchange signed for this PDA. Each token is accepted only once. */
export const createExchangeTokens = (parts: {
  store: ExchangeStore;
  writer: Writer;
  settings: ExchangeSettings;
  keys: ExchangeList<ExchangeKey>;
  isOwnHost: (host: string) => boolean;
  clock: Clock;
}) => {
  const { store, writer, settings, keys, isOwnHost, clock } = parts;
  /** Last read of the JWKS that an unknown key id caused. */
  let lastRead = { time: Number.NEGATIVE_INFINITY, completion: Promise.resolve() };

  const findKey = (kid: string): ExchangeKey | undefined => keys.items().find((key) => key.kid === kid);

  const keyFor = async (kid: string): Promise<KeyObject | undefined> => {
    if (findKey(kid) === undefined) {
      const now = clock.now();
      if (Math.abs(now - lastRead.time) >= UNKNOWN_KEY_READ_INTERVAL_MS)
        lastRead = { time: now, completion: keys.refresh() };
      await lastRead.completion;
    }
    const key = findKey(kid);
    return key === undefined ? undefined : importPublicKey(key);
  };

  return {
    async authenticate(token: string): Promise<Principal> {
      if (settings.exchange() === undefined) return ANONYMOUS;
      // Checks the unverified claims first, so that unrelated tokens cause no request to the exchange.
      const unverifiedClaims = await readPdaToken(token);
      const kid = kidOf(token);
      if (unverifiedClaims?.accessScope !== 'exchange' || !isOwnHost(unverifiedClaims.resource) || kid === undefined)
        return ANONYMOUS;
      const key = await keyFor(kid);
      if (key === undefined) return ANONYMOUS;
      const claims = await verifyPdaToken(token, key, { resource: isOwnHost, accessScope: 'exchange', clock });
      if (claims === undefined) return ANONYMOUS;
      const isFirst = await writer.write((tx) => store.useToken(tx, claims.jti, claims.exp * 1000, clock.now()));
      return isFirst ? { kind: 'exchange', scopes: EXCHANGE_SCOPES } : ANONYMOUS;
    },
  };
};

export const extractKeys = (response: unknown): unknown =>
  z.object({ keys: z.array(z.unknown()) }).safeParse(response).data?.keys;
