import { addressGroup } from '../../platform/address-group.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import { REGISTRATION_BURST, REGISTRATION_INTERVAL_MS } from '../../wire/limits.ts';
import { hostOf } from './rules.ts';

/** Calls to join or leave that one network may make at once, and milliseconds until one more is let through. */
const CALLER_BURST = 30;
const CALLER_INTERVAL_MS = 2000;
/** Looks at the key of a PDA that is new here, of all callers of one process together. */
const ALL_BURST = 300;
const ALL_INTERVAL_MS = 20;
/** The same, under way at the same time. */
const MAX_AT_ONCE = 64;
/** Looks at one host, whoever makes us look: by far more than one network may, or a stranger could keep a PDA out. */
const HOST_BURST = 60;
const HOST_INTERVAL_MS = 1000;

const tooMany = (waitMs: number): Failure =>
  new Failure('rate_limited', 'Too many join or leave just now. Wait a moment.', {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });

/**
 * How often somebody may join or leave, and how often we call an address that a stranger named: there is a bound per caller, one per host that
 * is called, one for each two of them, and one for all.
 */
export const createFloodGate = (clock: Clock) => {
  const perCaller = createRateLimit({ burst: CALLER_BURST, intervalMs: CALLER_INTERVAL_MS, clock });
  const perPair = createRateLimit({ burst: REGISTRATION_BURST, intervalMs: REGISTRATION_INTERVAL_MS, clock });
  const perHost = createRateLimit({ burst: HOST_BURST, intervalMs: HOST_INTERVAL_MS, clock });
  const all = createRateLimit({ burst: ALL_BURST, intervalMs: ALL_INTERVAL_MS, clock });
  let atOnce = 0;

  return {
    /** @throws Failure rate_limited */
    enter(from: string): void {
      const wait = perCaller.take(addressGroup(from));
      if (wait > 0) throw tooMany(wait);
    },
    /** @throws Failure rate_limited */
    async call<R>({ address, from }: { address: string; from: string }, work: () => Promise<R>): Promise<R> {
      const host = hostOf(address);
      const wait = perPair.take(`${addressGroup(from)} ${host}`) || perHost.take(host) || all.take('all');
      if (wait > 0) throw tooMany(wait);
      if (atOnce >= MAX_AT_ONCE) throw tooMany(1000);
      atOnce += 1;
      try {
        return await work();
      } finally {
        atOnce -= 1;
      }
    },
  };
};
