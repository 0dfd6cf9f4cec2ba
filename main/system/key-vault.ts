import { z } from 'zod';
import type { SafeStoragePart } from './electron-api.ts';
import { readJson, replaceText } from './json-file.ts';
import type { Texts } from '../texts/en.ts';

/**
 * Named secrets of the owner, encrypted with a key of the system (Keychain, DPAPI, the keyring of a Linux desktop).
 */
export type KeyVault = {
  /** Returns whether the system can store secrets; otherwise a sentence for the owner. */
  canKeep(): Promise<{ readonly yes: true } | { readonly yes: false; readonly why: string }>;
  /** Stores a secret. @throws {Error} with a message for the owner */
  keep(name: string, secret: string): Promise<void>;
  /** Returns a secret; undefined if there is none under this name or it cannot be decrypted any more. */
  find(name: string): Promise<string | undefined>;
  /** Removes a secret. @throws {Error} of the file system */
  forget(name: string): void;
};

/** Name -> encrypted secret, in base64. */
const vaultSchema = z.record(z.string(), z.base64());

/** Creates a key vault. @param config `file`: stores the encrypted secrets */
export function createKeyVault(config: {
  readonly safeStorage: SafeStoragePart;
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
  const write = (vault: Record<string, string>): void => replaceText(file, JSON.stringify(vault));

  const canKeep: KeyVault['canKeep'] = async () => {
    if (!(await safeStorage.isAsyncEncryptionAvailable())) return { yes: false, why: vaultTexts.notReady };
    // Valid only after encryption was first requested. Without a keyring, Chromium encrypts with a password from its
    // source code.
    if (platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend()))
      return { yes: false, why: vaultTexts.noKeyring };
    return { yes: true };
  };

  const seal = async (name: string, secret: string): Promise<void> => {
    const sealed = await safeStorage.encryptStringAsync(secret);
    write({ ...readVault(), [name]: sealed.toString('base64') });
  };

  return {
    canKeep,
    async keep(name, secret) {
      const can = await canKeep();
      if (!can.yes) throw new Error(can.why);
      await seal(name, secret);
    },
    async find(name) {
      const vault = readVault();
      const sealed = Object.hasOwn(vault, name) ? vault[name] : undefined;
      if (sealed === undefined || !(await canKeep()).yes) return undefined;
      try {
        const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(sealed, 'base64'));
        if (shouldReEncrypt) await seal(name, result);
        return result;
      } catch {
        // Encrypted on another computer or with a replaced keyring: the owner has to enter the secret again.
        return undefined;
      }
    },
    forget(name) {
      const { [name]: removed, ...remaining } = readVault();
      if (removed !== undefined) write(remaining);
    },
  };
}
