import { createHash } from 'node:crypto';
import { base32crockford } from '@scure/base';
import { BackupProblem } from './error.ts';

/*
 * The printed recovery key: eight groups of five characters in Crockford's base32, whose characters cannot be
 * confused. 22 bytes are the secret. Three bytes are a checksum, which distinguishes a typing error from a wrong key.
 */

export const RECOVERY_SECRET_BYTES = 22;
const CHECK_BYTES = 3;
const GROUP_CHARS = 5;
const KEY_CHARS = ((RECOVERY_SECRET_BYTES + CHECK_BYTES) * 8) / 5;

const checkOf = (secret: Buffer): Buffer =>
  createHash('sha256').update('pda recovery key\n').update(secret).digest().subarray(0, CHECK_BYTES);

/** Formats a recovery key for printing. */
export const printRecoveryKey = (secret: Buffer): string => {
  const text = base32crockford.encode(Buffer.concat([secret, checkOf(secret)]));
  return (text.match(new RegExp(`.{${GROUP_CHARS}}`, 'gu')) ?? []).join('-');
};

/** Parses a typed recovery key. @throws BackupProblem wrong_key if it contains a typing error */
export const readRecoveryKey = (text: string): Buffer => {
  const characters = text.toUpperCase().replaceAll(/[\s-]/gu, '').replaceAll('O', '0').replaceAll(/[IL]/gu, '1');
  const invalid = (reason: string): BackupProblem =>
    new BackupProblem('wrong_key', `This is not a valid recovery key: ${reason}.`);
  if (characters.length !== KEY_CHARS) throw invalid(`it has ${characters.length} characters instead of ${KEY_CHARS}`);
  if (!/^[0-9A-HJKMNP-TV-Z]*$/u.test(characters)) throw invalid('it contains an invalid character');
  const bytes = Buffer.from(base32crockford.decode(characters));
  const secret = bytes.subarray(0, RECOVERY_SECRET_BYTES);
  if (!checkOf(secret).equals(bytes.subarray(RECOVERY_SECRET_BYTES))) throw invalid('it contains a typing error');
  return secret;
};
