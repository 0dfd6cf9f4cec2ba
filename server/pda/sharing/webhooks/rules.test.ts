import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  delayAfter,
  deliveryVerdict,
  isDue,
  LONGEST_DELAY_MS,
  MAX_DELIVERIES_IN_FLIGHT,
  nextToSend,
  type DeliveryOutcome,
  type DeliveryInFlight,
  type QueueHead,
} from './rules.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const DAY_MS = 86_400_000;

const response = (status: number, retryAfter?: string): DeliveryOutcome => ({ kind: 'response', status, retryAfter });
const timeout: DeliveryOutcome = { kind: 'no-response', problem: 'No response in time.', isPermanent: false };
const newWebhook = { attempts: 0, expires: NOW + 3 * DAY_MS };
const verdictOf = (outcome: DeliveryOutcome, webhook = newWebhook, now = NOW) =>
  deliveryVerdict(outcome, webhook, now, 0.5);

describe('the delay between attempts', () => {
  it('doubles from 5 seconds up to 4 hours', () => {
    const delays = Array.from({ length: 15 }, (_, index) => delayAfter(index + 1, 1) / 1000);
    expect(delays).toStrictEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_240, 14_400, 14_400, 14_400]);
    expect(delayAfter(100_000, 1)).toBe(LONGEST_DELAY_MS);
  });

  it('is randomly reduced by up to one half', () => {
    expect([delayAfter(3, 0), delayAfter(3, 0.5), delayAfter(3, 1)]).toStrictEqual([10_000, 15_000, 20_000]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, random) => {
        const delay = delayAfter(attempts, random);
        expect(delay).toBeGreaterThanOrEqual(2500);
        expect(delay).toBeLessThanOrEqual(LONGEST_DELAY_MS);
      }),
    );
  });

  it('follows Retry-After of 429 and 503, within bounds', () => {
    expect(verdictOf(response(429, '60'))).toMatchObject({ kind: 'retry', nextAttempt: NOW + 60_000 });
    expect(verdictOf(response(503, new Date(NOW + 90_000).toUTCString()))).toMatchObject({ nextAttempt: NOW + 90_000 });
    expect(verdictOf(response(503, '999999'))).toMatchObject({ nextAttempt: NOW + LONGEST_DELAY_MS });
    // A Retry-After that is invalid or shorter than the back-off is ignored.
    for (const retryAfter of ['0', '-5', '1', 'soon', '', '99999999999999999999', new Date(NOW - DAY_MS).toUTCString()])
      expect(verdictOf(response(429, retryAfter))).toMatchObject({ kind: 'retry', nextAttempt: NOW + 3750 });
    // Other statuses ignore Retry-After.
    expect(verdictOf(response(500, '60'))).toMatchObject({ kind: 'retry', nextAttempt: NOW + 3750 });
  });

  it('stays within bounds for any Retry-After header', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const verdict = verdictOf(response(429, header));
        const ms = verdict.kind === 'retry' ? verdict.nextAttempt - NOW : Number.NaN;
        expect(ms >= 0 && ms <= LONGEST_DELAY_MS).toBe(true);
      }),
    );
  });
});

describe('the verdict on an attempt', () => {
  it.each([200, 201, 202, 204, 299])('is a delivery on status %i', (status) => {
    expect(verdictOf(response(status))).toStrictEqual({ kind: 'delivered' });
  });
  it.each([400, 401, 403, 404, 405, 408, 422, 429, 500, 502, 503, 504])('is a retry on status %i', (status) => {
    expect(verdictOf(response(status)).kind).toBe('retry');
  });
  it('is a retry without a response', () => {
    expect(verdictOf(timeout)).toMatchObject({ kind: 'retry', problem: 'No response in time.' });
  });
  it('is a dead letter on status 410', () => {
    expect(verdictOf(response(410)).kind).toBe('dead');
  });
  it('is a dead letter for an invalid URL', () => {
    expect(verdictOf({ ...timeout, isPermanent: true }).kind).toBe('dead');
  });
});

