import { addressGroup } from '../../platform/address-group.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import { REGISTRATION_BURST, REGISTRATION_INTERVAL_MS } from '../../wire/limits.ts';

/**
 * How often a registration is let through. Each makes the exchange call an address that a stranger named, so there is a bound per host that is
 * called and stranger who asks, one for each of the two alone, and one for all of them at once.
 */

/** Registrations of one host by everybody together, at once and until one more. By far more than one caller may, or a stranger could keep a PDA out. */
const HOST_BURST = 60;
const HOST_INTERVAL_MS = 1000;
/** Registrations that one caller may ask for at once, and milliseconds until one more is let through. */
const CALLER_BURST = 30;
const CALLER_INTERVAL_MS = 2000;
/** The same for all callers of one process together. */
const ALL_BURST = 300;
const ALL_INTERVAL_MS = 20;
/** Registrations under way at the same time in one process. */
const MAX_AT_ONCE = 64;

const tooMany = (waitMs: number): Failure =>
  new Failure('rate_limited', 'Too many registrations. Wait a moment.', {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });

/** On this machine the port says which PDA it is; elsewhere every port of a host is the same host. */
const hostOf = (address: string): string =>
  /^(?:.+\.)?localhost(?::\d+)?$|^127\.0\.0\.1(?::\d+)?$/u.test(address) ? address : address.replace(/:\d+$/u, '');

export const createFloodGate = (clock: Clock) => {
  const perPair = createRateLimit({ burst: REGISTRATION_BURST, intervalMs: REGISTRATION_INTERVAL_MS, clock });
  const perHost = createRateLimit({ burst: HOST_BURST, intervalMs: HOST_INTERVAL_MS, clock });
  const perCaller = createRateLimit({ burst: CALLER_BURST, intervalMs: CALLER_INTERVAL_MS, clock });
  const all = createRateLimit({ burst: ALL_BURST, intervalMs: ALL_INTERVAL_MS, clock });
  let atOnce = 0;

  /** @throws Failure rate_limited */
  return async <R>(call: { address: string; from: string }, work: () => Promise<R>): Promise<R> => {
    // The caller's own bound comes first: one stranger must not use up what is there for all.
    const caller = addressGroup(call.from);
    const host = hostOf(call.address);
    const wait = perCaller.take(caller) || perPair.take(`${caller} ${host}`) || perHost.take(host) || all.take('all');
    if (wait > 0) throw tooMany(wait);
    if (atOnce >= MAX_AT_ONCE) throw tooMany(1000);
    atOnce += 1;
    try {
      return await work();
    } finally {
      atOnce -= 1;
    }
  };
};
