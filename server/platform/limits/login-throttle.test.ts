import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/test-pda.ts';
import {
  MAX_PASSWORD_CHECKS,
  MAX_WAITING_PASSWORD_CHECKS,
  SIGN_IN_BURST,
  SIGN_IN_INTERVAL_MS,
} from '../../wire/limits.ts';
import { Failure } from '../failure.ts';
import { createLoginThrottle } from './login-throttle.ts';

const KNOWN_NETWORK = { address: '203.0.113.7', local: false, isKnown: true };
const OTHER_NETWORK = { address: '203.0.113.8', local: false };
const codeOf = (error: unknown): string => (error instanceof Failure ? error.code : String(error));

const setUp = () => {
  const clock = createTestClock();
  const throttle = createLoginThrottle(clock);
  const isLimited = (work: () => void): boolean => {
    try {
      work();
      return false;
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited' });
      return true;
    }
  };
  let networkCount = 0;
  return {
    clock,
    throttle,
    isLimited: (account: string, origin: Parameters<typeof throttle.countSignIn>[1]) =>
      isLimited(() => throttle.countSignIn(account, origin)),
    isSessionLimited: (local = false) => isLimited(() => throttle.countSessionAttempt({ ...KNOWN_NETWORK, local })),
    /** Attempts to sign in from a new network. */
    attack: (account = 'ada') => {
      const address = `198.51.${(networkCount += 1) >> 8}.${networkCount & 255}`;
      return isLimited(() => throttle.countSignIn(account, { address, local: false }));
    },
  };
};

describe('attempts from a network that the account has signed in from', () => {
  it('are admitted while others try the name every second, and unknown networks are limited', () => {
    const { clock, isLimited, attack } = setUp();
    for (let second = 0; second < 60; second += 1) {
      clock.advance(1000);
      attack();
    }
    for (let count = 0; count < SIGN_IN_BURST; count += 1) {
      clock.advance(1000);
      attack();
      expect([count, isLimited('ada', OTHER_NETWORK)]).toStrictEqual([count, true]);
      expect([count, isLimited('ada', KNOWN_NETWORK)]).toStrictEqual([count, false]);
    }
  });

  it('are limited to a burst and then one per interval, for each account and each known network', () => {
    const { clock, isLimited } = setUp();
    for (let count = 0; count < SIGN_IN_BURST; count += 1) expect(isLimited('ada', KNOWN_NETWORK)).toBe(false);
    expect(isLimited('Ada', { ...KNOWN_NETWORK, address: '::ffff:203.0.113.7' })).toBe(true);
    expect(isLimited('ada', { ...KNOWN_NETWORK, address: '203.0.113.9' })).toBe(false);
    expect(isLimited('grace', KNOWN_NETWORK)).toBe(false);
    clock.advance(SIGN_IN_INTERVAL_MS);
    expect(isLimited('ada', KNOWN_NETWORK)).toBe(false);
    expect(isLimited('ada', KNOWN_NETWORK)).toBe(true);
  });

  it('have counters that attempts with other names neither use up nor evict', () => {
    const { isLimited, attack } = setUp();
    for (let count = 0; count < SIGN_IN_BURST; count += 1) isLimited('ada', KNOWN_NETWORK);
    for (let name = 0; name < 20_000; name += 1) attack(`name${name}`);
    expect(isLimited('ada', KNOWN_NETWORK)).toBe(true);
    while (!isLimited(`other`, { ...KNOWN_NETWORK, isKnown: false }));
    expect(isLimited('grace', KNOWN_NETWORK)).toBe(false);
  });
});

it('attempts in a session of the owner are limited by a counter that sign-ins do not use up', () => {
  const { isSessionLimited, attack, isLimited } = setUp();
  while (!attack());
  while (!isLimited('ada', KNOWN_NETWORK));
  for (let count = 0; count < SIGN_IN_BURST; count += 1) expect(isSessionLimited()).toBe(false);
  expect([isSessionLimited(), isSessionLimited(true)]).toStrictEqual([true, false]);
});

describe('password checks', () => {
  it('from a known network are admitted and start first while other networks fill the queue', async () => {
    const { throttle } = setUp();
    const checkEnd = Promise.withResolvers<void>();
    const order: string[] = [];
    const check = (name: string, address: string, isKnown: boolean): Promise<unknown> =>
      throttle
        .check({ address, local: false, isKnown }, async () => {
          order.push(name);
          await checkEnd.promise;
        })
        .catch(codeOf);
    const capacity = MAX_PASSWORD_CHECKS + MAX_WAITING_PASSWORD_CHECKS;
    // Each check comes from a separate network, so that fair admission evicts none.
    const unknownChecks = Array.from({ length: capacity }, (_, index) =>
      check(`other ${index}`, `198.51.100.${index}`, false),
    );
    const lateCheck = check('late', '192.0.2.1', false);
    const knownCheck = check('known', KNOWN_NETWORK.address, true);
    expect(await lateCheck).toBe('rate_limited');
    checkEnd.resolve();
    expect(await Promise.all([knownCheck, ...unknownChecks])).toStrictEqual(
      Array.from({ length: capacity + 1 }, () => undefined),
    );
    expect(order.indexOf('known')).toBe(MAX_PASSWORD_CHECKS);
    expect(order).toHaveLength(capacity + 1);
  });

  it('from known networks are bounded too, and do not fill the queue of other networks', async () => {
    const { throttle } = setUp();
    const checkEnd = Promise.withResolvers<void>();
    const check = (address: string, isKnown: boolean): Promise<unknown> =>
      throttle.check({ address, local: false, isKnown }, () => checkEnd.promise).catch(codeOf);
    const capacity = MAX_PASSWORD_CHECKS + MAX_WAITING_PASSWORD_CHECKS;
    const knownChecks = Array.from({ length: capacity + 1 }, (_, index) => check(`203.0.113.${index}`, true));
    expect(await knownChecks.at(-1)).toBe('rate_limited');
    const unknownCheck = check('198.51.100.1', false);
    checkEnd.resolve();
    expect(await unknownCheck).toBeUndefined();
    await Promise.all(knownChecks);
  });
});

it('attempts from the networks of an IPv6 /48 are limited to four times as many as those from one network', () => {
  const { isLimited } = setUp();
  let admittedCount = 0;
  for (let count = 0; count < 100; count += 1) {
    const address = `2001:db8:7:${count}::1`;
    if (!isLimited(`account${count}`, { address, local: false })) admittedCount += 1;
  }
  expect(admittedCount).toBe(4 * SIGN_IN_BURST);
  expect(isLimited('ada', { address: '2001:db8:8::1', local: false })).toBe(false);
});
