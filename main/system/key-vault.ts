import { z } from 'zod';
import type { SafeStoragePart } from './electron-api.ts';
import { readJson, replaceText } from './json-file.ts';
import type { Texts } from '../texts/en.ts';

/** Secrets of the owner, each by a name, sealed with a key that the system keeps (Keychain, DPAPI, the keyring of a Linux desktop). */
export type KeyVault = {
  /** Whether the system can keep one; a sentence for the owner when it cannot. */
  canKeep(): Promise<{ readonly yes: true } | { readonly yes: false; readonly why: string }>;
  /** @throws {Error} whose message says to the owner why it is not kept */
  keep(name: string, secret: string): Promise<void>;
  /** undefined: none is kept under this name, or it can no longer be opened. */
  find(name: string): Promise<string | undefined>;
  /** @throws {Error} of the file system */
  forget(name: string): void;
};

/** Name -> sealed, in base64. */
const vaultSchema = z.record(z.string(), z.base64());

/** @param config `file`: holds what is sealed */
export function createKeyVault(config: {
  readonly safeStorage: SafeStoragePart;
  readonly platform: NodeJS.Platform;
  readonly file: string;
  readonly texts: Texts;
}): KeyVault {
  const { safeStorage, platform, file } = config;
  const { vault: words } = config.texts;

  const read = (): Record<string, string> => {
    const found = vaultSchema.safeParse(readJson(file));
    return found.success ? found.data : {};
  };
  const write = (vault: Record<string, string>): void => replaceText(file, JSON.stringify(vault));

  const canKeep: KeyVault['canKeep'] = async () => {
    if (!(await safeStorage.isAsyncEncryptionAvailable())) return { yes: false, why: words.notReady };
    // Known only once it has been looked for. Without a keyring Chromium seals with a password that is in its source.
    if (platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend()))
      return { yes: false, why: words.noKeyring };
    return { yes: true };
  };

  const seal = async (name: string, secret: string): Promise<void> => {
    const sealed = await safeStorage.encryptStringAsync(secret);
    write({ ...read(), [name]: sealed.toString('base64') });
  };

  return {
    canKeep,
    async keep(name, secret) {
      const can = await canKeep();
      if (!can.yes) throw new Error(can.why);
      await seal(name, secret);
    },
    async find(name) {
      const vault = read();
      const sealed = Object.hasOwn(vault, name) ? vault[name] : undefined;
      if (sealed === undefined || !(await canKeep()).yes) return undefined;
      try {
        const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(sealed, 'base64'));
        if (shouldReEncrypt) await seal(name, result);
        return result;
      } catch {
        // Sealed on another computer, or by a keyring that was made anew: whoever asks has to ask the owner.
        return undefined;
      }
    },
    forget(name) {
      const { [name]: gone, ...others } = read();
      if (gone !== undefined) write(others);
    },
  };
}
