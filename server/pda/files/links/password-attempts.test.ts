import { expect, it } from 'vitest';
import { createTestClock } from '../../../../tests/support/test-pda.ts';
import { createPasswordAttempts } from './password-attempts.ts';

const LINK = '019bc186-de00-700c-b956-8148866d9b1b';
const OTHER_LINK = '019bc186-de00-700c-b956-8148866d9b1c';

const setUp = () => {
  const clock = createTestClock();
  const attempts = createPasswordAttempts(clock);
  /** Tries a password. Returns false if the attempt is refused. */
  const attempt = (address: string, isCorrect: boolean, link = LINK): boolean => {
    const origin = { address, local: false };
    try {
      attempts.count(link, origin);
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited' });
      return false;
    }
    attempts.note(link, origin, isCorrect);
    return true;
  };
  /** Tries wrong passwords from a hundred networks until all of them are refused. */
  const attack = (): void => {
    for (let round = 0; round < 3; round += 1)
      for (let network = 0; network < 100; network += 1) attempt(`198.51.100.${network}`, false);
  };
  return { clock, attempt, attack };
};

it('wrong passwords from many networks do not lock out a network that entered none', () => {
  const { attempt, attack } = setUp();
  attack();
  expect(attempt('198.51.100.1', true)).toBe(false);
  expect(attempt('203.0.113.7', true)).toBe(true);
  // A second wrong password of this network counts against the limit of the link.
  expect(attempt('203.0.113.7', false)).toBe(true);
  expect(attempt('203.0.113.7', true)).toBe(false);
});

it('a network is limited by itself, too, even if its passwords are correct', () => {
  const { attempt } = setUp();
  let admitted = 0;
  while (admitted < 100 && attempt('203.0.113.7', true)) admitted += 1;
  expect(admitted).toBe(10);
});

it('a wrong password counts for an hour, for its link, and for the whole block of an IPv6 network', () => {
  const { clock, attempt, attack } = setUp();
  attempt('203.0.113.7', false);
  attempt('2001:db8:1:1::1', false);
  attack();
  expect(attempt('203.0.113.7', true)).toBe(false);
  expect(attempt('2001:db8:1:2::1', true)).toBe(false);
  expect(attempt('203.0.113.7', true, OTHER_LINK)).toBe(true);
  clock.advance(3_600_000);
  attack();
  expect(attempt('203.0.113.7', true)).toBe(true);
});
