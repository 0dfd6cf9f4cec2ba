import { expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/test-pda.ts';
import { createFloodGate } from './flood.ts';

it('a PDA joins although a stranger names its address again and again', async () => {
  const gate = createFloodGate(createTestClock());
  const look = (from: string) =>
    gate
      .call({ address: 'ada.example.org', from }, () => Promise.resolve('looked'))
      .catch((error: { code: string }) => error.code);
  for (let n = 0; n < 5; n += 1) expect(await look('203.0.113.1')).toBe('looked');
  expect([await look('203.0.113.1'), await look('198.51.100.7')]).toStrictEqual(['rate_limited', 'looked']);
  for (let n = 0; n < 54; n += 1) await look(`192.0.2.${n}`);
  expect(await look('192.0.2.200')).toBe('rate_limited');
});
