import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** An RSA key pair as a PDA has one. Creating one is slow, so tests share one unless they need another. */
export type TestKey = { privateKey: KeyObject; publicPem: string };

export const newTestKey = (): TestKey => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey, publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
};

let cachedKey: TestKey | undefined;
export const sharedKey = (): TestKey => (cachedKey ??= newTestKey());
