import { hashRaw } from '@node-rs/argon2';
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { isObject } from '../../../../wire/values.ts';
import { BackupProblem } from './error.ts';
import { readRecoveryKey, printRecoveryKey, RECOVERY_SECRET_BYTES } from './recovery-key-rules.ts';
import { FORMAT, KEY_BYTES, subkey } from './encryption.ts';

/** The file `key` of an archive: its master key, locked once by a passphrase and once by the recovery key. */
export type KeyFile = {
  format: number;
  archive: string;
  passphrase: { salt: string; memoryKib: number; passes: number; lanes: number; wrapped: string };
  recovery: { salt: string; wrapped: string };
  /** Proof, by the master key, that nothing in this file was changed. */
  check: string;
};

export type Secret = { passphrase: string } | { recoveryKey: string };

/** argon2id cost of a key that an attacker with a copy can try offline: 64 MiB, three passes, about 250 ms. */
export const HARD = { memoryKib: 65_536, passes: 3, lanes: 1 } as const;
/** What a file may ask of us at the most: 1 GiB, and no more than a few seconds of work. */
const MOST = { memoryKib: 1_048_576, passes: 20, lanes: 8 } as const;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const ARCHIVE_ID = /^[0-9a-f]{16}$/u;
const MAX_BYTES = 4096;

type Hardness = { memoryKib: number; passes: number; lanes: number };

const stretch = async (passphrase: string, salt: Buffer, { memoryKib, passes, lanes }: Hardness): Promise<Buffer> => {
  // The same letters give the same bytes, however they were typed. Version 1.3 and argon2id are what this library does unless told otherwise.
  return hashRaw(passphrase.normalize('NFKC'), {
    salt,
    memoryCost: memoryKib,
    timeCost: passes,
    parallelism: lanes,
    outputLen: KEY_BYTES + NONCE_BYTES,
  });
};

const stretchRecovery = (secret: Buffer, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, `pda-backup ${FORMAT} recovery`, KEY_BYTES + NONCE_BYTES));

const bound = (by: string): Buffer => Buffer.from(`pda-backup ${FORMAT} wrap ${by}`);