describe('a dead letter', () => {
  it('results from the first failure after three days', () => {
    expect(verdictOf(timeout, { attempts: 20, expires: NOW + 1 }).kind).toBe('retry');
    expect(verdictOf(timeout, { attempts: 20, expires: NOW }).kind).toBe('dead');
    expect(verdictOf(response(500), { attempts: 20, expires: NOW })).toMatchObject({
      problem: 'The receiver answered 500.',
    });
  });
  it('requires at least 8 attempts, even after a long sleep of the machine', () => {
    expect(verdictOf(timeout, { attempts: 6, expires: NOW - 30 * DAY_MS }).kind).toBe('retry');
    expect(verdictOf(timeout, { attempts: 7, expires: NOW - 30 * DAY_MS }).kind).toBe('dead');
  });
  it('never results from a successful attempt', () => {
    expect(verdictOf(response(200), { attempts: 50, expires: NOW - DAY_MS }).kind).toBe('delivered');
  });
});

describe('a clock that is set back', () => {
  it('delays no webhook beyond the maximum delay', () => {
    expect(isDue(NOW + 1, NOW)).toBe(false);
    expect(isDue(NOW + LONGEST_DELAY_MS, NOW)).toBe(false);
    expect(isDue(NOW + LONGEST_DELAY_MS + 1, NOW)).toBe(true);
    expect(isDue(NOW, NOW)).toBe(true);
  });
});

describe('the selection of the next queue', () => {
  const queue = (name: string, properties: Partial<QueueHead> = {}): QueueHead & { name: string } => ({
    name,
    receiver: name,
    due: NOW,
    attempts: 0,
    lastServed: 0,
    ...properties,
  });
  const delivery = (receiver: string, isRetry = false): DeliveryInFlight => ({ receiver, isRetry });

  it('prefers the least recently served queue', () => {
    const queues = [
      queue('a', { lastServed: 3 }),
      queue('b', { lastServed: 1, due: NOW - 1 }),
      queue('c', { lastServed: 2, due: 0 }),
    ];
    expect(nextToSend(queues, [], NOW)?.name).toBe('b');
    expect(nextToSend([queue('a'), queue('b', { due: NOW - 1 })], [], NOW)?.name).toBe('b');
  });

  it('skips queues that are not due', () => {
    expect(nextToSend([queue('a', { due: NOW + 1 })], [], NOW)).toBeUndefined();
  });

  it('limits deliveries in total and per receiver', () => {
    const deliveries = Array.from({ length: MAX_DELIVERIES_IN_FLIGHT }, (_, index) => delivery(`r${index}`));
    expect(nextToSend([queue('a')], deliveries, NOW)).toBeUndefined();
    expect(nextToSend([queue('a')], deliveries.slice(1), NOW)?.name).toBe('a');
    expect(nextToSend([queue('a'), queue('b')], [delivery('a'), delivery('a')], NOW)?.name).toBe('b');
  });

  it('limits retries, so that first attempts are not delayed by receivers that hang', () => {
    const retries = ['a', 'b', 'c', 'd', 'g', 'h', 'i', 'j'].map((name) => delivery(name, true));
    expect(nextToSend([queue('e', { attempts: 1 })], retries, NOW)).toBeUndefined();
    expect(nextToSend([queue('e', { attempts: 1 }), queue('f')], retries, NOW)?.name).toBe('f');
    // Retries are also limited per receiver.
    expect(nextToSend([queue('a', { attempts: 1 })], [delivery('a', true)], NOW)).toBeUndefined();
    expect(nextToSend([queue('a')], [delivery('a', true)], NOW)?.name).toBe('a');
  });

  it('serves all queues round-robin', () => {
    const queues = Array.from({ length: 20 }, (_, index) => queue(`q${index}`, { receiver: `r${index % 3}` }));
    const order: string[] = [];
    for (let round = 1; round <= 60; round += 1) {
      const nextQueue = nextToSend(queues, [], NOW);
      if (nextQueue === undefined) break;
      nextQueue.lastServed = round;
      order.push(nextQueue.name);
    }
    for (const { name } of queues) expect(order.filter((servedName) => servedName === name)).toHaveLength(3);
    expect(new Set(order.slice(0, 20)).size).toBe(20);
  });
});
