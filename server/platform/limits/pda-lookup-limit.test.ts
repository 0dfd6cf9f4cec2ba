import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/test-pda.ts';
import { createPdaLookupLimit } from './pda-lookup-limit.ts';

const gateAt = () => {
  const clock = createTestClock();
  const gate = createPdaLookupLimit({ clock, refusal: 'Too many.' });
  const lookUp = (from: string, address = 'ada.example.org') =>
    gate.run({ address, from }, () => Promise.resolve('looked')).catch((error: { code: string }) => error.code);
  const ask = async (from: string, address?: string) => {
    try {
      gate.admitCaller(from);
    } catch (error) {
      return (error as { code: string }).code;
    }
    return lookUp(from, address);
  };
  return { clock, look: lookUp, ask };
};

describe('the limit of look-ups of PDAs that anonymous callers name', () => {
  it('admits a PDA whose address another caller requests repeatedly', async () => {
    const { clock, ask } = gateAt();
    for (let n = 0; n < 20; n += 1) {
      await ask('203.0.113.1');
      clock.advance(2000);
    }
    expect(await ask('203.0.113.1')).toBe('rate_limited');
    expect(await ask('198.51.100.7')).toBe('looked');
  });

  it('limits the look-ups of one host by all callers together', async () => {
    const { look: lookUp } = gateAt();
    for (let n = 0; n < 5; n += 1) expect(await lookUp('203.0.113.1')).toBe('looked');
    expect([await lookUp('203.0.113.1'), await lookUp('198.51.100.7')]).toStrictEqual(['rate_limited', 'looked']);
    for (let n = 0; n < 54; n += 1) await lookUp(`192.0.2.${n}`);
    expect(await lookUp('192.0.2.200')).toBe('rate_limited');
  });

  it('calls one host at most once a second, however many callers ask', async () => {
    const { clock, ask } = gateAt();
    const results = [];
    for (let n = 0; n < 70; n += 1) results.push(await ask(`203.0.113.${n}`, `ada.example.org:${8000 + n}`));
    expect(results.filter((outcome) => outcome === 'looked')).toHaveLength(60);
    clock.advance(1000);
    expect([await ask('198.51.100.1'), await ask('198.51.100.2')]).toStrictEqual(['looked', 'rate_limited']);
  });
});
