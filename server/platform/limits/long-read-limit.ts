import { MAX_LONG_READS } from '../../wire/limits.ts';
import { Failure } from '../failure.ts';
import type { Principal } from '../auth/principal.ts';

/** Without this limit, one principal could occupy the memory and all reader threads. */
export type LongReadLimit = {
  /** Counts a read until the returned function is called. @throws Failure rate_limited */
  begin(principal: Principal): () => void;
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
    case 'exchange':
    case 'visitor':
      return principal.kind;
  }
};

export const createLongReadLimit = (): LongReadLimit => {
  const inFlightByPrincipal = new Map<string, number>();
  return {
    begin(principal) {
      const key = keyOf(principal);
      if (key === undefined) return () => undefined;
      const inFlight = inFlightByPrincipal.get(key) ?? 0;
      if (inFlight >= MAX_LONG_READS) {
        throw new Failure('rate_limited', 'Too many long reads at once. Try again when one of them has ended.', {
          headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        });
      }
      inFlightByPrincipal.set(key, inFlight + 1);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        const remaining = (inFlightByPrincipal.get(key) ?? 1) - 1;
        if (remaining === 0) inFlightByPrincipal.delete(key);
        else inFlightByPrincipal.set(key, remaining);
      };
    },
  };
};
