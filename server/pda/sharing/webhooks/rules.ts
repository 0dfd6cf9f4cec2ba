import { backoff, retryAfterMs } from '../../../platform/async/backoff.ts';

/** When a message is sent, when it is sent again, and when it is given up. */

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** Milliseconds until the second try, and the most between two of them. */
const FIRST_DELAY_MS = 5 * SECOND;
export const LONGEST_DELAY_MS = 4 * HOUR;

/**
 * Tries before which no message is given up, however old it is: a laptop that was closed over a long weekend, or whose clock jumped, has not
 * tried for three days.
 */
const FEWEST_ATTEMPTS = 8;

/** Messages on their way at once, and of them how many to one receiver. */
export const MOST_FLIGHTS = 16;
const MOST_FLIGHTS_TO_ONE = 2;
/** Of these, the most that may be tries after a failure: those that hang hold up only each other. */
const MOST_DOUBTFUL = 8;
const MOST_DOUBTFUL_TO_ONE = 1;

/** What came of one try. */
export type DeliveryOutcome =
  | { kind: 'answered'; status: number; retryAfter: string | undefined }
  | { kind: 'not-answered'; problem: string; hopeless: boolean };

export type Verdict =
  | { kind: 'delivered' }
  | { kind: 'again'; at: number; problem: string }
  | { kind: 'dead'; problem: string };

/** @param random from 0 to 1 */
export const delayAfter = (attempts: number, random: number): number =>
  backoff(attempts, { firstMs: FIRST_DELAY_MS, longestMs: LONGEST_DELAY_MS, random });

/** @param message as it was before this try */
export const judge = (
  outcome: DeliveryOutcome,
  message: { attempts: number; expires: number },
  now: number,
  random: number,
): Verdict => {
  const attempts = message.attempts + 1;
  if (outcome.kind === 'answered') {
    const { status } = outcome;
    if (status >= 200 && status < 300) return { kind: 'delivered' };
    // The one answer that says that there will never be another. All else can be put right: an address, a key, a server.
    if (status === 410) return { kind: 'dead', problem: 'The receiver says that it is gone for good (410).' };
  } else if (outcome.hopeless) return { kind: 'dead', problem: outcome.problem };

  const problem = outcome.kind === 'answered' ? `The receiver answered ${outcome.status}.` : outcome.problem;
  if (now >= message.expires && attempts >= FEWEST_ATTEMPTS) return { kind: 'dead', problem };
  const asked =
    outcome.kind === 'answered' && (outcome.status === 429 || outcome.status === 503)
      ? Math.min(LONGEST_DELAY_MS, retryAfterMs(outcome.retryAfter, now) ?? 0)
      : 0;
  return { kind: 'again', at: now + Math.max(asked, delayAfter(attempts, random)), problem };
};

/** A time that is further off than any delay was set by a clock that has been set back since. */
export const isDue = (due: number, now: number): boolean => due <= now || due - now > LONGEST_DELAY_MS;

/** The head of a lane. */
export type Waiting = {
  receiver: string;
  due: number;
  attempts: number;
  /** The turn in which the lane was served last. */
  served: number;
};
export type UnderWay = { receiver: string; doubtful: boolean };

/**
 * Selects the next queue to serve; undefined if none is due or all slots are in use. The least recently served queue comes
 * first, so a queue with a thousand messages alternates with one that has a single message.
 */
export const nextToSend = <Lane extends Waiting>(
  waiting: Iterable<Lane>,
  underWay: readonly UnderWay[],
  now: number,
): Lane | undefined => {
  if (underWay.length >= MOST_FLIGHTS) return undefined;
  const doubtful = underWay.filter((flight) => flight.doubtful);
  const to = (flights: readonly UnderWay[], receiver: string): number =>
    flights.filter((flight) => flight.receiver === receiver).length;
  let next: Lane | undefined;
  for (const lane of waiting) {
    if (!isDue(lane.due, now)) continue;
    if (next !== undefined && (next.served < lane.served || (next.served === lane.served && next.due <= lane.due)))
      continue;
    if (to(underWay, lane.receiver) >= MOST_FLIGHTS_TO_ONE) continue;
    if (lane.attempts > 0 && (doubtful.length >= MOST_DOUBTFUL || to(doubtful, lane.receiver) >= MOST_DOUBTFUL_TO_ONE))
      continue;
    next = lane;
  }
  return next;
};