const wrap = (master: Buffer, keyed: Buffer, about: Buffer): string => {
  const cipher = createCipheriv('chacha20-poly1305', keyed.subarray(0, KEY_BYTES), keyed.subarray(KEY_BYTES), {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(about, { plaintextLength: master.length });
  return Buffer.concat([cipher.update(master), cipher.final(), cipher.getAuthTag()]).toString('base64url');
};

const unwrap = (wrapped: string, keyed: Buffer, about: Buffer): Buffer | undefined => {
  const bytes = Buffer.from(wrapped, 'base64url');
  if (bytes.length !== KEY_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('chacha20-poly1305', keyed.subarray(0, KEY_BYTES), keyed.subarray(KEY_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(about, { plaintextLength: KEY_BYTES });
  decipher.setAuthTag(bytes.subarray(KEY_BYTES));
  try {
    const master = decipher.update(bytes.subarray(0, KEY_BYTES));
    decipher.final();
    return master;
  } catch {
    return undefined;
  }
};

const checkOf = (master: Buffer, file: Omit<KeyFile, 'check'>): string =>
  createHmac('sha256', subkey(master, 'key file'))
    .update(JSON.stringify([file.format, file.archive, file.passphrase, file.recovery]))
    .digest('base64url');

const withCheck = (master: Buffer, file: Omit<KeyFile, 'check'>): KeyFile => ({
  ...file,
  check: checkOf(master, file),
});

export const newMasterKey = (): Buffer => randomBytes(KEY_BYTES);

const passphrasePart = async (master: Buffer, passphrase: string): Promise<KeyFile['passphrase']> => {
  const salt = randomBytes(16);
  const keyed = await stretch(passphrase, salt, HARD);
  return { salt: salt.toString('base64url'), ...HARD, wrapped: wrap(master, keyed, bound('passphrase')) };
};

/** Encrypts a master key with new secrets. The returned recovery key is stored nowhere else. */
export const lockMaster = async (
  master: Buffer,
  archive: string,
  passphrase: string,
): Promise<{ file: KeyFile; recoveryKey: string }> => {
  const secret = randomBytes(RECOVERY_SECRET_BYTES);
  const salt = randomBytes(32);
  const file = withCheck(master, {
    format: FORMAT,
    archive,
    passphrase: await passphrasePart(master, passphrase),
    recovery: {
      salt: salt.toString('base64url'),
      wrapped: wrap(master, stretchRecovery(secret, salt), bound('recovery')),
    },
  });
  return { file, recoveryKey: printRecoveryKey(secret) };
};

/** The same locks for another archive of the same master key. */
export const keyFileFor = (file: KeyFile, master: Buffer, archive: string): KeyFile =>
  withCheck(master, { format: FORMAT, archive, passphrase: file.passphrase, recovery: file.recovery });

export const writeKeyFile = (file: KeyFile): string => `${JSON.stringify(file, null, 1)}\n`;

const damaged = (why: string): BackupProblem =>
  new BackupProblem(
    'damaged',
    `The key of the archive is damaged: ${why}. Without it nothing in the archive can be opened.`,
  );

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 200;
const isAmount = (value: unknown, most: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most;

const fields = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** @throws BackupProblem damaged | newer */
export const readKeyFile = (text: string): KeyFile => {
  if (text.length > MAX_BYTES) throw damaged('it is too long');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw damaged('it is cut off, or was changed');
  }
  const { format, archive, passphrase, recovery, check } = fields(parsed);
  if (typeof format === 'number' && format > FORMAT)
    throw new BackupProblem('newer', 'The archive was made by a newer version of this program. Install that version.');
  const lock = fields(passphrase);
  const other = fields(recovery);
  const { salt, memoryKib, passes, lanes, wrapped } = lock;
  if (format !== FORMAT || !isText(archive) || !ARCHIVE_ID.test(archive) || !isText(check))
    throw damaged('it was changed');
  if (!isText(salt) || !isText(wrapped) || !isText(other['salt']) || !isText(other['wrapped']))
    throw damaged('it was changed');
  if (!isAmount(memoryKib, MOST.memoryKib) || !isAmount(passes, MOST.passes) || !isAmount(lanes, MOST.lanes))
    throw damaged('it asks for more work than any passphrase needs');
  const file: KeyFile = {
    format,
    archive,
    passphrase: { salt, memoryKib, passes, lanes, wrapped },
    recovery: { salt: other['salt'], wrapped: other['wrapped'] },
    check,
  };
  // Not a sign more, and none in another place: what is not looked at could have been changed.
  if (writeKeyFile(file) !== text) throw damaged('it was changed');
  return file;
};

const masterOf = async (file: KeyFile, secret: Secret): Promise<Buffer | undefined> => {
  if ('recoveryKey' in secret) {
    const keyed = stretchRecovery(readRecoveryKey(secret.recoveryKey), Buffer.from(file.recovery.salt, 'base64url'));
    return unwrap(file.recovery.wrapped, keyed, bound('recovery'));
  }
  const salt = Buffer.from(file.passphrase.salt, 'base64url');
  if (salt.length < 8) throw damaged('it was changed');
  return unwrap(file.passphrase.wrapped, await stretch(secret.passphrase, salt, file.passphrase), bound('passphrase'));
};

export const isGenuine = (file: KeyFile, master: Buffer): boolean => {
  const found = Buffer.from(file.check, 'base64url');
  const wanted = Buffer.from(checkOf(master, file), 'base64url');
  return found.length === wanted.length && timingSafeEqual(found, wanted);
};

/** @throws BackupProblem wrong_key | damaged */
export const openKeyFile = async (file: KeyFile, secret: Secret): Promise<Buffer> => {
  const master = await masterOf(file, secret);
  if (master === undefined) {
    const what = 'recoveryKey' in secret ? 'recovery key' : 'passphrase';
    throw new BackupProblem('wrong_key', `This ${what} does not open the archive.`);
  }
  if (!isGenuine(file, master)) throw damaged('it was changed');
  return master;
};
