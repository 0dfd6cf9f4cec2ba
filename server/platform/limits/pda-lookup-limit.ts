import { addressGroup } from './address-group.ts';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { createRateLimit } from './rate-limit.ts';
import { REGISTRATION_BURST, REGISTRATION_INTERVAL_MS } from '../../wire/limits.ts';

/** Calls that one network may make at once, and milliseconds until one more is let through. */
const CALLER_BURST = 30;
const CALLER_INTERVAL_MS = 2000;
/** Looks at one host, whoever makes us look: by far more than one network may, or a stranger could keep a PDA out. */
const HOST_BURST = 60;
const HOST_INTERVAL_MS = 1000;
/** Looks at PDAs, of all callers of one process together. */
const ALL_BURST = 300;
const ALL_INTERVAL_MS = 20;
/** The same, under way at the same time. */
const MAX_AT_ONCE = 64;

/** On this machine the port says which PDA it is; elsewhere every port of a host is the same host. */
const hostOf = (address: string): string =>
  /^(?:.+\.)?localhost(?::\d+)?$|^127\.0\.0\.1(?::\d+)?$/u.test(address) ? address : address.replace(/:\d+$/u, '');

/**
 * How often somebody may make a service call an address that a stranger named: there is a bound per caller, one per host that is called, one for each
 * two of them, and one for all. `refusal` says in a sentence what there was too much of.
 */
export const createPdaLookupLimit = ({ clock, refusal }: { clock: Clock; refusal: string }) => {
  const perCaller = createRateLimit({ burst: CALLER_BURST, intervalMs: CALLER_INTERVAL_MS, clock });
  const perPair = createRateLimit({ burst: REGISTRATION_BURST, intervalMs: REGISTRATION_INTERVAL_MS, clock });
  const perHost = createRateLimit({ burst: HOST_BURST, intervalMs: HOST_INTERVAL_MS, clock });
  const all = createRateLimit({ burst: ALL_BURST, intervalMs: ALL_INTERVAL_MS, clock });
  let atOnce = 0;

  const tooMany = (waitMs: number): Failure =>
    new Failure('rate_limited', refusal, {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
    });

  return {
    /** The caller's own bound, before all others: one stranger must not use up what is there for all. @throws Failure rate_limited */
    admitCaller(from: string): void {
      const wait = perCaller.take(addressGroup(from));
      if (wait > 0) throw tooMany(wait);
    },
    /** For whoever entered. @throws Failure rate_limited */
    async run<R>({ address, from }: { address: string; from: string }, work: () => Promise<R>): Promise<R> {
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
