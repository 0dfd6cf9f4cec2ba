import { MAX_LONG_READS } from '../../wire/limits.ts';
import { Failure } from '../failure.ts';
import type { Principal } from '../auth/principal.ts';

/**
 * Long reads under way, by who they are for. Each holds memory and a thread's time, and one who asks for many at once would take both from
 * everybody else. The owner is not counted.
 */
export type LongReadLimit = {
  /** Returns how to end it. @throws Failure rate_limited */
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
  const running = new Map<string, number>();
  return {
    begin(principal) {
      const key = keyOf(principal);
      if (key === undefined) return () => undefined;
      const now = running.get(key) ?? 0;
      if (now >= MAX_LONG_READS) {
        throw new Failure('rate_limited', `${now} long reads of yours are under way. Ask again when one has ended.`, {
          headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        });
      }
      running.set(key, now + 1);
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        const left = (running.get(key) ?? 1) - 1;
        if (left === 0) running.delete(key);
        else running.set(key, left);
      };
    },
  };
};
