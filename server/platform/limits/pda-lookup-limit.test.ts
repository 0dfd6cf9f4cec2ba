import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/test-pda.ts';
import { createPdaLookupLimit } from './pda-lookup-limit.ts';

const setUp = () => {
  const clock = createTestClock();
  const limit = createPdaLookupLimit({ clock, refusal: 'Too many.' });
  const lookUp = (from: string, address = 'ada.example.org') =>
    limit.run({ address, from }, () => Promise.resolve('result')).catch((error: { code: string }) => error.code);
  const requestLookUp = async (from: string, address?: string) => {
    try {
      limit.admitCaller(from);
    } catch (error) {
      return (error as { code: string }).code;
    }
    return lookUp(from, address);
  };
  return { clock, limit, lookUp, requestLookUp };
};

describe('the limit of look-ups of PDAs that anonymous callers name', () => {
  it('admits a caller after another one has reached its limit for the same PDA', async () => {
    const { clock, requestLookUp } = setUp();
    for (let count = 0; count < 20; count += 1) {
      await requestLookUp('203.0.113.1');
      clock.advance(2000);
    }
    expect(await requestLookUp('203.0.113.1')).toBe('rate_limited');
    expect(await requestLookUp('198.51.100.7')).toBe('result');
  });

  it('limits the look-ups of one host by each caller, and by all callers together', async () => {
    const { lookUp } = setUp();
    for (let count = 0; count < 5; count += 1) expect(await lookUp('203.0.113.1')).toBe('result');
    expect([await lookUp('203.0.113.1'), await lookUp('198.51.100.7')]).toStrictEqual(['rate_limited', 'result']);
    for (let count = 0; count < 54; count += 1) await lookUp(`192.0.2.${count}`);
    expect(await lookUp('192.0.2.200')).toBe('rate_limited');
  });

  it('leaves look-ups of a host to others, however many networks of an IPv6 /48 a caller uses', async () => {
    const { clock, requestLookUp } = setUp();
    const requestFromEachNetwork = async (address?: string) => {
      for (let network = 0; network < 100; network += 1) await requestLookUp(`2001:db8:7:${network}::1`, address);
    };
    await requestFromEachNetwork();
    expect(await requestLookUp('198.51.100.1')).toBe('result');
    for (let round = 0; round < 10; round += 1) {
      clock.advance(10_000);
      await requestFromEachNetwork();
    }
    expect(await requestLookUp('198.51.100.2')).toBe('result');
  });

  it('leaves look-ups to others while a caller’s PDAs do not respond', async () => {
    const { limit, requestLookUp } = setUp();
    const responses = Promise.withResolvers<void>();
    const slowLookUps = Array.from({ length: 100 }, (_, number) =>
      limit
        .run({ address: `slow${number}.example.net`, from: `2001:db8:7:${number}::1` }, () => responses.promise)
        .catch(() => undefined),
    );
    expect(await requestLookUp('198.51.100.1')).toBe('result');
    responses.resolve();
    await Promise.all(slowLookUps);
  });

  it('admits at most one look-up of a host per second after a burst, regardless of the number of callers', async () => {
    const { clock, requestLookUp } = setUp();
    const results = [];
    for (let count = 0; count < 70; count += 1)
      results.push(await requestLookUp(`203.0.113.${count}`, `ada.example.org:${8000 + count}`));
    expect(results.filter((outcome) => outcome === 'result')).toHaveLength(60);
    clock.advance(1000);
    expect([await requestLookUp('198.51.100.1'), await requestLookUp('198.51.100.2')]).toStrictEqual([
      'result',
      'rate_limited',
    ]);
  });
});
