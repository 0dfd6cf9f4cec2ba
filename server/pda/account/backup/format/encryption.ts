import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { BackupProblem } from './error.ts';

// Encryption of an archive's files. The key and the nonce of each file are derived from the master key and 32 random
// bytes (docs/adr/0025), so nonces never repeat. Kind, name and archive are part of the derivation, so a file that was
// moved, renamed or copied from another archive cannot be decrypted.

export const KEY_BYTES = 32;
const SALT_BYTES = 32;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const MAGIC = Buffer.from('PDAB', 'latin1');
export const BACKUP_FORMAT = 1;
const HEADER_BYTES = MAGIC.length + 4 + SALT_BYTES;
/** A chunk id is a keyed hash, so it reveals nothing about the content without the key. */
export const CHUNK_ID_BYTES = 24;

const CIPHER = 'chacha20-poly1305';

export type ArchiveFileKind = 'pack' | 'index' | 'backup';

const deriveKeyAndNonce = (key: Buffer, salt: Buffer, info: string): { key: Buffer; nonce: Buffer } => {
  const bytes = Buffer.from(hkdfSync('sha256', key, salt, info, KEY_BYTES + NONCE_BYTES));
  return { key: bytes.subarray(0, KEY_BYTES), nonce: bytes.subarray(KEY_BYTES) };
};

export const deriveSubkey = (masterKey: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `pda-backup ${BACKUP_FORMAT} ${purpose}`, KEY_BYTES));

/** A ciphertext can be opened only with the identity with which it was sealed. */
type FileIdentity = { kind: ArchiveFileKind; archive: string; name: string };
const infoOf = ({ kind, archive, name }: FileIdentity): string =>
  `pda-backup ${BACKUP_FORMAT} ${kind} ${archive} ${name}`;

/** Returns the header, which contains the salt, followed by the ciphertext and the authentication tag. */
export const seal = (masterKey: Buffer, identity: FileIdentity, plain: readonly Buffer[]): Buffer => {
  const header = Buffer.concat([MAGIC, Buffer.from([BACKUP_FORMAT, 0, 0, 0]), randomBytes(SALT_BYTES)]);
  const { key, nonce } = deriveKeyAndNonce(masterKey, header.subarray(-SALT_BYTES), infoOf(identity));
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  const plaintextLength = plain.reduce((sum, { length }) => sum + length, 0);
  cipher.setAAD(header, { plaintextLength });
  const ciphertext = plain.map((chunk) => cipher.update(chunk));
  return Buffer.concat([header, ...ciphertext, cipher.final(), cipher.getAuthTag()]);
};

const damagedFile = (identity: FileIdentity): BackupProblem =>
  new BackupProblem(
    'damaged',
    `The file ${identity.name} of the archive is damaged, truncated or from another archive.`,
  );

/**
 * Does not check the format version, which the key file and each manifest contain.
 * @throws BackupProblem damaged
 */
export const unseal = (masterKey: Buffer, identity: FileIdentity, file: Buffer): Buffer => {
  if (file.length < HEADER_BYTES + TAG_BYTES || !file.subarray(0, MAGIC.length).equals(MAGIC))
    throw damagedFile(identity);
  const header = file.subarray(0, HEADER_BYTES);
  const { key, nonce } = deriveKeyAndNonce(masterKey, header.subarray(-SALT_BYTES), infoOf(identity));
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(header, { plaintextLength: file.length - HEADER_BYTES - TAG_BYTES });
  decipher.setAuthTag(file.subarray(-TAG_BYTES));
  try {
    const plain = decipher.update(file.subarray(HEADER_BYTES, -TAG_BYTES));
    decipher.final();
    return plain;
  } catch {
    throw damagedFile(identity);
  }
};

/** Returns a function that computes the id of a chunk, and its SHA-256 hash (`digest`). */
export const createChunkHasher = (masterKey: Buffer): ((chunk: Buffer) => { id: string; digest: Buffer }) => {
  const key = deriveSubkey(masterKey, 'chunk names');
  return (chunk) => {
    const digest = createHash('sha256').update(chunk).digest();
    const id = createHmac('sha256', key).update(digest).digest().subarray(0, CHUNK_ID_BYTES).toString('base64url');
    return { id, digest };
  };
};

const PADDED_MIN_BYTES = 256;

/**
 * Rounds a size up with Padmé, so that the padded size reveals only a few bits of the content's size. Adds at most 7%
 * to a size of 256 bytes or more, and far less to a large one.
 */
export const paddedSize = (size: number): number => {
  if (size < PADDED_MIN_BYTES) return PADDED_MIN_BYTES;
  const exponent = Math.floor(Math.log2(size));
  const significantBits = Math.floor(Math.log2(exponent)) + 1;
  const step = 2 ** (exponent - significantBits);
  return Math.ceil(size / step) * step;
};
