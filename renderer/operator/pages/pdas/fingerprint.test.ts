import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fingerprintOf } from './fingerprint.ts';

describe('fingerprintOf', () => {
  it('returns the SHA-256 digest of the key, regardless of PEM line breaks', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const hex = createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('hex');
    const fingerprint = await fingerprintOf(pem);
    expect(fingerprint).toMatch(/^(?:[\da-f]{4} ){15}[\da-f]{4}$/u);
    expect(fingerprint?.replaceAll(' ', '')).toBe(hex);
    expect(await fingerprintOf(pem.replaceAll('\n', '\r\n'))).toBe(fingerprint);
  });
});
