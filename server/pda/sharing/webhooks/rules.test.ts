import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  delayAfter,
  isDue,
  judge,
  LONGEST_DELAY_MS,
  MOST_FLIGHTS,
  nextToSend,
  type DeliveryOutcome,
  type UnderWay,
  type Waiting,
} from './rules.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const DAY = 86_400_000;

const answered = (status: number, retryAfter?: string): DeliveryOutcome => ({ kind: 'answered', status, retryAfter });
const silence: DeliveryOutcome = { kind: 'not-answered', problem: 'No response in time.', hopeless: false };
const fresh = { attempts: 0, expires: NOW + 3 * DAY };
const verdictOf = (outcome: DeliveryOutcome, message = fresh, now = NOW) => judge(outcome, message, now, 0.5);

describe('the delay between tries', () => {
  it('doubles from some seconds to some hours, and no further', () => {
    const delays = Array.from({ length: 15 }, (_, index) => delayAfter(index + 1, 1) / 1000);
    expect(delays).toStrictEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_240, 14_400, 14_400, 14_400]);
    expect(delayAfter(100_000, 1)).toBe(LONGEST_DELAY_MS);
  });

  it('is half certain, half chance', () => {
    expect([delayAfter(3, 0), delayAfter(3, 0.5), delayAfter(3, 1)]).toStrictEqual([10_000, 15_000, 20_000]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, random) => {
        const delay = delayAfter(attempts, random);
        expect(delay).toBeGreaterThanOrEqual(2500);
        expect(delay).toBeLessThanOrEqual(LONGEST_DELAY_MS);
      }),
    );
  });

  it('is what a busy receiver asks for, within bounds', () => {
    expect(verdictOf(answered(429, '60'))).toMatchObject({ kind: 'again', at: NOW + 60_000 });
    expect(verdictOf(answered(503, new Date(NOW + 90_000).toUTCString()))).toMatchObject({ at: NOW + 90_000 });
    expect(verdictOf(answered(503, '999999'))).toMatchObject({ at: NOW + LONGEST_DELAY_MS });
    // Sooner than we would come anyway is not for the receiver to ask.
    for (const asked of ['0', '-5', '1', 'soon', '', '99999999999999999999', new Date(NOW - DAY).toUTCString()])
      expect(verdictOf(answered(429, asked))).toMatchObject({ kind: 'again', at: NOW + 3750 });
    // Only these two statuses are about time.
    expect(verdictOf(answered(500, '60'))).toMatchObject({ kind: 'again', at: NOW + 3750 });
  });

  it('never comes out as no number, whatever the header says', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const verdict = verdictOf(answered(429, header));
        const ms = verdict.kind === 'again' ? verdict.at - NOW : Number.NaN;
        expect(ms >= 0 && ms <= LONGEST_DELAY_MS).toBe(true);
      }),
    );
  });
});

describe('what an answer means', () => {
  it.each([200, 201, 202, 204, 299])('%i: delivered', (status) => {
    expect(verdictOf(answered(status))).toStrictEqual({ kind: 'delivered' });
  });
  it.each([400, 401, 403, 404, 405, 408, 422, 429, 500, 502, 503, 504])('%i: again', (status) => {
    expect(verdictOf(answered(status)).kind).toBe('again');
  });
  it('no answer: again', () => {
    expect(verdictOf(silence)).toMatchObject({ kind: 'again', problem: 'No response in time.' });
  });
  it('410: given up at once', () => {
    expect(verdictOf(answered(410)).kind).toBe('dead');
  });
  it('an address that can never be called: given up at once', () => {
    expect(verdictOf({ ...silence, hopeless: true }).kind).toBe('dead');
  });
});

