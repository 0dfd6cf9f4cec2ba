import { expect, it } from 'vitest';
import { createTestClock } from '../../../../tests/support/test-pda.ts';
import { createPasswordAttempts } from './password-attempts.ts';

const LINK = '019bc186-de00-700c-b956-8148866d9b1b';
const OTHER_LINK = '019bc186-de00-700c-b956-8148866d9b1c';

const setUp = () => {
  const clock = createTestClock();
  const attempts = createPasswordAttempts(clock);
  /** Resolves to false if the attempt is refused. */
  const attempt = async (
    address: string,
    isCorrect: boolean | Promise<boolean>,
    link = LINK,
    local = false,
  ): Promise<boolean> => {
    try {
      await attempts.check(link, { address, local }, async () => isCorrect);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited' });
      return false;
    }
  };
  /** Tries wrong passwords from a hundred networks until all of them are refused. */
  const attack = async (): Promise<void> => {
    for (let round = 0; round < 3; round += 1)
      for (let network = 0; network < 100; network += 1) await attempt(`198.51.100.${network}`, false);
  };
  /** Returns the number of admitted networks. */
  const tryFromNetworks = async (networks: number, link = LINK): Promise<number> => {
    let admittedCount = 0;
    for (let network = 0; network < networks; network += 1)
      if (await attempt(`10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`, false, link))
        admittedCount += 1;
    return admittedCount;
  };
  return { clock, attempts, attempt, attack, tryFromNetworks };
};

it('wrong passwords from many networks do not lock out a network without wrong passwords', async () => {
  const { attempt, attack } = setUp();
  await attack();
  expect(await attempt('198.51.100.1', true)).toBe(false);
  expect(await attempt('203.0.113.7', true)).toBe(true);
  // After a wrong password, this network shares the exhausted limit of the link.
  expect(await attempt('203.0.113.7', false)).toBe(true);
  expect(await attempt('203.0.113.7', true)).toBe(false);
});

it('a network can make at most ten attempts in quick succession, even if its passwords are correct', async () => {
  const { attempt } = setUp();
  let admittedCount = 0;
  while (admittedCount < 100 && (await attempt('203.0.113.7', true))) admittedCount += 1;
  expect(admittedCount).toBe(10);
});

it('a wrong password counts for an hour, only for its link, and for all networks of an IPv6 /48', async () => {
  const { clock, attempt, attack } = setUp();
  await attempt('203.0.113.7', false);
  await attempt('2001:db8:1:1::1', false);
  await attack();
  expect(await attempt('203.0.113.7', true)).toBe(false);
  expect(await attempt('2001:db8:1:2::1', true)).toBe(false);
  expect(await attempt('203.0.113.7', true, OTHER_LINK)).toBe(true);
  clock.advance(3_600_000);
  await attack();
  expect(await attempt('203.0.113.7', true)).toBe(true);
});

it('concurrent attempts of a network count as wrong passwords, except the first', async () => {
  const { attempt, attack } = setUp();
  await attack();
  const checkResult = Promise.withResolvers<boolean>();
  const attempts = Array.from({ length: 10 }, () => attempt('203.0.113.7', checkResult.promise));
  checkResult.resolve(false);
  expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1);
});

it('an attempt whose password is not checked neither counts as a wrong password nor clears an earlier one', async () => {
  const { attempts, attempt, attack } = setUp();
  const fail = (address: string) =>
    expect(
      attempts.check(LINK, { address, local: false }, () => Promise.reject(new Error('no slot is free'))),
    ).rejects.toThrow('no slot');
  await attempt('203.0.113.8', false);
  await fail('203.0.113.7');
  await fail('203.0.113.8');
  await attack();
  expect(await attempt('203.0.113.7', true)).toBe(true);
  expect(await attempt('203.0.113.8', true)).toBe(false);
});

it('all remote networks without a wrong password share one limit per link', async () => {
  const { clock, attempt, tryFromNetworks } = setUp();
  expect(await tryFromNetworks(1500)).toBe(1000);
  expect(await attempt('203.0.113.7', true)).toBe(false);
  expect(await attempt('127.0.0.1', true, LINK, true)).toBe(true);
  expect(await attempt('203.0.113.7', true, OTHER_LINK)).toBe(true);
  clock.advance(2000);
  expect(await attempt('203.0.113.8', true)).toBe(true);
});

it('attempts at other links do not clear the wrong password of a network', async () => {
  const { attempt, attack, tryFromNetworks } = setUp();
  await attempt('203.0.113.7', false);
  for (let link = 0; link < 11; link += 1) await tryFromNetworks(1000, `link ${link}`);
  await attack();
  expect(await attempt('203.0.113.7', true)).toBe(false);
});
