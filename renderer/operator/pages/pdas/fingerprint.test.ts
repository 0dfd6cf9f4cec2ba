import { createHash, generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { fingerprintOf } from './fingerprint.ts';

it('is the SHA-256 of the key itself, however its text is broken into lines', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const hex = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  const shown = await fingerprintOf(pem);
  expect(shown).toMatch(/^(?:[\da-f]{4} ){15}[\da-f]{4}$/u);
  expect(shown?.replaceAll(' ', '')).toBe(hex);
  expect(await fingerprintOf(pem.replaceAll('\n', '\r\n'))).toBe(shown);
});
