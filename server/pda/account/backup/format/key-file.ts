import { hashRaw } from '@node-rs/argon2';
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../../../../wire/values.ts';
import { BackupProblem } from './error.ts';
import { parseRecoveryKey, formatRecoveryKey, RECOVERY_SECRET_BYTES } from './recovery-key-rules.ts';
import { BACKUP_FORMAT, KEY_BYTES, deriveSubkey } from './encryption.ts';

export type Secret = { passphrase: string } | { recoveryKey: string };

/**
 * argon2id parameters for the passphrase, which an attacker with a copy of the archive could guess offline: 64 MiB and
 * three passes, which take about 250 ms.
 */
const KDF_PARAMETERS = { memoryKib: 65_536, passes: 3, lanes: 1 } as const;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PASSPHRASE_SALT_BYTES = 16;
const RECOVERY_SALT_BYTES = 32;
/** Minimum that argon2 accepts. */
const PASSPHRASE_SALT_MIN_BYTES = 8;
export const ARCHIVE_ID = /^[0-9a-f]{16}$/u;
const KEY_FILE_MAX_CHARS = 4096;

const fieldSchema = z.string().max(200);
/** Content of the key files of an archive: the master key twice, encrypted with the passphrase and the recovery key. */
const keyFileSchema = z.object({
  format: z.literal(BACKUP_FORMAT),
  archive: z.string().regex(ARCHIVE_ID),
  passphrase: z.object({
    salt: fieldSchema,
    /** At most 1 GiB, which bounds the memory that a manipulated file can request. */
    memoryKib: z.int().min(1).max(1_048_576),
    passes: z.int().min(1).max(20),
    lanes: z.int().min(1).max(8),
    wrapped: fieldSchema,
  }),
  recovery: z.object({ salt: fieldSchema, wrapped: fieldSchema }),
  /** HMAC of the other fields with a key that is derived from the master key. */
  check: fieldSchema,
});
export type KeyFile = z.infer<typeof keyFileSchema>;

const deriveFromPassphrase = (
  passphrase: string,
  salt: Buffer,
  { memoryKib, passes, lanes }: Pick<KeyFile['passphrase'], 'memoryKib' | 'passes' | 'lanes'>,
): Promise<Buffer> =>
  // NFKC makes the bytes independent of the keyboard. By default, the library uses argon2id, version 1.3.
  hashRaw(passphrase.normalize('NFKC'), {
    salt,
    memoryCost: memoryKib,
    timeCost: passes,
    parallelism: lanes,
    outputLen: KEY_BYTES + NONCE_BYTES,
  });

const deriveFromRecoveryKey = (secret: Buffer, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, `pda-backup ${BACKUP_FORMAT} recovery`, KEY_BYTES + NONCE_BYTES));

const associatedData = (secretName: string): Buffer => Buffer.from(`pda-backup ${BACKUP_FORMAT} wrap ${secretName}`);

const wrap = (masterKey: Buffer, keyAndNonce: Buffer, aad: Buffer): string => {
  const cipher = createCipheriv(
    'chacha20-poly1305',
    keyAndNonce.subarray(0, KEY_BYTES),
    keyAndNonce.subarray(KEY_BYTES),
    { authTagLength: TAG_BYTES },
  );
  cipher.setAAD(aad, { plaintextLength: masterKey.length });
  return Buffer.concat([cipher.update(masterKey), cipher.final(), cipher.getAuthTag()]).toString('base64url');
};