describe('giving up', () => {
  it('comes with the first failure after three days', () => {
    expect(verdictOf(silence, { attempts: 20, expires: NOW + 1 }).kind).toBe('again');
    expect(verdictOf(silence, { attempts: 20, expires: NOW }).kind).toBe('dead');
    expect(verdictOf(answered(500), { attempts: 20, expires: NOW })).toMatchObject({
      problem: 'The receiver answered 500.',
    });
  });
  it('does not come before some tries, however long the machine slept', () => {
    expect(verdictOf(silence, { attempts: 6, expires: NOW - 30 * DAY }).kind).toBe('again');
    expect(verdictOf(silence, { attempts: 7, expires: NOW - 30 * DAY }).kind).toBe('dead');
  });
  it('never comes with a delivery', () => {
    expect(verdictOf(answered(200), { attempts: 50, expires: NOW - DAY }).kind).toBe('delivered');
  });
});

describe('a clock that is set', () => {
  it('back makes nothing wait for longer than the longest delay', () => {
    expect(isDue(NOW + 1, NOW)).toBe(false);
    expect(isDue(NOW + LONGEST_DELAY_MS, NOW)).toBe(false);
    expect(isDue(NOW + LONGEST_DELAY_MS + 1, NOW)).toBe(true);
    expect(isDue(NOW, NOW)).toBe(true);
  });
});

describe('whose turn it is', () => {
  const lane = (name: string, given: Partial<Waiting> = {}): Waiting & { name: string } => ({
    name,
    receiver: name,
    due: NOW,
    attempts: 0,
    served: 0,
    ...given,
  });
  const flight = (receiver: string, doubtful = false): UnderWay => ({ receiver, doubtful });

  it('is that of the lane which was served longest ago', () => {
    const lanes = [lane('a', { served: 3 }), lane('b', { served: 1, due: NOW - 1 }), lane('c', { served: 2, due: 0 })];
    expect(nextToSend(lanes, [], NOW)?.name).toBe('b');
    expect(nextToSend([lane('a'), lane('b', { due: NOW - 1 })], [], NOW)?.name).toBe('b');
  });

  it('selects no queue before its due time', () => {
    expect(nextToSend([lane('a', { due: NOW + 1 })], [], NOW)).toBeUndefined();
  });

  it('is bounded in all, and for each receiver', () => {
    const many = Array.from({ length: MOST_FLIGHTS }, (_, index) => flight(`r${index}`));
    expect(nextToSend([lane('a')], many, NOW)).toBeUndefined();
    expect(nextToSend([lane('a')], many.slice(1), NOW)?.name).toBe('a');
    expect(nextToSend([lane('a'), lane('b')], [flight('a'), flight('a')], NOW)?.name).toBe('b');
  });

  it('leaves room for the sound, whatever hangs', () => {
    const hanging = ['a', 'b', 'c', 'd', 'g', 'h', 'i', 'j'].map((name) => flight(name, true));
    expect(nextToSend([lane('e', { attempts: 1 })], hanging, NOW)).toBeUndefined();
    expect(nextToSend([lane('e', { attempts: 1 }), lane('f')], hanging, NOW)?.name).toBe('f');
    // At one receiver, too, the part of it that hangs leaves a place to the others.
    expect(nextToSend([lane('a', { attempts: 1 })], [flight('a', true)], NOW)).toBeUndefined();
    expect(nextToSend([lane('a')], [flight('a', true)], NOW)?.name).toBe('a');
  });

  it('comes to every lane: none waits for more turns than there are lanes', () => {
    const lanes = Array.from({ length: 20 }, (_, index) => lane(`l${index}`, { receiver: `r${index % 3}` }));
    const order: string[] = [];
    for (let turn = 1; turn <= 60; turn += 1) {
      const next = nextToSend(lanes, [], NOW);
      if (next === undefined) break;
      next.served = turn;
      order.push(next.name);
    }
    for (const { name } of lanes) expect(order.filter((other) => other === name)).toHaveLength(3);
    expect(new Set(order.slice(0, 20)).size).toBe(20);
  });
});
