import { generateKeyPairSync, type KeyObject } from 'node:crypto';

/** A key pair as a PDA has it. Making one takes a while: those who need no other share this one. */
export type TestKey = { privateKey: KeyObject; publicPem: string };

export const newTestKey = (): TestKey => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { privateKey, publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
};

let shared: TestKey | undefined;
export const sharedKey = (): TestKey => (shared ??= newTestKey());