const unwrap = (wrapped: string, keyAndNonce: Buffer, aad: Buffer): Buffer | undefined => {
  const bytes = Buffer.from(wrapped, 'base64url');
  if (bytes.length !== KEY_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(
    'chacha20-poly1305',
    keyAndNonce.subarray(0, KEY_BYTES),
    keyAndNonce.subarray(KEY_BYTES),
    { authTagLength: TAG_BYTES },
  );
  decipher.setAAD(aad, { plaintextLength: KEY_BYTES });
  decipher.setAuthTag(bytes.subarray(KEY_BYTES));
  try {
    const masterKey = decipher.update(bytes.subarray(0, KEY_BYTES));
    decipher.final();
    return masterKey;
  } catch {
    return undefined;
  }
};

const computeCheck = (masterKey: Buffer, file: Omit<KeyFile, 'check'>): string =>
  createHmac('sha256', deriveSubkey(masterKey, 'key file'))
    .update(JSON.stringify([file.format, file.archive, file.passphrase, file.recovery]))
    .digest('base64url');

const withCheck = (masterKey: Buffer, file: Omit<KeyFile, 'check'>): KeyFile => ({
  ...file,
  check: computeCheck(masterKey, file),
});

export const newMasterKey = (): Buffer => randomBytes(KEY_BYTES);

const wrapWithPassphrase = async (masterKey: Buffer, passphrase: string): Promise<KeyFile['passphrase']> => {
  const salt = randomBytes(PASSPHRASE_SALT_BYTES);
  const keyAndNonce = await deriveFromPassphrase(passphrase, salt, KDF_PARAMETERS);
  return {
    salt: salt.toString('base64url'),
    ...KDF_PARAMETERS,
    wrapped: wrap(masterKey, keyAndNonce, associatedData('passphrase')),
  };
};

/**
 * Encrypts the master key twice: with the passphrase, and with a new recovery key, which is returned and not stored.
 */
export const createKeyFile = async (
  masterKey: Buffer,
  archive: string,
  passphrase: string,
): Promise<{ file: KeyFile; recoveryKey: string }> => {
  const secret = randomBytes(RECOVERY_SECRET_BYTES);
  const salt = randomBytes(RECOVERY_SALT_BYTES);
  const file = withCheck(masterKey, {
    format: BACKUP_FORMAT,
    archive,
    passphrase: await wrapWithPassphrase(masterKey, passphrase),
    recovery: {
      salt: salt.toString('base64url'),
      wrapped: wrap(masterKey, deriveFromRecoveryKey(secret, salt), associatedData('recovery')),
    },
  });
  return { file, recoveryKey: formatRecoveryKey(secret) };
};

/** Returns a key file for another archive with the same master key and secrets. */
export const keyFileFor = (file: KeyFile, masterKey: Buffer, archive: string): KeyFile =>
  withCheck(masterKey, { format: BACKUP_FORMAT, archive, passphrase: file.passphrase, recovery: file.recovery });

export const formatKeyFile = (file: KeyFile): string => `${JSON.stringify(file, null, 1)}\n`;

const damagedKeyFile = (reason: string): BackupProblem =>
  new BackupProblem(
    'damaged',
    `The key of the archive is damaged: ${reason}. Without an intact key, no backup in the archive can be opened.`,
  );

/** @throws BackupProblem damaged | newer */
export const parseKeyFile = (text: string): KeyFile => {
  if (text.length > KEY_FILE_MAX_CHARS) throw damagedKeyFile('it is too long');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damagedKeyFile('it is truncated or was changed');
  }
  if (isObject(value) && typeof value['format'] === 'number' && value['format'] > BACKUP_FORMAT)
    throw new BackupProblem('newer', 'The archive was made by a newer version of this program. Install that version.');
  const result = keyFileSchema.safeParse(value);
  if (!result.success) {
    const areParametersInvalid = result.error.issues.every(({ path: [, name = ''] }) => name in KDF_PARAMETERS);
    throw damagedKeyFile(
      areParametersInvalid ? 'its key derivation parameters are invalid or too expensive' : 'it was changed',
    );
  }
  const file = result.data;
  // The check value covers only the parsed fields, so the text must equal the result of `formatKeyFile`.
  if (formatKeyFile(file) !== text) throw damagedKeyFile('it was changed');
  return file;
};

const decryptMasterKey = async (file: KeyFile, secret: Secret): Promise<Buffer | undefined> => {
  if ('recoveryKey' in secret) {
    const keyAndNonce = deriveFromRecoveryKey(
      parseRecoveryKey(secret.recoveryKey),
      Buffer.from(file.recovery.salt, 'base64url'),
    );
    return unwrap(file.recovery.wrapped, keyAndNonce, associatedData('recovery'));
  }
  const salt = Buffer.from(file.passphrase.salt, 'base64url');
  if (salt.length < PASSPHRASE_SALT_MIN_BYTES) throw damagedKeyFile('it was changed');
  return unwrap(
    file.passphrase.wrapped,
    await deriveFromPassphrase(secret.passphrase, salt, file.passphrase),
    associatedData('passphrase'),
  );
};

export const isGenuine = (file: KeyFile, masterKey: Buffer): boolean => {
  const actual = Buffer.from(file.check, 'base64url');
  const expected = Buffer.from(computeCheck(masterKey, file), 'base64url');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
};

/** @throws BackupProblem wrong_key | damaged */
export const openKeyFile = async (file: KeyFile, secret: Secret): Promise<Buffer> => {
  const masterKey = await decryptMasterKey(file, secret);
  if (masterKey === undefined) {
    const secretName = 'recoveryKey' in secret ? 'recovery key' : 'passphrase';
    throw new BackupProblem('wrong_key', `This ${secretName} does not open the archive.`);
  }
  if (!isGenuine(file, masterKey)) throw damagedKeyFile('it was changed');
  return masterKey;
};
