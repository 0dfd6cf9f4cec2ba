import { z } from 'zod';
import type { SafeStorageApi } from './electron-api.ts';
import { readJson, replaceText } from './json-file.ts';
import type { Texts } from '../texts/en.ts';

/** Named secrets of the owner, encrypted with a key of the system (Keychain, DPAPI, the keyring of a Linux desktop). */
export type KeyVault = {
  /** Checks whether the system can encrypt secrets. `reason` is a text for the owner. */
  checkAvailability(): Promise<{ readonly available: true } | { readonly available: false; readonly reason: string }>;
  /** @throws {Error} with the `reason` of `checkAvailability`, or an error of Electron or the file system */
  store(name: string, secret: string): Promise<void>;
  /** Returns undefined if there is no secret under this name or it cannot be decrypted. */
  read(name: string): Promise<string | undefined>;
  /** @throws {Error} of the file system */
  remove(name: string): void;
};

const vaultSchema = z.record(z.string(), z.base64());

export function createKeyVault(config: {
  readonly safeStorage: SafeStorageApi;
  readonly platform: NodeJS.Platform;
  readonly file: string;
  readonly texts: Texts;
}): KeyVault {
  const { safeStorage, platform, file } = config;
  const { vault: vaultTexts } = config.texts;

  const readVault = (): Record<string, string> => {
    const result = vaultSchema.safeParse(readJson(file));
    return result.success ? result.data : {};
  };
  const writeVault = (vault: Record<string, string>): void => replaceText(file, JSON.stringify(vault));

  const checkAvailability: KeyVault['checkAvailability'] = async () => {
    if (!(await safeStorage.isAsyncEncryptionAvailable())) return { available: false, reason: vaultTexts.notReady };
    // Electron knows the backend only after the first request. Without a keyring, Chromium encrypts with a password
    // from its source code.
    if (platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend()))
      return { available: false, reason: vaultTexts.noKeyring };
    return { available: true };
  };

  const encryptAndStore = async (name: string, secret: string): Promise<void> => {
    const encrypted = await safeStorage.encryptStringAsync(secret);
    writeVault({ ...readVault(), [name]: encrypted.toString('base64') });
  };

  return {
    checkAvailability,
    async store(name, secret) {
      const availability = await checkAvailability();
      if (!availability.available) throw new Error(availability.reason);
      await encryptAndStore(name, secret);
    },
    async read(name) {
      const vault = readVault();
      const encrypted = Object.hasOwn(vault, name) ? vault[name] : undefined;
      if (encrypted === undefined || !(await checkAvailability()).available) return undefined;
      try {
        const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(encrypted, 'base64'));
        // If this fails, the next read tries again.
        if (shouldReEncrypt) await encryptAndStore(name, result).catch(() => {});
        return result;
      } catch {
        // Encrypted on another computer or with a replaced keyring: the owner must enter the secret again.
        return undefined;
      }
    },
    remove(name) {
      const { [name]: removedSecret, ...remainingSecrets } = readVault();
      if (removedSecret !== undefined) writeVault(remainingSecrets);
    },
  };
}
