import { backoffMsOf, isTimeDue, retryAfterMs } from '../../../platform/async/backoff.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;

const FIRST_DELAY_MS = 5 * SECOND_MS;
export const LONGEST_DELAY_MS = 4 * HOUR_MS;

/**
 * Minimum number of failed attempts before an expired webhook becomes a dead letter. A laptop that slept, or whose
 * clock jumped, has made few attempts although the webhook has expired.
 */
const MIN_ATTEMPTS = 8;

/** Maximum deliveries in flight, in total and per receiver. */
export const MAX_DELIVERIES_IN_FLIGHT = 16;
const MAX_DELIVERIES_PER_RECEIVER = 2;
/** Maximum retries in flight, in total and per receiver, so that retries leave capacity for first attempts. */
const MAX_RETRIES_IN_FLIGHT = 8;
const MAX_RETRIES_PER_RECEIVER = 1;

export type DeliveryOutcome =
  | { kind: 'response'; status: number; retryAfter: string | undefined }
  | { kind: 'no-response'; problem: string; isPermanent: boolean };

/** `nextAttempt` is in Unix milliseconds. */
type DeliveryVerdict =
  | { kind: 'delivered' }
  | { kind: 'retry'; nextAttempt: number; problem: string }
  | { kind: 'dead'; problem: string };

/** Returns milliseconds. @param attempts number of failed attempts @param random from 0 to 1 */
export const delayAfter = (attempts: number, random: number): number =>
  backoffMsOf(attempts, { firstMs: FIRST_DELAY_MS, longestMs: LONGEST_DELAY_MS, random });

/** @param webhook state before the attempt */
export const deliveryVerdict = (
  outcome: DeliveryOutcome,
  webhook: { attempts: number; expires: number },
  now: number,
  random: number,
): DeliveryVerdict => {
  const attempts = webhook.attempts + 1;
  if (outcome.kind === 'response') {
    const { status } = outcome;
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    // 410 Gone is the only permanent rejection. The cause of any other status can be corrected.
    if (status === 410) return { kind: 'dead', problem: 'The receiver is permanently gone (410).' };
  } else if (outcome.isPermanent) return { kind: 'dead', problem: outcome.problem };

  const problem = outcome.kind === 'response' ? `The receiver answered ${outcome.status}.` : outcome.problem;
  if (now >= webhook.expires && attempts >= MIN_ATTEMPTS) return { kind: 'dead', problem };
  const requestedDelayMs =
    outcome.kind === 'response' && (outcome.status === 429 || outcome.status === 503)
      ? Math.min(LONGEST_DELAY_MS, retryAfterMs(outcome.retryAfter, now) ?? 0)
      : 0;
  return { kind: 'retry', nextAttempt: now + Math.max(requestedDelayMs, delayAfter(attempts, random)), problem };
};

export const isDue = (due: number, now: number): boolean => isTimeDue(due, now, LONGEST_DELAY_MS);

/** The first pending webhook of a queue. `due` is in Unix milliseconds. */
export type QueueHead = {
  receiver: string;
  due: number;
  attempts: number;
  /** Value of the serve counter when the queue was last served. */
  lastServed: number;
};
export type DeliveryInFlight = {
  receiver: string;
  isRetry: boolean;
};

/**
 * Returns the least recently served queue whose head may be sent now, so that a long queue alternates with a short one.
 * Returns undefined if there is none.
 */
export const nextToSend = <Head extends QueueHead>(
  heads: Iterable<Head>,
  inFlight: readonly DeliveryInFlight[],
  now: number,
): Head | undefined => {
  if (inFlight.length >= MAX_DELIVERIES_IN_FLIGHT) return undefined;
  const retries = inFlight.filter(({ isRetry }) => isRetry);
  const countTo = (deliveries: readonly DeliveryInFlight[], receiver: string): number =>
    deliveries.filter((delivery) => delivery.receiver === receiver).length;
  let next: Head | undefined;
  for (const head of heads) {
    const { receiver, due, attempts, lastServed } = head;
    if (!isDue(due, now)) continue;
    if (next !== undefined && (next.lastServed < lastServed || (next.lastServed === lastServed && next.due <= due)))
      continue;
    if (countTo(inFlight, receiver) >= MAX_DELIVERIES_PER_RECEIVER) continue;
    if (
      attempts > 0 &&
      (retries.length >= MAX_RETRIES_IN_FLIGHT || countTo(retries, receiver) >= MAX_RETRIES_PER_RECEIVER)
    )
      continue;
    next = head;
  }
  return next;
};
