import type { Restorable, RestoreSource } from '../../api/account/backup.ts';

/** Returns true if the text has the form of a recovery key: eight groups of five characters. */
const hasRecoveryKeyForm = (text: string): boolean => /^(?:[0-9a-z]{5}[\s-]+){7}[0-9a-z]{5}$/iu.test(text.trim());

/**
 * Finds the backups that a passphrase or recovery key opens. A passphrase of eight words with five letters each has the
 * form of a recovery key, so a text of this form is tried as both.
 * @throws the error of `find`; if both attempts fail, that of the recovery key
 */
export async function findWithSecret(
  request: Omit<RestoreSource, 'secret'>,
  secret: string,
  find: (source: RestoreSource) => Promise<Restorable>,
): Promise<{ source: RestoreSource; restorable: Restorable }> {
  const findWith = async (source: RestoreSource) => ({ source, restorable: await find(source) });
  const findWithPassphrase = () => findWith({ ...request, secret: { passphrase: secret } });
  if (!hasRecoveryKeyForm(secret)) return findWithPassphrase();
  try {
    return await findWith({ ...request, secret: { recoveryKey: secret.trim() } });
  } catch (error) {
    return findWithPassphrase().catch(() => {
      throw error;
    });
  }
}
