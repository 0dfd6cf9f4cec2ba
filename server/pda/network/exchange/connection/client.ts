import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import { signPdaToken } from '../../../../platform/auth/pda-token.ts';
import type { SafeFetch, SafeFetchResult } from '../../../../platform/outbound/safe-fetch.ts';
import type { SigningKey } from '../../../../platform/auth/tokens.ts';
import type { Exchange, ExchangeCall } from '../service.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const RESPONSE_MAX_BYTES = 500_000;

/** Address and key with which this PDA is registered. */
export type ExchangeIdentity = { address: string; key: SigningKey };

export type ExchangeClient = {
  /** @param identity signer of the token; undefined: no token */
  call(exchange: Exchange, request: ExchangeCall, identity?: ExchangeIdentity): Promise<SafeFetchResult>;
  /** Returns true if the last request got a response; null if it was for another exchange, or if there was none. */
  isReachable(exchange: Exchange): boolean | null;
};

const causeSchema = z.object({ cause: z.string() });

export const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** Returns a message for the owner, with up to 300 characters of the exchange's error message. */
export const problemOf = (result: SafeFetchResult): string => {
  if (!result.ok) return result.cause;
  const body = causeSchema.safeParse(jsonOf(result.body));
  const suffix = body.success ? `: ${body.data.cause.slice(0, 300).toWellFormed()}` : '.';
  return `The exchange answered ${result.status}${suffix}`;
};

export const createExchangeClient = (parts: { fetch: SafeFetch; clock: Clock }): ExchangeClient => {
  const { fetch, clock } = parts;
  let lastCall: { url: string; hasResponded: boolean } | undefined;

  return {
    async call(exchange, request, identity) {
      const {
        method = 'GET',
        path,
        body,
        headers,
        timeoutMs = REQUEST_TIMEOUT_MS,
        maxBytes = RESPONSE_MAX_BYTES,
        signal,
      } = request;
      const claims = { resource: exchange.host, accessScope: 'validate' } as const;
      const token =
        identity === undefined
          ? undefined
          : await signPdaToken(identity.key, { iss: identity.address, ...claims }, clock);
      const result = await fetch(`${exchange.url}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { 'x-auth-token': token }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs,
        maxBytes,
        ...(signal === undefined ? {} : { signal }),
      });
      if (result.ok || result.failure !== 'aborted') lastCall = { url: exchange.url, hasResponded: result.ok };
      return result;
    },
    isReachable: ({ url }) => (lastCall?.url === url ? lastCall.hasResponded : null),
  };
};
