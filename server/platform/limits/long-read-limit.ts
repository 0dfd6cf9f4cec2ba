import { MAX_LONG_READS } from '../../wire/limits.ts';
import { Failure } from '../failure.ts';
import type { Principal } from '../auth/principal.ts';
import { createCounter } from './network-rate-limit.ts';

/**
 * Limits concurrent long reads per non-owner principal, so that none of them can exhaust memory or keep the others
 * waiting.
 */
export type LongReadLimit = {
  /**
   * Admits a read, which counts until the returned function is called. Call it exactly once.
   * @throws Failure rate_limited
   */
  admit(principal: Principal): () => void;
};

const RETRY_AFTER_SECONDS = 1;

const keyOf = (principal: Principal): string | undefined => {
  switch (principal.kind) {
    case 'owner':
      return undefined;
    case 'application':
      return `application ${principal.application}`;
    case 'user':
      return `user ${principal.userId}`;
    case 'contract':
      return `contract ${principal.contract}`;
    case 'offer':
      return `offer ${principal.offer}`;
    case 'account':
      return `account ${principal.accountId}`;
    case 'pda':
      return `pda ${principal.pdaId}`;
    case 'exchange':
    case 'visitor':
      return principal.kind;
  }
};

export const createLongReadLimit = (): LongReadLimit => {
  const inFlight = createCounter(MAX_LONG_READS);
  return {
    admit(principal) {
      const key = keyOf(principal);
      if (key === undefined) return () => undefined;
      if (inFlight.isFull(key)) {
        throw new Failure('rate_limited', 'Too many long reads at once. Try again when one of them has ended.', {
          headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        });
      }
      inFlight.add(key, 1);
      return () => inFlight.add(key, -1);
    },
  };
};
