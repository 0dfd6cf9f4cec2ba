import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/test-pda.ts';
import { createFloodGate } from './flood.ts';

const gateAt = () => {
  const clock = createTestClock();
  const gate = createFloodGate(clock);
  const ask = (from: string, address = 'ada.example.org') =>
    gate({ address, from }, () => Promise.resolve('let through')).catch((error: { code: string }) => error.code);
  return { clock, ask };
};

describe('the gate of registrations', () => {
  it('lets a PDA through whose address a stranger asks for again and again', async () => {
    const { clock, ask } = gateAt();
    for (let n = 0; n < 20; n += 1) {
      await ask('203.0.113.1');
      clock.advance(2000);
    }
    expect(await ask('203.0.113.1')).toBe('rate_limited');
    expect(await ask('198.51.100.7')).toBe('let through');
  });

  it('calls one host no more than once a second, however many ask', async () => {
    const { clock, ask } = gateAt();
    const asked = [];
    for (let n = 0; n < 70; n += 1) asked.push(await ask(`203.0.113.${n}`, `ada.example.org:${8000 + n}`));
    expect(asked.filter((outcome) => outcome === 'let through')).toHaveLength(60);
    clock.advance(1000);
    expect([await ask('198.51.100.1'), await ask('198.51.100.2')]).toStrictEqual(['let through', 'rate_limited']);
  });
});
