import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';
import { createNetworkConcurrencyLimit, createNetworkRateLimit } from './network-rate-limit.ts';
import { createRateLimit } from './rate-limit.ts';
import { REGISTRATION_BURST, REGISTRATION_INTERVAL_MS } from '../../wire/limits.ts';

const CALLER_BURST = 30;
const CALLER_INTERVAL_MS = 2000;
/** Look-ups per host. Well above the limit of one network, so that a single caller cannot block a PDA. */
const HOST_BURST = 60;
const HOST_INTERVAL_MS = 1000;
const ALL_BURST = 300;
const ALL_INTERVAL_MS = 20;
const MAX_IN_FLIGHT = 64;
/** Even an IPv6 /48, which has four times as many, leaves some look-ups to others. */
const MAX_IN_FLIGHT_PER_NETWORK = 12;
const IN_FLIGHT_RETRY_MS = 1000;

/** On this machine the port identifies the PDA; elsewhere all ports of a host count together. */
const hostOf = (address: string): string =>
  /^(?:.+\.)?localhost(?::\d+)?$|^127\.0\.0\.1(?::\d+)?$/u.test(address) ? address : address.replace(/:\d+$/u, '');

/** Limits look-ups that anonymous callers cause. @param refusal message of the failure */
export const createPdaLookupLimit = ({ clock, refusal }: { clock: Clock; refusal: string }) => {
  const perCaller = createNetworkRateLimit({ burst: CALLER_BURST, intervalMs: CALLER_INTERVAL_MS, clock });
  const perPair = createNetworkRateLimit({ burst: REGISTRATION_BURST, intervalMs: REGISTRATION_INTERVAL_MS, clock });
  const perHost = createRateLimit({ burst: HOST_BURST, intervalMs: HOST_INTERVAL_MS, clock });
  const total = createRateLimit({ burst: ALL_BURST, intervalMs: ALL_INTERVAL_MS, clock });
  const inFlightPerNetwork = createNetworkConcurrencyLimit({ maxConcurrent: MAX_IN_FLIGHT_PER_NETWORK });
  let inFlight = 0;

  const tooManyFailure = (waitMs: number): Failure =>
    new Failure('rate_limited', refusal, {
      headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
    });

  return {
    /**
     * Counts a request before the shared limits do, so that one caller cannot use those up.
     * @throws Failure rate_limited
     */
    admitCaller(from: string): void {
      const wait = perCaller.take(from);
      if (wait > 0) throw tooManyFailure(wait);
    },
    /** Runs a look-up within the limits. Call `admitCaller` first. @throws Failure rate_limited */
    async run<R>({ address, from }: { address: string; from: string }, work: () => Promise<R>): Promise<R> {
      const host = hostOf(address);
      const wait = perPair.take(from, host) || perHost.take(host) || total.take('all');
      if (wait > 0) throw tooManyFailure(wait);
      const release = inFlight >= MAX_IN_FLIGHT ? undefined : inFlightPerNetwork.admit(from);
      if (release === undefined) throw tooManyFailure(IN_FLIGHT_RETRY_MS);
      inFlight += 1;
      try {
        return await work();
      } finally {
        inFlight -= 1;
        release();
      }
    },
  };
};
