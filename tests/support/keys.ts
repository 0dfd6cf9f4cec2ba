import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** An RSA key pair like that of a PDA. Creating a pair is slow, so tests share one unless they need separate pairs. */
export type TestKey = { privateKey: KeyObject; publicKey: KeyObject; publicPem: string };

export const newTestKey = (): TestKey => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey, publicKey, publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
};

let cachedKey: TestKey | undefined;
export const sharedKey = (): TestKey => (cachedKey ??= newTestKey());
