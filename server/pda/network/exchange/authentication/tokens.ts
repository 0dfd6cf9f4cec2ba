import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import { readPdaToken, verifyPdaToken } from '../../../../platform/auth/pda-token.ts';
import { ANONYMOUS, type Principal, type Scope } from '../../../../platform/auth/principal.ts';
import type { Writer } from '../../../storage/index.ts';
import type { ExchangeList } from '../connection/cached-list.ts';
import type { Choices } from '../connection/settings.ts';
import type { ExchangeStore } from '../store.ts';

/** A key of the exchange as its JWKS has it. Members of a private key are no part of it: they are not kept. */
export const exchangeKeySchema = z.object({
  kty: z.literal('RSA'),
  kid: z.string().min(1).max(200),
  n: z.string().min(300).max(1400),
  e: z.string().min(1).max(12),
});
export type ExchangeKey = z.infer<typeof exchangeKeySchema>;

/** Milliseconds between two looks for a key that we do not know: anybody can name one. */
const LOOK_AGAIN_MS = 60_000;

const SCOPES: ReadonlySet<Scope> = new Set<Scope>(['exchange:claims']);

const publicKeyOf = ({ kty, n, e }: ExchangeKey): KeyObject | undefined => {
  try {
    const key = createPublicKey({ key: { kty, n, e }, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return bits >= 2048 && bits <= 8192 ? key : undefined;
  } catch {
    // A key that is none verifies nothing.
    return undefined;
  }
};

const kidOf = (token: string): string | undefined => {
  try {
    const head: unknown = JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString());
    return z.object({ kid: z.string().max(200) }).safeParse(head).data?.kid;
  } catch {
    return undefined;
  }
};

/** Who bears a token that the exchange made for this PDA. Each counts once. */
export const createExchangeTokens = (parts: {
  store: ExchangeStore;
  writer: Writer;
  choices: Choices;
  keys: ExchangeList<ExchangeKey>;
  isOwnHost: (host: string) => boolean;
  clock: Clock;
}) => {
  const { store, writer, choices, keys, isOwnHost, clock } = parts;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const find = (kid: string): ExchangeKey | undefined => keys.items().find((key) => key.kid === kid);

  /** Keys are rotated: one that is not known may be new. */
  const keyFor = async (kid: string): Promise<KeyObject | undefined> => {
    const now = clock.now();
    if (find(kid) === undefined && Math.abs(now - lookedAt) >= LOOK_AGAIN_MS) {
      lookedAt = now;
      await keys.refresh();
    }
    const key = find(kid);
    return key === undefined ? undefined : publicKeyOf(key);
  };

  return {
    async authenticate(token: string): Promise<Principal> {
      if (choices.exchange() === undefined) return ANONYMOUS;
      // What it says of itself is looked at first: other tokens that are no good cost nobody a call.
      const said = await readPdaToken(token);
      const kid = kidOf(token);
      if (said?.accessScope !== 'exchange' || !isOwnHost(said.resource) || kid === undefined) return ANONYMOUS;
      const key = await keyFor(kid);
      if (key === undefined) return ANONYMOUS;
      const claims = await verifyPdaToken(token, key, { resource: isOwnHost, accessScope: 'exchange', clock });
      if (claims === undefined) return ANONYMOUS;
      const isFirst = await writer.write((tx) => store.useToken(tx, claims.jti, claims.exp * 1000, clock.now()));
      return isFirst ? { kind: 'exchange', scopes: SCOPES } : ANONYMOUS;
    },
  };
};

/** Where the keys are in a JSON Web Key Set. */
export const keysWithin = (answer: unknown): unknown =>
  z.object({ keys: z.array(z.unknown()) }).safeParse(answer).data?.keys;
