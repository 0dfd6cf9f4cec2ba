import { createHash } from 'node:crypto';
import { base32crockford } from '@scure/base';
import { BackupProblem } from './error.ts';

/*
 * Format of the printed recovery key: eight groups of five characters in Crockford's base32, which omits characters
 * that look alike. It encodes a 22-byte secret and a 3-byte checksum, which distinguishes a typing error from a wrong
 * key.
 */

export const RECOVERY_SECRET_BYTES = 22;
const CHECKSUM_BYTES = 3;
const GROUP_CHARS = 5;
const RECOVERY_KEY_CHARS = ((RECOVERY_SECRET_BYTES + CHECKSUM_BYTES) * 8) / 5;

const checksumOf = (secret: Buffer): Buffer =>
  createHash('sha256').update('pda recovery key\n').update(secret).digest().subarray(0, CHECKSUM_BYTES);

export const formatRecoveryKey = (secret: Buffer): string => {
  const text = base32crockford.encode(Buffer.concat([secret, checksumOf(secret)]));
  return (text.match(new RegExp(`.{${GROUP_CHARS}}`, 'gu')) ?? []).join('-');
};

/** @throws BackupProblem wrong_key if the key is incomplete or contains a typing error */
export const parseRecoveryKey = (text: string): Buffer => {
  const characters = text.toUpperCase().replaceAll(/[\s-]/gu, '').replaceAll('O', '0').replaceAll(/[IL]/gu, '1');
  const invalidKey = (reason: string): BackupProblem =>
    new BackupProblem('wrong_key', `This is not a valid recovery key: ${reason}.`);
  if (characters.length !== RECOVERY_KEY_CHARS)
    throw invalidKey(`it has ${characters.length} characters instead of ${RECOVERY_KEY_CHARS}`);
  if (!/^[0-9A-HJKMNP-TV-Z]*$/u.test(characters)) throw invalidKey('it contains an invalid character');
  const bytes = Buffer.from(base32crockford.decode(characters));
  const secret = bytes.subarray(0, RECOVERY_SECRET_BYTES);
  if (!checksumOf(secret).equals(bytes.subarray(RECOVERY_SECRET_BYTES))) throw invalidKey('it contains a typing error');
  return secret;
};
