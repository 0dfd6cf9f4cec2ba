import { expect, it } from 'vitest';
import { sharedKey } from '../../../tests/support/keys.ts';
import { createTokens, type SigningKey } from './tokens.ts';

const START_MS = Date.UTC(2026, 0, 15, 12);

it('signs a renewed token at most once a minute per session, and retries if signing failed', async () => {
  let now = START_MS;
  const key: SigningKey = { ...sharedKey(), kid: 'k1', retired: false };
  let keys: SigningKey[] = [key];
  const tokens = createTokens({ keys: () => keys, clock: { now: () => now } });
  const { claims } = await tokens.issue({ iss: 'ada.example.org', sub: 'ada' });

  now += 1000;
  keys = [];
  await expect(tokens.renew(claims)).rejects.toThrow('no active signing key');
  keys = [key];
  const renewedToken = await tokens.renew(claims);
  expect(await tokens.verify(renewedToken ?? '')).toMatchObject({ jti: claims.jti, iat: now / 1000 });

  now += 59_000;
  expect(await tokens.renew(claims)).toBe(renewedToken);
  now += 1000;
  expect(await tokens.renew(claims)).not.toBe(renewedToken);
});
