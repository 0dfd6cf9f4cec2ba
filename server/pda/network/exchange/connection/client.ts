import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import { signPdaToken } from '../../../../platform/auth/pda-token.ts';
import type { SafeFetch, SafeFetchResult } from '../../../../platform/outbound/safe-fetch.ts';
import type { SigningKey } from '../../../../platform/auth/tokens.ts';
import type { Exchange, ExchangeCall } from '../service.ts';

/** Milliseconds for one call. */
const ANSWER_MS = 10_000;
/** Bytes of an answer that is no list. */
const MAX_ANSWER_BYTES = 500_000;

/** As whom a call is made: by which address the exchange knows this PDA, and by which of its keys. */
export type As = { address: string; key: SigningKey };

export type ExchangeClient = {
  /** @param as left out: as nobody */
  call(exchange: Exchange, wanted: ExchangeCall, as?: As): Promise<SafeFetchResult>;
  /** Whether the last call of an exchange was answered; null when there was none. */
  reachable(exchange: Exchange): boolean | null;
};

const causeSchema = z.object({ cause: z.string() });

/** What an answer holds; undefined when it is no JSON. */
export const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // Whatever else it is has one name: not what was asked for.
    return undefined;
  }
};

/** Why a call came to nothing, in a sentence for the owner. Of what the exchange says itself no more than that. */
export const problemOf = (result: SafeFetchResult): string => {
  if (!result.ok) return result.cause;
  const said = causeSchema.safeParse(jsonOf(result.body));
  return `It answered ${result.status}${said.success ? `: ${said.data.cause.slice(0, 300).toWellFormed()}` : '.'}`;
};

export const createExchangeClient = (parts: { fetch: SafeFetch; clock: Clock }): ExchangeClient => {
  const { fetch, clock } = parts;
  let last: { url: string; answered: boolean } | undefined;

  return {
    async call(exchange, wanted, as) {
      const {
        method = 'GET',
        path,
        body,
        headers,
        timeoutMs = ANSWER_MS,
        maxBytes = MAX_ANSWER_BYTES,
        signal,
      } = wanted;
      const token =
        as === undefined
          ? undefined
          : await signPdaToken(as.key, { iss: as.address, resource: exchange.host, accessScope: 'validate' }, clock);
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
      if (result.ok || result.failure !== 'aborted') last = { url: exchange.url, answered: result.ok };
      return result;
    },
    reachable: ({ url }) => (last?.url === url ? last.answered : null),
  };
};
